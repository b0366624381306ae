import { AsyncLocalStorage } from 'node:async_hooks';

import { accountChangesHeaderName, accountChangesText } from '@parley/api';

const current = new AsyncLocalStorage<AccountChanges>();

/**
 * The accounts that one request changes. Its answer names them to the gateway, which so learns of the change no later than the client
 * (architecture, The log). They are collected outside of handlers, so that no change can go unnamed.
 */
export class AccountChanges {
  readonly #userIds = new Set<number>();

  /** Runs the work of the request. */
  gather<Result>(work: () => Result): Result {
    return current.run(this, work);
  }

  /** The headers of the answer for the gateway; undefined if no account changed. */
  get headers(): Readonly<Record<string, string>> | undefined {
    return this.#userIds.size === 0
      ? undefined
      : { [accountChangesHeaderName]: accountChangesText([...this.#userIds]) };
  }

  add(userIds: readonly number[]): void {
    for (const userId of userIds) this.#userIds.add(userId);
  }
}

/** Reports changed accounts. Outside of a request there is no answer to name them, and none is needed. */
export function noteAccountChanges(userIds: readonly number[]): void {
  current.getStore()?.add(userIds);
}
