/** The rows that are stored under the key secret, during its replacement. */
import { connectMaker } from '@parley/demo';
import type { ConnectedMaker } from '@parley/demo';
import { transaction } from '@parley/database';
import type { Queryable } from '@parley/database';
import { deriveKeySecrets } from '@parley/auth/secrets';
import {
  claimMail,
  countStoredSecrets,
  findAccountsByKeys,
  findApiKeys,
  findBotServices,
  insertInvitation,
  insertMail,
  listDueMails,
  listInvitations,
  renewStoredSecrets,
  setApiKey,
  setBotService,
} from '@parley/store';
import { getPushKeys } from '@parley/store/notifications';
import type { BotService, KeyAccount } from '@parley/store';
import { createRedisPrefix, createTestDatabase, getTestStores } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const pushKeys = { publicKey: 'a public key', privateKey: 'a private key' } as const;
const [firstText, secondText] = ['first-'.padEnd(40, 'x'), 'second-'.padEnd(40, 'y')];
const first = deriveKeySecrets(firstText);
const second = deriveKeySecrets(secondText);
/** The secrets of a process before and after it switches. */
const firstWithSecond = deriveKeySecrets(firstText, secondText);
const secondWithFirst = deriveKeySecrets(secondText, firstText);

/** Of the kinds of which there is one. */
const allPrevious = { current: 0, previous: 1, unreadable: [] };
const allCurrent = { current: 1, previous: 0, unreadable: [] };

/** More than two batches. */
const peopleCount = 1_100;

let database: TestDatabase;
let connected: ConnectedMaker;
const keys = new Map<number, string>();
let services: readonly BotService[];

beforeAll(async () => {
  database = await createTestDatabase();
  connected = connectMaker({
    databaseUrl: database.url,
    redisUrl: getTestStores().redisUrl,
    redisPrefix: createRedisPrefix(),
    keySecret: firstText,
  });
  const { maker } = connected;
  await maker.makeRealm({ name: 'Example', stringId: 'example' });
  const made = await maker.makeAccounts(
    Array.from({ length: peopleCount }, (_, n) => ({
      email: `person${n}@example.com`,
      fullName: `Person ${n}`,
    })),
  );
  for (const { user, apiKey } of made) keys.set(user.id, apiKey);
  const ids = [...keys.keys()];
  services = ids.slice(0, 3).map((botId, n) => ({
    botId,
    name: `service ${n}`,
    baseUrl: 'https://hooks.example/in',
    interface: 1,
    token: n === 2 ? null : `token ${n}`,
    config: n === 1 ? {} : { word: `configuration ${n}` },
  }));
  for (const service of services) await setBotService(maker.pool, first, service);
  await transaction(maker.pool, async (client) => {
    const invited = {
      inviterId: ids[0] ?? 0,
      role: 'member',
      streamIds: [],
      usesMax: null,
    } as const;
    for (const by of [{ link: 'a link' }, { email: 'invited@example.com' }])
      await insertInvitation(client, first, { ...invited, validSecs: 600, by });
    await insertMail(client, first, {
      kind: 'test',
      recipient: 'invited@example.com',
      letter: 'a letter',
      expiresInSecs: 600,
    });
  });
  await getPushKeys(connected.maker.pool, first, () => pushKeys);
});
afterAll(async () => {
  await connected.close();
  await database.drop();
});

const pool = (): Queryable => connected.maker.pool;
const someIds = (): number[] => [...keys.keys()].filter((_, n) => n % 100 === 0);

async function findAccount(secrets: typeof first, key: string): Promise<KeyAccount | undefined> {
  return (await findAccountsByKeys(pool(), secrets, [key])).get(key);
}

async function expectAllRead(secrets: typeof first): Promise<void> {
  expect(await findApiKeys(pool(), secrets, [...keys.keys()])).toEqual(keys);
  for (const userId of someIds())
    expect(await findAccount(secrets, keys.get(userId) ?? '')).toMatchObject({
      userId,
    });
  const found = await findBotServices(
    pool(),
    secrets,
    services.map(({ botId }) => botId),
  );
  expect([...found.values()].toSorted((a, b) => a.botId - b.botId)).toEqual(services);
  expect((await listInvitations(pool(), secrets, 2)).map(({ link }) => link)).toEqual([
    'a link',
    undefined,
  ]);
  const [mailId = 0] = await listDueMails(pool(), 'other', 1);
  expect(await claimMail(pool(), secrets, mailId, 0)).toMatchObject({ letter: 'a letter' });
  const drawNone = (): never => {
    throw new Error('the keys for push services are lost');
  };
  expect(await getPushKeys(connected.maker.pool, secrets, drawNone)).toEqual(pushKeys);
}

