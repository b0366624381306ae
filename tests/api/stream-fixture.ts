/** A cluster with two subscriptions services and queues of all kinds of people, for tests of streams and their events. */
import type { JsonObject, Parameters, SystemOptions, TestAccount } from '@parley/test-kit';
import { readObjects } from '@parley/test-kit';

import { FencedQueues } from './fenced-queues.ts';
import { refusalOf, startMessageFixture } from './message-fixture.ts';
import type { MessageFixture } from './message-fixture.ts';

export type Name = 'ann' | 'bob' | 'cat' | 'dan' | 'guest' | 'bot';

export { coded, success, uncoded } from './refusals.ts';

const path = 'users/me/subscriptions';

/** Ann administers, Bob, Cat and Dan are members, the bot is Bob's. All are in the stream `fences` and in no other. */
export class StreamFixture {
  readonly all: MessageFixture;
  readonly people: Readonly<Record<Name, TestAccount>>;
  readonly queues: FencedQueues<Name>;

  static async start(
    eventTypes: readonly string[] = [
      'stream',
      'subscription',
      'default_streams',
      'default_stream_groups',
      'update_message_flags',
      'delete_message',
    ],
    more: Pick<SystemOptions, 'people' | 'messages' | 'environment' | 'ownProcesses'> = {},
  ): Promise<StreamFixture> {
    const all = await startMessageFixture({ events: 2, messages: 1, subscriptions: 2, ...more });
    const { organization, ann, bob, cat, guest, bot } = all;
    const dan = await organization.makeAccount('Dan Poe', { email: 'dan@example.com' });
    const people = { ann, bob, cat, dan, guest, bot };
    await organization.makeStream('fences', Object.values(people));
    const queues = await FencedQueues.open(people, eventTypes, (content) =>
      ann.client.sendToStream('fences', 'x', content),
    );
    return new StreamFixture(all, people, queues);
  }

  private constructor(
    all: MessageFixture,
    people: Readonly<Record<Name, TestAccount>>,
    queues: FencedQueues<Name>,
  ) {
    this.all = all;
    this.people = people;
    this.queues = queues;
  }

  /** Subscribes the caller, or other users, to streams by name. */
  join(who: Name, names: readonly string[], more: Parameters = {}): Promise<JsonObject> {
    return this.people[who].client.post(path, {
      subscriptions: names.map((name) => ({ name })),
      ...more,
    });
  }

  leave(who: Name, names: readonly string[], more: Parameters = {}): Promise<JsonObject> {
    return this.people[who].client.delete(path, { subscriptions: names, ...more });
  }

  /** @returns the id of a stream of any kind */
  async streamId(name: string): Promise<number> {
    const { rows } = await this.all.pool.query<{ id: number }>({
      text: 'SELECT id FROM streams WHERE name = $1',
      values: [name],
    });
    const [row] = rows;
    if (row === undefined) throw new Error(`there is no stream ${name}`);
    return row.id;
  }

  /** @returns the stream as an administrator sees it in the list of all */
  async stream(name: string): Promise<JsonObject | undefined> {
    const answer = await this.people.ann.client.get('streams', { include_all_active: true });
    return readObjects(answer, 'streams').find((stream) => stream['name'] === name);
  }

  async refusal(
    who: Name,
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    to: string,
    parameters: Parameters = {},
  ): Promise<JsonObject> {
    return refusalOf(this.people[who].client.call(method, to, parameters));
  }

  /** @returns the events of each queue since the last call as `type/op`, with the property of an update */
  async kinds(): Promise<Partial<Record<Name, string[]>>> {
    const read = await this.queues.read();
    return Object.fromEntries(
      Object.entries(read).map(([name, events]) => [name, events.map(kindOf)]),
    );
  }

  async stop(): Promise<void> {
    await this.all.stop();
  }
}

function kindOf({ type, op, operation, property }: JsonObject): string {
  const what = op ?? operation;
  const kind = what === undefined ? (type as string) : `${type as string}/${what as string}`;
  return property === undefined ? kind : `${kind} ${property as string}`;
}

/** The same events for everybody. */
export function forEach(
  names: readonly Name[],
  events: readonly string[],
): Record<string, string[]> {
  return Object.fromEntries(names.map((name) => [name, [...events]]));
}
