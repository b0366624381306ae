import { AsyncLocalStorage } from 'node:async_hooks';

import { accountChangesHeaderName, accountChangesText } from '@parley/api';

const current = new AsyncLocalStorage<AccountChanges>();

/**
 * The accounts that one request changes. Its answer names them to the gateway, which then knows of the change no later than the client
 * (architecture, The log). They are gathered beside the handlers, so that no change can be made without being named.
 */
export class AccountChanges {
  readonly #userIds = new Set<number>();

  /** Does the work of the request. */
  gather<Result>(work: () => Result): Result {
    return current.run(this, work);
  }

  /** What the answer has for the gateway; undefined where no account changed. */
  get headers(): Readonly<Record<string, string>> | undefined {
    return this.#userIds.size === 0
      ? undefined
      : { [accountChangesHeaderName]: accountChangesText([...this.#userIds]) };
  }

  add(userIds: readonly number[]): void {
    for (const userId of userIds) this.#userIds.add(userId);
  }
}

/** Says that accounts have changed. Where that was no request's work, nobody has to be told by an answer. */
export function noteAccountChanges(userIds: readonly number[]): void {
  current.getStore()?.add(userIds);
}
