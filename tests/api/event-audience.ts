/** An organization with people of every kind, and a check that an operation sends exactly the expected events to each, in order. */
import type { Cluster, JsonObject, TestAccount } from '@parley/test-kit';
import { drawDefaultAvatar } from '@parley/files/images';
import { settle } from '@parley/test-kit';
import { beforeEach, expect } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';

import { FencedQueues } from './fenced-queues.ts';
import { startMessageFixture } from './message-fixture.ts';
import type { MessageFixture } from './message-fixture.ts';
import { sendFiles } from './send-form.ts';

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
/** Those in the streams `social` and `closed`. */
export const inside: readonly Who[] = ['admin', 'bob', 'cat', 'guest in', 'bot in'];

export function but(people: readonly Who[], ...left: readonly Who[]): Who[] {
  return people.filter((who) => !left.includes(who));
}

/** An event without its id, or a function that makes it for a receiver. */
export type Body = JsonObject | ((who: Who) => JsonObject);

/** The events that an operation sends to each person: names of bodies, in order. All others get none. */
type ExpectedEvents = {
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
    const all = await startMessageFixture();
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

  /** Sends a form with a picture. */
  async sendPicture(
    who: Who,
    path: string,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<JsonObject> {
    return sendFiles(this.client(who), path, [await drawDefaultAvatar(100)], { fields });
  }

  /** Discards the events so far, including those of pending notices. */
  async forget(): Promise<void> {
    await settle();
    await this.queues.readWithMessages();
  }

  /** Checks that each person got exactly these events since the last check. */
  async expectEvents({ bodies, to }: ExpectedEvents): Promise<void> {
    await settle();
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

/** Starts an organization for the tests of a file; each of them begins without events. */
export function useEventAudience(): EventAudience {
  const all = useFixture(() => EventAudience.start());
  beforeEach(() => all.forget());
  return all;
}
