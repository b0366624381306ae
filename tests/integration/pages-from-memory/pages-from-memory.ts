/**
 * What services cache of messages equals Postgres (decision 0045). While everything changes, people fetch messages from two
 * services that cache what they have read; afterwards their answers equal a read without any cache.
 */
import { isDeepStrictEqual } from 'node:util';

import { ApiError } from '@parley/api';
import { parseNarrow } from '@parley/api/messages';
import { snapshot } from '@parley/database';
import type { Pool } from '@parley/database';
import { listMessages } from '@parley/store';
import { openTestPool, readObjects, startCluster } from '@parley/test-kit';
import type { Cluster, JsonObject, TestAccount } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { compileNarrow } from '../../../services/messages/src/narrow/compile-narrow.ts';
import { messageJsonWriter } from '../../../services/messages/src/pages/message-json.ts';
import { PageReader } from '../../../services/messages/src/pages/page-reader.ts';
import { SeededRandom } from '../../privacy/seeded-random.ts';
import { seedsOf } from '../../support/seeds.ts';
import { Mutator } from '../state-and-events/mutator.ts';
import { operations } from '../state-and-events/operations.ts';
import { World } from '../state-and-events/world.ts';

const newest = 10_000_000_000_000_000;
const most = 500;

/** Changes that affect messages, which are made as often as all others together. */
const shownChanges = new Set([
  'send a message',
  'edit a message',
  'move messages',
  'delete a message',
  'delete a topic',
  'react',
  'take back a reaction',
  'add a submessage',
  'rename a person',
  'rename oneself',
  'rename a bot',
  'show a picture of oneself',
  'take the picture back',
  'rename a stream',
  'deactivate a stream',
  'open or close a stream',
  'hide or show addresses',
  'change how messages are edited',
]);

type Page = readonly JsonObject[];

type PageOptions = {
  readonly narrow: readonly (readonly [string, string])[];
  readonly apply_markdown: boolean;
  readonly client_gravatar: boolean;
};

function formsOf(world: World): PageOptions[] {
  const narrows = [[], [['stream', world.aStream().name] as const], [['search', 'hello'] as const]];
  return narrows.flatMap((narrow) =>
    [true, false].map((apply) => ({
      narrow,
      apply_markdown: apply,
      client_gravatar: world.random.chance(0.5),
    })),
  );
}

async function fetchPage(account: TestAccount, options: PageOptions): Promise<Page | 'refused'> {
  const page = { anchor: 'newest', num_before: most, num_after: 0 };
  const { status, body } = await account.client.request('GET', 'messages', { ...page, ...options });
  if (status === 400) return 'refused';
  return readObjects(body, 'messages').map(
    ({ match_content: _content, match_subject: _subject, ...message }) => message,
  );
}

/** Reads a page with a reader that has cached nothing yet. */
async function readPlainly(pool: Pool, account: TestAccount, options: PageOptions): Promise<Page> {
  const { list } = await compileNarrow(
    pool,
    account.id,
    parseNarrow(JSON.stringify(options.narrow), 'narrow'),
  );
  const reads = {
    query: pool.query.bind(pool),
    snapshot: <Result>(read: Parameters<typeof snapshot<Result>>[1]) => snapshot(pool, read),
  };
  const { messages, names, flagBitsOf } = await new PageReader().read(
    reads,
    (db) => listMessages(db, list, { anchor: newest, beforeMax: most, fromAnchorMax: 0 }),
    { anchor: newest, texts: options.apply_markdown ? 'rendered' : 'written' },
  );
  if (messages.length === 0) return [];
  const write = messageJsonWriter(names, {
    clientGravatar: options.client_gravatar,
    showEditHistory: true,
  });
  return messages.map(
    (body) => JSON.parse(write(body, { flagBits: flagBitsOf(body) })) as JsonObject,
  );
}

/**
 * Defines the test that services with cached pages answer what Postgres has.
 *
 * @param rounds how often people fetch while everything changes, followed by a comparison of all pages
 */
export function testPagesFromMemory(rounds: number): void {
  describe.each(seedsOf('pages from memory'))('seed %i', (seed) => {
    let cluster: Cluster;
    let world: World;
    let pool: Pool;
    beforeAll(async () => {
      cluster = await startCluster({ messages: 2 });
      world = await World.make(cluster, new SeededRandom(seed));
      pool = openTestPool(cluster.settings.databaseUrl);
    });
    afterAll(async () => {
      await pool?.end();
      await world?.endOrganization();
      await cluster?.stop();
    });

    /** Several people fetch messages while others change them. */
    async function changeAndFetch(mutator: Mutator): Promise<void> {
      let isChanging = true;
      const readers = Object.values(world.readers).map(async (account) => {
        while (isChanging) {
          const answer = await account.client.request('GET', 'messages', {
            anchor: 'newest',
            num_before: most,
            num_after: 0,
            ...world.random.pick(formsOf(world)),
          });
          expect(answer.status).not.toBe(500);
        }
      });
      const shown = operations.filter(({ name }) => shownChanges.has(name));
      const changers = [1, 2].map(async () => {
        for (let n = 0; n < 25; n += 1)
          await mutator.runOne(world.random.pick(world.random.chance(0.5) ? shown : operations));
      });
      try {
        await Promise.all(changers);
      } finally {
        isChanging = false;
      }
      await Promise.all(readers);
    }

    /** A user who does not know the stream of the narrow is refused. */
    async function readOrRefuse(
      account: TestAccount,
      options: PageOptions,
    ): Promise<Page | 'refused'> {
      try {
        return await readPlainly(pool, account, options);
      } catch (error) {
        if (error instanceof ApiError) return 'refused';
        throw error;
      }
    }

    /** The notification bot may still be writing about the changes; then both are read again. */
    async function compare(
      account: TestAccount,
      options: PageOptions,
    ): Promise<{ readonly expected: unknown; readonly answers: readonly unknown[] }> {
      for (;;) {
        const expected = await readOrRefuse(account, options);
        const answers = await Promise.all([1, 2, 3, 4].map(() => fetchPage(account, options)));
        if (isDeepStrictEqual(await readOrRefuse(account, options), expected))
          return { expected, answers };
      }
    }

    test('two services answer what Postgres has, whatever changes', async () => {
      const mutator = new Mutator(world, 1);
      const named = (name: string) => operations.filter((operation) => operation.name === name);
      for (const name of ['create a public stream', 'create a private stream', 'subscribe many'])
        for (let n = 0; n < 3; n += 1)
          for (const operation of named(name)) await mutator.runOne(operation);
      for (let n = 0; n < 30; n += 1)
        for (const operation of named('send a message')) await mutator.runOne(operation);
      for (let round = 0; round < rounds; round += 1) {
        await changeAndFetch(mutator);
        for (const account of Object.values(world.readers))
          for (const options of formsOf(world)) {
            const { expected, answers } = await compare(account, options);
            const what = `seed ${seed}, round ${round}, ${account.user.fullName}, ${JSON.stringify(options)}`;
            expect([what, ...answers]).toEqual([what, ...answers.map(() => expected)]);
          }
      }
      for (const service of cluster.findProcesses('messages')) {
        const all = await service.readMetric('parley_page_messages_total');
        const missed = await service.readMetric('parley_page_messages_missed_total');
        expect(all - missed).toBeGreaterThan(100);
      }
    }, 600_000);
  });
}
