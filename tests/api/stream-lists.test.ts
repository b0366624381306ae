/** The lists of streams in register and the later events agree, for everybody and after every change (architecture, Queues). */
import { isDeepStrictEqual } from 'node:util';

import { RefusedRequest, readObjects } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { SeededRandom } from '../privacy/seeded-random.ts';
import { useFixture } from '../support/use-fixture.ts';
import { refusalOf } from './message-fixture.ts';
import { StreamFixture } from './stream-fixture.ts';
import type { Name } from './stream-fixture.ts';
import { StreamLists } from './stream-lists.ts';

const all = useFixture(() => StreamFixture.start(undefined, { people: 1 }));

const watchers = ['ann', 'bob', 'cat', 'guest', 'bot'] as const;

async function register(who: Name): Promise<JsonObject> {
  return all.people[who].client.post('register', {
    fetch_event_types: ['stream', 'subscription'],
    event_types: ['stream', 'subscription'],
    include_subscribers: true,
  });
}

type Queue = {
  readonly who: Name;
  readonly id: unknown;
  last: number;
  readonly lists: StreamLists;
};

/** A client of each watcher, from register on. */
class Watch {
  readonly #queues: Queue[] = [];

  static async start(): Promise<Watch> {
    const watch = new Watch();
    for (const who of watchers) {
      const state = await register(who);
      const { id } = all.people[who];
      const role = who === 'ann' ? 'administrator' : who === 'guest' ? 'guest' : 'member';
      watch.#queues.push({
        who,
        id: state['queue_id'],
        last: state['last_event_id'] as number,
        lists: new StreamLists({ id, role }, state),
      });
    }
    return watch;
  }

  /**
   * Applies the new events, and compares the state with that of clients that register now.
   *
   * @returns the differences
   */
  async differences(): Promise<readonly Difference[]> {
    const found = await Promise.all(this.#queues.map((queue) => differencesOf(queue)));
    return found.flat();
  }
}

type Difference = { readonly who: Name; readonly kept: unknown; readonly registered: unknown };

async function differencesOf(queue: Queue): Promise<Difference[]> {
  const { who, lists } = queue;
  const answer = await all.people[who].client.get('events', {
    queue_id: queue.id,
    last_event_id: queue.last,
    dont_block: true,
  });
  for (const event of readObjects(answer, 'events')) {
    queue.last = event['id'] as number;
    try {
      lists.apply(event);
    } catch (error) {
      throw new Error(`${who} cannot apply ${JSON.stringify(event)}`, { cause: error });
    }
  }
  const kept = lists.seen();
  const registered = new StreamLists(lists.account, await register(who)).seen();
  return isDeepStrictEqual(kept, registered) ? [] : [{ who, kept, registered }];
}

const emails = (...names: readonly Name[]): { principals: string[] } => ({
  principals: names.map((name) => all.people[name].email),
});

/** Makes a request that may be refused because of an earlier change, but must not fail. */
async function attempt(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.status >= 500) throw error;
  }
}

const change = async (name: string, parameters: JsonObject): Promise<JsonObject> =>
  all.people.ann.client.patch(`streams/${await all.streamId(name)}`, parameters);

test('users who lose or gain sight of a stream get an event, without its earlier data', async () => {
  const { bob, ann } = all.people;
  await all.join('bob', ['opened'], { invite_only: true, ...emails('ann', 'bob', 'cat', 'guest') });
  await all.leave('cat', ['opened']);
  const watch = await Watch.start();
  await all.queues.read();
  await change('opened', { is_private: false, new_name: 'open', description: 'new' });
  expect(await watch.differences()).toEqual([]);
  const events = await all.queues.read();
  const kinds = (who: Name): unknown =>
    events[who]?.map(({ op, property }) => (op === 'update' ? property : op));
  const expected = ['description', 'email_address', 'name', 'invite_only'];
  expect(kinds('ann')).toEqual(expected);
  expect(kinds('bob')).toEqual(expected);
  const members = ['peer_add', 'peer_add', 'peer_add'];
  expect(kinds('cat')).toEqual(['email_address', 'name', 'invite_only', 'description', ...members]);
  expect(kinds('dan')).toEqual(['create', 'invite_only', ...members]);
  expect(JSON.stringify(events.dan)).not.toContain('opened');
  expect(events.dan?.slice(2).map(({ user_id }) => user_id)).toEqual(
    [ann.id, bob.id, all.people.guest.id].toSorted((a, b) => a - b),
  );
  await change('open', { is_private: true, description: 'secret', new_name: 'closed' });
  expect(await watch.differences()).toEqual([]);
  const closing = await all.queues.read();
  expect(closing.dan).toMatchObject([
    { type: 'stream', op: 'delete', streams: [{ name: 'open', description: 'new' }] },
  ]);
  expect(JSON.stringify(closing.dan)).not.toMatch(/secret|closed/);
  expect(JSON.stringify(closing.cat)).not.toContain('secret');
});

