/** Drafts: what a person writes on one device is there on all of them, and nobody else's business (decision 0082). */
import { limits } from '@parley/api';
import { readObjects } from '@parley/test-kit';
import type { JsonObject, TestAccount } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { FollowedQueue } from './follow-queue.ts';
import { refusalOf, startMessageFixture } from './message-fixture.ts';

const all = useFixture(() => startMessageFixture({ messages: 2, events: 2, people: 1 }));

const written = {
  type: 'stream',
  to: [1],
  topic: 'oars',
  content: 'Who has the *long* ones?',
  timestamp: 1_700_000_000,
};
const unknown = { status: 400, code: 'BAD_REQUEST', msg: 'Draft does not exist' };

let made = 0;

async function makePerson(): Promise<TestAccount> {
  made += 1;
  return all.organization.makeAccount(`Writer ${made}`);
}

async function add(account: TestAccount, ...drafts: readonly object[]): Promise<number[]> {
  const { ids } = await account.client.post('drafts', { drafts: JSON.stringify(drafts) });
  return ids as number[];
}

const change = (account: TestAccount, id: number, draft: object): Promise<JsonObject> =>
  account.client.patch(`drafts/${id}`, { draft: JSON.stringify(draft) });

async function list(account: TestAccount): Promise<readonly JsonObject[]> {
  const answer = await account.client.get('drafts');
  const drafts = readObjects(answer, 'drafts');
  expect(answer['count']).toBe(drafts.length);
  return drafts;
}

test('drafts are added, changed and deleted, and each change is an event for their author alone', async () => {
  const [author, other] = [await makePerson(), await makePerson()];
  const own = await FollowedQueue.open(author.client, { event_types: ['drafts'] });
  const foreign = await FollowedQueue.open(other.client, { event_types: ['drafts'] });
  const toPeople = { ...written, type: 'private', to: [3, 2], topic: 'x', timestamp: 5 };
  const nowhere = { type: '', to: [9], topic: 'x', content: 'Well', timestamp: 6 };
  const ids = await add(author, written, toPeople, nowhere);
  const [first = 0, second = 0, third = 0] = ids;
  const added = [
    { id: first, ...written },
    { id: second, ...toPeople, topic: '' },
    { id: third, ...nowhere, to: [], topic: '' },
  ];
  expect(await list(author)).toEqual([added[1], added[2], added[0]]);
  const changed = { ...written, content: 'I have them', timestamp: 4 };
  await change(author, first, changed);
  await author.client.delete(`drafts/${second}`);
  expect(await list(author)).toEqual([{ id: first, ...changed }, added[2]]);
  expect(await own.next(3)).toMatchObject([
    { type: 'drafts', op: 'add', drafts: added },
    { type: 'drafts', op: 'update', draft: { id: first, ...changed } },
    { type: 'drafts', op: 'remove', draft_id: second },
  ]);
  expect(await list(other)).toEqual([]);
  expect(await refusalOf(change(other, first, written))).toMatchObject(unknown);
  expect(await refusalOf(other.client.delete(`drafts/${first}`))).toMatchObject(unknown);
  expect(await refusalOf(author.client.delete(`drafts/${second}`))).toMatchObject(unknown);
  expect(await foreign.next(0)).toEqual([]);
  const state = await author.client.post('register', { fetch_event_types: ['drafts'] });
  expect(readObjects(state, 'drafts')).toEqual([{ id: first, ...changed }, added[2]]);
});

test('long texts are cut, and a draft without a time has that of the server', async () => {
  const author = await makePerson();
  const { timestamp: _, ...timeless } = written;
  await add(author, {
    ...timeless,
    topic: 'é'.repeat(limits.topicMaxCodePoints + 1),
    content: '🛶'.repeat(limits.contentMaxCodePoints + 1),
  });
  const [draft] = await list(author);
  expect(draft).toMatchObject({
    topic: 'é'.repeat(limits.topicMaxCodePoints),
    content: '🛶'.repeat(limits.contentMaxCodePoints),
  });
  expect(draft?.['timestamp']).toBeGreaterThan(written.timestamp);
});

test.each([
  ['no stream', { ...written, to: [] }, 'Must specify exactly 1 stream ID for stream messages'],
  [
    'two streams',
    { ...written, to: [1, 2] },
    'Must specify exactly 1 stream ID for stream messages',
  ],
  ['no id', { ...written, to: [-1] }, 'Invalid recipients'],
  ['a number beyond ids', { ...written, to: [2 ** 31] }, 'Invalid recipients'],
  [
    'more people than any conversation',
    { ...written, type: 'private', to: Array.from({ length: 601 }, (__, n) => n) },
    'Too many recipients',
  ],
  ['a time before 1970', { ...written, timestamp: -1 }, 'Timestamp must not be negative.'],
])('a draft for %s is refused', async (_, draft, msg) => {
  const author = await makePerson();
  expect(await refusalOf(add(author, written, draft))).toMatchObject({ status: 400, msg });
  const [id = 0] = await add(author, written);
  expect(await refusalOf(change(author, id, draft))).toMatchObject({ status: 400, msg });
  expect(await list(author)).toEqual([{ id, ...written }]);
});

test('an account has so many drafts, and so many bytes of them', async () => {
  const author = await makePerson();
  const short = Array.from({ length: limits.draftsMax }, () => ({ ...written, content: 'x' }));
  const [id = 0] = await add(author, ...short);
  expect(await refusalOf(add(author, written))).toMatchObject({
    msg: `Too many drafts (limit: ${limits.draftsMax}).`,
  });
  await change(author, id, { ...written, content: 'changed' });
  await author.client.delete(`drafts/${id}`);
  await add(author, written);

  const wordy = await makePerson();
  const long = { ...written, content: '🛶'.repeat(limits.contentMaxCodePoints) };
  const fitting = Math.floor(limits.draftTextsMaxBytes / Buffer.byteLength(long.content));
  let longId = 0;
  for (let n = 0; n < fitting; n += 1) [longId = 0] = await add(wordy, long);
  expect(await refusalOf(add(wordy, long))).toMatchObject({
    msg: `Drafts may have at most ${limits.draftTextsMaxBytes} bytes together.`,
  });
  await wordy.client.delete(`drafts/${longId}`);
  await add(wordy, long);
});

test('whoever does not want it keeps no more drafts on the server, and those that are there', async () => {
  const author = await makePerson();
  const [id = 0] = await add(author, written);
  await author.client.patch('settings/display', { enable_drafts_synchronization: false });
  const disabled = { status: 400, msg: 'User has disabled synchronizing drafts.' };
  expect(await refusalOf(add(author, written))).toMatchObject(disabled);
  expect(await refusalOf(change(author, id, written))).toMatchObject(disabled);
  expect(await refusalOf(author.client.delete(`drafts/${id}`))).toMatchObject(disabled);
  const registered = () => author.client.post('register', { fetch_event_types: ['drafts'] });
  expect(readObjects(await registered(), 'drafts')).toEqual([]);
  await author.client.patch('settings/display', { enable_drafts_synchronization: true });
  expect(readObjects(await registered(), 'drafts')).toEqual([{ id, ...written }]);
});

test('bots have no drafts', async () => {
  expect(await refusalOf(all.bot.client.get('drafts'))).toMatchObject({ status: 400 });
});
