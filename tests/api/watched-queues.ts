/** Event queues of several people at once, to check exactly which events each of them gets in a step. */
import type { ApiClient, JsonObject } from '@parley/test-kit';
import { expect } from 'vitest';

import { FencedQueues, isNotice } from './fenced-queues.ts';
import type { PersonKey, SmallOrganization } from './small-organization.ts';

function expectSame(events: readonly JsonObject[], others: readonly JsonObject[]): void {
  expect(events).toEqual(others);
}

export class WatchedQueues<Who extends string> {
  readonly #queues: FencedQueues<Who>;

  private constructor(queues: FencedQueues<Who>) {
    this.#queues = queues;
  }

  /** @param marker a person whose status marks the end of a step in every queue */
  static async open<Who extends string>(
    clients: Readonly<Record<Who, ApiClient>>,
    marker: ApiClient,
  ): Promise<WatchedQueues<Who>> {
    const accounts = Object.entries<ApiClient>(clients).map(([who, client]) => [who, { client }]);
    return new WatchedQueues(
      await FencedQueues.open(
        Object.fromEntries(accounts) as Record<Who, { client: ApiClient }>,
        undefined,
        (mark) => marker.post('users/me/status', { status_text: mark }),
      ),
    );
  }

  /** @returns the events that each queue got since the last call, in order and without their ids, except notices */
  async step(): Promise<Record<Who, JsonObject[]>> {
    const read = Object.entries<readonly JsonObject[]>(await this.#queues.readWithMessages());
    const steps = read.map(([who, events]) => [who, events.filter((event) => !isNotice(event))]);
    return Object.fromEntries(steps) as Record<Who, JsonObject[]>;
  }

  /** @returns the events since the last call, which all queues must have got alike */
  async shared(): Promise<JsonObject[]> {
    const [first = [], ...others] = Object.values<JsonObject[]>(await this.step());
    for (const events of others) expectSame(events, first);
    return first;
  }
}

/** The queues of an administrator, a member, a guest and a bot. */
export function watchEveryKind(
  organization: SmallOrganization,
): Promise<WatchedQueues<'ann' | 'bob' | 'gil' | 'bobBot'>> {
  const as = (who: PersonKey): ApiClient => organization.client(who);
  return WatchedQueues.open(
    { ann: as('ann'), bob: as('bob'), gil: as('gil'), bobBot: as('bobBot') },
    as('cat'),
  );
}
