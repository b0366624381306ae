/** An organization with people of every kind, and a check that an operation sends exactly the expected events to each, in order. */
import type { Cluster, JsonObject, TestAccount } from '@parley/test-kit';
import { drawDefaultAvatar } from '@parley/images';
import { waitUntil } from '@parley/test-kit';
import { expect } from 'vitest';

import { FencedQueues } from './fenced-queues.ts';
import { startMessageFixture } from './message-fixture.ts';
import type { MessageFixture } from './message-fixture.ts';

export type Who =
  | 'admin'
  | 'bob'
  | 'cat'
  | 'out'
  | 'guest in'
  | 'guest out'
  | 'bot'
  | 'bot in'
  | 'admin bot';

export const everybody: readonly Who[] = [
  'admin',
  'bob',
  'cat',
  'out',
  'guest in',
  'guest out',
  'bot',
  'bot in',
  'admin bot',
];
export const members = everybody.filter((who) => !who.startsWith('guest'));

/** An event without its id, or a function that makes it for a receiver. */
export type Body = JsonObject | ((who: Who) => JsonObject);

/** The events that an operation sends to each person: names of bodies, in order. All others get none. */
export type ExpectedEvents = {
  readonly bodies: Readonly<Record<string, Body>>;
  /** Each line: the recipients, and the names of their events, in order, with spaces in between. */
  readonly to: readonly (readonly [who: readonly Who[], what: string])[];
};

/**
 * The administrator, Bob, Cat, a guest and a bot of Bob's are in `social` (public) and `closed` (private, without shared history); a
 * member, a guest, a bot of Bob's and a bot who administers are in neither. All are in `fences`. Each queue takes events of every
 * type, and the queues are on three event nodes.
 */
export class EventAudience {
  readonly all: MessageFixture;
  readonly people: Readonly<Record<Who, TestAccount>>;
  readonly queues: FencedQueues<Who>;
  readonly streamIds: Readonly<Record<'social' | 'closed', number>>;

  static async start(): Promise<EventAudience> {
    const all = await startMessageFixture({
      events: 3,
      messages: 1,
      subscriptions: 1,
      people: 1,
      presence: 1,
    });
    const { organization, ann, bob, cat } = all;
    const people: Record<Who, TestAccount> = {
      admin: ann,
      bob,
      cat,
      out: await organization.makeAccount('Olga Out'),
      'guest in': all.guest,
      'guest out': await organization.makeAccount('Gil Guest', { role: 'guest' }),
      bot: all.bot,
      'bot in': await organization.makeAccount('Inner Bot', { botType: 1, owner: bob }),
      'admin bot': await organization.makeAccount('Chief Bot', {
        botType: 1,
        owner: ann,
        role: 'administrator',
      }),
    };
    const inside = [people.admin, bob, cat, people['guest in'], people['bot in']];
    const social = await organization.makeStream('social', inside);
    const closed = await organization.makeStream('closed', inside, { inviteOnly: true });
    await organization.makeStream('fences', Object.values(people));
    const queues = await FencedQueues.open(people, undefined, (content) =>
      ann.client.sendToStream('fences', 'x', content),
    );
    return new EventAudience(all, people, queues, { social: social.id, closed: closed.id });
  }

  private constructor(
    all: MessageFixture,
    people: Readonly<Record<Who, TestAccount>>,
    queues: FencedQueues<Who>,
    streamIds: Readonly<Record<'social' | 'closed', number>>,
  ) {
    this.all = all;
    this.people = people;
    this.queues = queues;
    this.streamIds = streamIds;
  }

  get cluster(): Cluster {
    return this.all.cluster;
  }

  id(who: Who): number {
    return this.people[who].id;
  }

  email(who: Who): string {
    return this.people[who].email;
  }

  client(who: Who): TestAccount['client'] {
    return this.people[who].client;
  }

  /** Waits until this many log entries have an event of a type that is sent some time after the answer. */
  async waitForLogged(type: string, count: number): Promise<void> {
    await waitUntil(`${count} entries of ${type}`, async () => {
      const { rows } = await this.all.pool.query<{ entries: number }>({
        text: `SELECT count(*) AS entries FROM log_entries WHERE strpos(payload, '"type":"' || $1 || '"') > 0`,
        values: [type],
      });
      return (rows[0]?.entries ?? 0) >= count || undefined;
    });
  }

  /** Sends a form with a picture. */
  async sendPicture(
    who: Who,
    path: string,
    fields: Readonly<Record<string, string>> = {},
    method = 'POST',
  ): Promise<JsonObject> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(await drawDefaultAvatar(100))]), 'picture.png');
    const { email, apiKey } = this.people[who];
    const authorization = `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;
    const url = new URL(`/api/v1/${path}`, this.cluster.url);
    const answer = await fetch(url, { method, body: form, headers: { authorization } });
    const body = (await answer.json()) as JsonObject;
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  }

  /** Waits until all side effects of the log are done, including the side effects of those. */
  async settle(): Promise<void> {
    await waitUntil('the notices are sent', async () => {
      const { rows } = await this.all.pool.query<{ isSettled: boolean }>({
        text: `SELECT (SELECT position FROM side_effect_cursor)
              >= (SELECT coalesce(max(position), 0) FROM log_entries WHERE has_side_effects)
            AND NOT EXISTS (SELECT FROM side_effects) AS "isSettled"`,
      });
      return rows[0]?.isSettled === true || undefined;
    });
  }

  /** Discards the events so far, including those of pending notices. */
  async forget(): Promise<void> {
    await this.settle();
    await this.queues.readWithMessages();
  }

  /** Checks that each person got exactly these events since the last check. */
  async expectEvents({ bodies, to }: ExpectedEvents): Promise<void> {
    await this.settle();
    const read = await this.queues.readWithMessages();
    const expected = Object.fromEntries(everybody.map((who): [Who, JsonObject[]] => [who, []]));
    for (const [people, what] of to) {
      for (const who of people) {
        for (const name of what.split(' ')) {
          const body = bodies[name];
          if (body === undefined) throw new Error(`no body is called ${name}`);
          expected[who]?.push(typeof body === 'function' ? body(who) : body);
        }
      }
    }
    expectSame(read, expected);
  }

  async stop(): Promise<void> {
    await this.all.stop();
  }
}

function expectSame(read: unknown, expected: unknown): void {
  expect(read).toStrictEqual(expected);
}