test('the end of a private stream also reaches former members', async () => {
  await all.join('bob', ['brief'], { invite_only: true, ...emails('bob', 'cat', 'guest') });
  await all.leave('ann', ['brief'], emails('cat', 'guest'));
  const watch = await Watch.start();
  await change('brief', { new_name: 'short', is_announcement_only: true, description: 'secret' });
  expect(await watch.differences()).toEqual([]);
  await all.queues.read();
  await all.leave('bob', ['short']);
  expect(await watch.differences()).toEqual([]);
  const { cat } = await all.queues.read();
  expect(cat).toMatchObject([{ op: 'delete', streams: [{ name: 'short', description: '' }] }]);
});

test('users who are removed together, and guests of public streams, know the remaining subscribers', async () => {
  const everybody = emails('ann', 'bob', 'cat', 'dan', 'guest', 'bot');
  await all.join('bob', ['crowd'], everybody);
  await all.join('bob', ['cellar'], { invite_only: true, ...everybody });
  const watch = await Watch.start();
  await all.leave('ann', ['crowd', 'cellar'], emails('ann', 'cat', 'guest', 'bot'));
  expect(await watch.differences()).toEqual([]);
  await all.join('bob', ['crowd'], emails('guest', 'cat'));
  expect(await watch.differences()).toEqual([]);
  await all.leave('cat', ['crowd']);
  expect(await watch.differences()).toEqual([]);
});

test('reactivated accounts return to the lists of subscribers', async () => {
  const { ann, dan } = all.people;
  await all.join('bob', ['regulars'], emails('bob', 'cat', 'dan', 'guest'));
  const watch = await Watch.start();
  await ann.client.delete(`users/${dan.id}`);
  expect(await watch.differences()).toEqual([]);
  await ann.client.post(`users/${dan.id}/reactivate`);
  expect(await watch.differences()).toEqual([]);
});

test('a bot has no streams of a deactivated owner', async () => {
  const { ann, bob, bot } = all.people;
  await all.join('bob', ['former'], { invite_only: true });
  const ownersStreams = async (): Promise<unknown[]> => {
    const answer = await bot.client.get('streams', {
      include_public: false,
      include_owner_subscribed: true,
    });
    return readObjects(answer, 'streams').map(({ name }) => name);
  };
  const send = (): Promise<unknown> => bot.client.sendToStream('former', 'x', 'still here');
  expect(await ownersStreams()).toContain('former');
  await send();
  await ann.client.delete(`users/${bob.id}`);
  await ann.client.post(`users/${bot.id}/reactivate`);
  try {
    expect(await ownersStreams()).not.toContain('former');
    expect(await refusalOf(send())).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST' });
  } finally {
    await ann.client.post(`users/${bob.id}/reactivate`);
  }
  expect(await ownersStreams()).toContain('former');
  await send();
});

test('after any changes the lists equal those of a new client', async () => {
  const random = new SeededRandom(20_260);
  const names = ['red', 'green', 'blue'];
  const people = ['ann', 'bob', 'cat', 'dan', 'guest', 'bot'] as const;
  const some = (): Name[] => people.filter(() => random.below(3) === 0);
  const acts: ((name: string) => Promise<unknown>)[] = [
    (name) => all.join('bob', [name], { invite_only: random.below(2) === 0 }),
    (name) => all.join('cat', [name]),
    (name) => all.join('bob', [name], emails(...some())),
    (name) => all.join('ann', [name, ...names.slice(0, 1)], emails(...some())),
    (name) => all.leave('bob', [name]),
    (name) => all.leave('guest', [name]),
    (name) => all.leave('ann', [name], emails(...some())),
    () => all.leave('ann', names, emails(...some())),
    (name) => change(name, { is_private: random.below(2) === 0 }),
    (name) => change(name, { is_private: true, description: `d${random.below(9)}` }),
    (name) => change(name, { is_private: false, is_announcement_only: random.below(2) === 0 }),
    async (name) => {
      await change(name, { new_name: `${name}s`, description: `e${random.below(9)}` });
      return change(`${name}s`, { new_name: name });
    },
    async (name) =>
      random.below(4) === 0 && all.people.ann.client.delete(`streams/${await all.streamId(name)}`),
    (name) =>
      all.people.bob.client.patch('users/me/subscriptions', {
        add: [{ name }],
        delete: [names[0]],
      }),
  ];
  await all.join('bob', names);
  const watch = await Watch.start();
  for (let n = 0; n < 24; n += 1) {
    const act = random.below(acts.length);
    const name = names[random.below(names.length)] ?? '';
    if (await all.stream(name)) await attempt(acts[act]?.(name) ?? Promise.resolve());
    else await all.join('bob', [name], { invite_only: random.below(2) === 0 });
    expect(await watch.differences(), `step ${n}, act ${act} on ${name}`).toEqual([]);
  }
});