async function changeKeys(secrets: typeof first, userIds: readonly number[]): Promise<void> {
  for (const userId of userIds) keys.set(userId, await setApiKey(pool(), secrets, userId));
}

test("both configurations of a rolling deploy read each other's data, and no other does", async () => {
  await changeKeys(secondWithFirst, someIds().slice(0, 3));
  await changeKeys(firstWithSecond, someIds().slice(3, 6));
  await expectAllRead(firstWithSecond);
  await expectAllRead(secondWithFirst);
  const switched = keys.get(someIds()[0] ?? 0) ?? '';
  expect(await findAccount(first, switched)).toBeUndefined();
  expect(await findAccount(secondWithFirst, 'x'.repeat(32))).toBeUndefined();
  expect(await countStoredSecrets(pool(), secondWithFirst)).toEqual({
    api_keys: { current: 3, previous: peopleCount - 3, unreadable: [] },
    bot_services: { current: 0, previous: 3, unreadable: [] },
    invitations: allPrevious,
    mails: allPrevious,
    push_keys: allPrevious,
  });
});

test('a key is found by its index, with one secret and with two', async () => {
  await pool().query({ text: 'ANALYZE api_keys' });
  for (const hashes of [[Buffer.alloc(32)], [Buffer.alloc(32), Buffer.alloc(32, 1)]]) {
    const { rows } = await pool().query<{ 'QUERY PLAN': string }>({
      text: 'EXPLAIN SELECT user_id FROM api_keys k WHERE k.key_hash = ANY ($1::bytea[])',
      values: [hashes],
    });
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/api_keys_key_hash_key/);
    expect(plan).not.toMatch(/Seq Scan/);
  }
});

test('an interrupted run keeps its progress, and rows that neither secret opens are reported', async () => {
  const abort = new AbortController();
  const stoppedAfterABatch: Queryable = {
    query: async (query: never) => {
      const result = await pool().query(query);
      if ((query as { text: string }).text.startsWith('UPDATE')) abort.abort();
      return result as never;
    },
  } as Queryable;
  await expect(
    renewStoredSecrets(stoppedAfterABatch, secondWithFirst, abort.signal),
  ).rejects.toThrow(/abort/);
  const counts = await countStoredSecrets(pool(), secondWithFirst);
  expect(counts.api_keys.current).toBeGreaterThan(3);
  expect(counts.api_keys.previous).toBeGreaterThan(0);
  await expectAllRead(firstWithSecond);

  const ids = [...keys.keys()];
  const lost = ids.at(-1) ?? 0;
  const lostBot = services[1]?.botId ?? 0;
  const stranger = deriveKeySecrets('stranger'.repeat(5));
  await setApiKey(pool(), stranger, lost);
  await setBotService(pool(), stranger, services[1] as BotService);
  const { found } = await renewStoredSecrets(pool(), secondWithFirst);
  expect(found).toEqual({
    api_keys: { current: peopleCount - 1, previous: 0, unreadable: [lost] },
    bot_services: { current: 2, previous: 0, unreadable: [lostBot] },
    invitations: allCurrent,
    mails: allCurrent,
    push_keys: allCurrent,
  });
  await changeKeys(second, [lost]);
  await setBotService(pool(), second, services[1] as BotService);
  await expectAllRead(second);
});

test('keys that change during the run keep the change', async () => {
  // Back to the first secret, which is a replacement like any other.
  let changes = 0;
  const changing: Queryable = {
    query: async (query: never) => {
      // Between reading and writing a batch: the walk must notice the changed rows and leave them.
      if ((query as { text: string }).text.startsWith('UPDATE') && changes < 3) {
        const writer = [firstWithSecond, secondWithFirst, first][changes];
        changes += 1;
        await changeKeys(writer ?? first, someIds());
      }
      return (await pool().query(query)) as never;
    },
  } as Queryable;
  const { found } = await renewStoredSecrets(changing, firstWithSecond);
  expect(changes).toBe(3);
  expect(found).toEqual({
    api_keys: { current: peopleCount, previous: 0, unreadable: [] },
    bot_services: { current: 3, previous: 0, unreadable: [] },
    invitations: allCurrent,
    mails: allCurrent,
    push_keys: allCurrent,
  });
  await expectAllRead(first);
});

test('a second run changes nothing, and reports if the previous secret is not needed', async () => {
  for (const secrets of [firstWithSecond, first])
    expect(await renewStoredSecrets(pool(), secrets)).toEqual({
      renewed: 0,
      found: {
        api_keys: { current: peopleCount, previous: 0, unreadable: [] },
        bot_services: { current: 3, previous: 0, unreadable: [] },
        invitations: allCurrent,
        mails: allCurrent,
        push_keys: allCurrent,
      },
    });
});
