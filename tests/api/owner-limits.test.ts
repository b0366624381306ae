/** Limits on what an owner and the owner's bots have and create: an account's limits do not multiply with its bots. */
import type { Client } from '@parley/database';
import { ApiClient, readObjects, waitUntil } from '@parley/test-kit';
import type { Answer, JsonObject } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey, SmallOrganization } from './small-organization.ts';

const botsMax = 4;
const queuesMax = 6;
const streamsMax = 3;

let organization: SmallOrganization;
beforeAll(async () => {
  organization = await startSmallOrganization({
    events: 2,
    people: 2,
    environment: {
      PARLEY_BOTS_PER_OWNER_MAX: String(botsMax),
      PARLEY_QUEUES_PER_USER_MAX: String(queuesMax),
      PARLEY_BUDGETS_PER_OWNER_MAX: '2',
      PARLEY_NEW_STREAMS_PER_REQUEST_MAX: String(streamsMax),
    },
  });
});
afterAll(() => organization.stop());

const as = (who: PersonKey): ApiClient => organization.client(who);
const refused = (msg: string): object => ({
  status: 400,
  body: { result: 'error', msg, code: 'BAD_REQUEST' },
});
const outcome = async (answer: Promise<Answer>): Promise<object> => {
  const { status, body } = await answer;
  return { status, body };
};
const statusesOf = async (answers: readonly Promise<Answer>[]): Promise<number[]> =>
  (await Promise.all(answers)).map(({ status }) => status).toSorted((a, b) => a - b);

let made = 0;
function createBot(client: ApiClient): Promise<Answer> {
  made += 1;
  return client.request('POST', 'bots', { full_name: `Helper ${made}`, short_name: `h${made}` });
}

describe('active bots of an owner', () => {
  const tooMany = refused(`An owner may have at most ${botsMax} active bots.`);

  test('have a limit, however many are created, reactivated and transferred at once', async () => {
    const { person, bot } = await organization.makePersonWithBot('eve');
    const eve = organization.clientOf(person);
    const activeBots = async (): Promise<number> =>
      readObjects(await eve.get('bots'), 'bots').length;
    const creations = Array.from({ length: 8 }, () => createBot(eve));
    expect(await statusesOf(creations)).toEqual([200, 200, 200, 400, 400, 400, 400, 400]);
    expect(await outcome(createBot(eve))).toEqual(tooMany);
    const reactivate = (): Promise<Answer> =>
      eve.request('POST', `users/${bot.user.id}/reactivate`);
    await eve.delete(`bots/${bot.user.id}`);
    expect((await createBot(eve)).status).toBe(200);
    expect(await outcome(reactivate())).toEqual(tooMany);
    expect(await outcome(as('ann').request('POST', `users/${bot.user.id}/reactivate`))).toEqual(
      tooMany,
    );
    const ofCat = await createBot(as('cat'));
    const give = (): Promise<Answer> =>
      as('cat').request('PATCH', `bots/${String(ofCat.body['user_id'])}`, {
        bot_owner_id: person.user.id,
      });
    expect(await outcome(give())).toEqual(tooMany);
    // Three requests compete for one free place.
    const [first] = readObjects(await eve.get('bots'), 'bots');
    const { members } = await as('ann').get('users');
    const leaving = (members as JsonObject[]).find(({ email }) => email === first?.['username']);
    await eve.delete(`bots/${String(leaving?.['user_id'])}`);
    expect(await statusesOf([reactivate(), createBot(eve), give()])).toEqual([200, 400, 400]);
    expect(await activeBots()).toBe(botsMax);
  });
});

test('waiting changes of one owner leave connections for those of others', async () => {
  const { person } = await organization.makePersonWithBot('fay');
  const fay = organization.clientOf(person);
  const holder: Client = await organization.pool.connect();
  let creations: Promise<Answer>[] = [];
  try {
    // Takes the first lock of the creation of a bot (`isBotNameFree`).
    await holder.query('SELECT pg_advisory_lock(7217003)');
    creations = Array.from({ length: 40 }, () => createBot(fay));
    await waitUntil('some wait for the lock', async () => {
      const { rows } = await organization.pool.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      return (rows[0]?.waiting ?? 0) >= 4;
    });
    for (const name of ['one', 'other'])
      await as('cat').post('users/me/status', { status_text: name });
  } finally {
    await holder.query('SELECT pg_advisory_unlock_all()');
    holder.release();
  }
  const statuses = await statusesOf(creations);
  expect(statuses.filter((status) => status === 200)).toHaveLength(botsMax - 1);
  expect(new Set(statuses)).toEqual(new Set([200, 400]));
});

describe('event queues of an owner and his bots', () => {
  test('have twice the limit of one account, whichever of them registers, and others have their own', async () => {
    const { person, bot } = await organization.makePersonWithBot('dan');
    const dan = organization.clientOf(person);
    const other = await createBot(dan);
    const third = new ApiClient({
      urls: organization.cluster.gatewayUrls,
      email: String(other.body['email']),
      apiKey: String(other.body['api_key']),
    });
    const clients = [dan, organization.clientOf(bot), third];
    const register = (client: ApiClient): Promise<Answer> =>
      client.request('POST', 'register', { fetch_event_types: [] });
    const answers = await statusesOf(Array.from({ length: 5 }, () => clients.map(register)).flat());
    expect(answers.filter((status) => status === 200)).toHaveLength(2 * queuesMax);
    for (const client of clients)
      expect(await outcome(register(client))).toEqual(
        refused(`An owner and his bots may have at most ${2 * queuesMax} event queues together.`),
      );
    expect(await statusesOf(Array.from({ length: queuesMax }, () => register(as('cat'))))).toEqual(
      Array.from({ length: queuesMax }, () => 200),
    );
    expect(await outcome(register(as('cat')))).toEqual(
      refused(`You have as many event queues as one may have (maximum ${queuesMax}).`),
    );
  });
});

describe('streams that one request creates', () => {
  const named = (prefix: string, count: number): { name: string }[] =>
    Array.from({ length: count }, (_, n) => ({ name: `${prefix} ${n}` }));
  const subscribe = (who: PersonKey, subscriptions: object): Promise<Answer> =>
    as(who).request('POST', 'users/me/subscriptions', { subscriptions });

  test('have a limit for members, not counting existing streams; administrators have a larger limit', async () => {
    const tooMany = refused(`One request may create at most ${streamsMax} streams.`);
    expect(await outcome(subscribe('bob', named('pier', streamsMax + 1)))).toEqual(tooMany);
    expect(
      await outcome(
        as('bob').request('PATCH', 'users/me/subscriptions', {
          add: named('pier', streamsMax + 1),
        }),
      ),
    ).toEqual(tooMany);
    const { streams } = await as('ann').get('streams');
    expect(streams).toEqual([]);
    expect((await subscribe('bob', named('pier', streamsMax))).status).toBe(200);
    const withOld = [...named('pier', streamsMax), ...named('quay', streamsMax)];
    expect((await subscribe('cat', withOld)).status).toBe(200);
    expect((await subscribe('bobBot', named('dock', streamsMax + 1))).status).toBe(400);
    expect((await subscribe('ann', named('dock', streamsMax + 1))).status).toBe(200);
  });
});
