/** Memberships and streams in real SQL: periods as of a position, colours, names and traffic. */
import { systemClock } from '@parley/clock';
import { transaction } from '@parley/database';
import type { Client, Pool } from '@parley/database';
import { deriveKeySecrets } from '@parley/auth/secrets';
import {
  StreamTraffic,
  closeAccountMemberships,
  closeStreamMemberships,
  createStream,
  createUser,
  deactivateStreams,
  findOccupiedStreams,
  findStreamById,
  isMember,
  listMembers,
  membersAsOf,
  membershipPeriodsOf,
  openAccountMemberships,
  streamColors,
  subscribe,
  unsubscribe,
} from '@parley/store';
import type { Stream } from '@parley/store';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const secrets = deriveKeySecrets('k'.repeat(32));
let database: TestDatabase;
let pool: Pool;
let nextPosition = 1;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, 2);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** A change at the next position; the newest message's id is a hundred times the position. */
async function makeChange(client: Client): Promise<{ changeId: number; position: number }> {
  const position = nextPosition;
  nextPosition += 1;
  await client.query({
    text: 'INSERT INTO changes (id, position, message_id) VALUES ($1::bigint, $1::bigint, $1::bigint * 100)',
    values: [position],
  });
  return { changeId: position, position };
}

async function makeUsers(client: Client, count: number): Promise<number[]> {
  const { changeId, position } = await makeChange(client);
  const ids: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const { user } = await createUser(
      client,
      secrets,
      { email: `user${position}-${n}@example.com`, fullName: `User ${n}` },
      changeId,
    );
    ids.push(user.id);
  }
  return ids;
}

async function makeStream(client: Client, name: string): Promise<Stream> {
  const stream = await createStream(client, { name, creatorId: null });
  if (stream === undefined) throw new Error(`the name ${name} is taken`);
  return stream;
}

test('members as of a position follow joins, leaves, deactivation and reactivation', async () => {
  await transaction(pool, async (client) => {
    const [ann = 0, bob = 0, cat = 0] = await makeUsers(client, 3);
    const { id: streamId } = await makeStream(client, 'follow');
    const joined = await makeChange(client);
    await subscribe(client, { userIds: [ann, bob, cat, bob], streamId, changeId: joined.changeId });
    const left = await makeChange(client);
    expect(
      await unsubscribe(client, { userIds: [bob], streamIds: [streamId], changeId: left.changeId }),
    ).toEqual([{ userId: bob, streamId }]);
    const closed = await makeChange(client);
    await closeAccountMemberships(client, [cat, bob], closed.changeId);
    expect(await listMembers(client, [streamId])).toEqual(new Map([[streamId, [ann]]]));
    const opened = await makeChange(client);
    // Bob had left before, so his membership does not return.
    await openAccountMemberships(client, bob, opened.changeId);
    await openAccountMemberships(client, cat, opened.changeId);
    const ended = await makeChange(client);
    await closeStreamMemberships(client, [streamId], ended.changeId);
    expect(await findOccupiedStreams(client, [streamId])).toEqual(new Set());
    expect(await isMember(client, ann, streamId)).toBe(false);
    const asOf = (position: number): Promise<number[]> => membersAsOf(client, streamId, position);
    expect(await asOf(joined.position - 1)).toEqual([]);
    expect(await asOf(joined.position)).toEqual([ann, bob, cat]);
    expect(await asOf(left.position)).toEqual([ann, cat]);
    expect(await asOf(closed.position)).toEqual([ann]);
    expect(await asOf(opened.position)).toEqual([ann, cat]);
    expect(await asOf(ended.position)).toEqual([]);
    expect(await membershipPeriodsOf(client, [bob])).toEqual([
      {
        userId: bob,
        streamId,
        fromPosition: joined.position,
        fromMessageId: joined.position * 100,
        untilPosition: left.position,
        untilMessageId: left.position * 100,
      },
    ]);
  });
});

test('colours are the first unused one, then repeat', async () => {
  await transaction(pool, async (client) => {
    const [ann = 0] = await makeUsers(client, 1);
    const { changeId } = await makeChange(client);
    const colors: (string | undefined)[] = [];
    const join = async (streamId: number, color?: string): Promise<void> => {
      const [member] = await subscribe(client, { userIds: [ann], streamId, color, changeId });
      colors.push(member?.color);
    };
    const streams: Stream[] = [];
    for (let n = 0; n < streamColors.length + 2; n += 1)
      streams.push(await makeStream(client, `colour ${n}`));
    for (const stream of streams) await join(stream.id);
    expect(colors).toEqual([...streamColors, streamColors[0], streamColors[1]]);
    const again = await makeChange(client);
    const fifth = streams[4]?.id ?? 0;
    await unsubscribe(client, { userIds: [ann], streamIds: [fifth], changeId: again.changeId });
    await join((await makeStream(client, 'colour free')).id);
    expect(colors.at(-1)).toBe(streamColors[4]);
    await join((await makeStream(client, 'colour asked')).id, '#123456');
    expect(colors.at(-1)).toBe('#123456');
  });
});

test('a deactivated stream frees its name, and long names stay unique', async () => {
  await transaction(pool, async (client) => {
    const names: (string | undefined)[] = [];
    for (let n = 0; n < 3; n += 1) {
      const stream = await makeStream(client, 'x'.repeat(60));
      await deactivateStreams(client, [stream]);
      names.push((await findStreamById(client, stream.id))?.name);
    }
    const tail = 'x'.repeat(47);
    expect(names).toEqual([
      `!DEACTIVATED:${tail}`,
      `!!DEACTIVATED:${tail.slice(1)}`,
      `!!!DEACTIVATED:${tail.slice(2)}`,
    ]);
  });
});

test('traffic counts the messages of 28 days, across gaps in ids', async () => {
  await transaction(pool, async (client) => {
    const rows = [
      [1, 40],
      [2, 29],
      [10_000_003, 27],
      [10_000_004, 0],
    ];
    expect(await new StreamTraffic(systemClock).counts(client)).toEqual(new Map());
    for (const [id, days] of rows) {
      await client.query({
        text: `INSERT INTO messages (id, position, sender_id, stream_id, conversation_id, read_conversation_id, recipient_id,
            topic, content, rendered_content, client, sent_at, search)
          VALUES ($1, $1, 1, 77, 1, 1, 1, 't', 'c', 'c', 'test', parley_now() - make_interval(days => $2), '')`,
        values: [id, days],
      });
    }
    expect(await new StreamTraffic(systemClock).counts(client)).toEqual(new Map([[77, 2]]));
  });
});
