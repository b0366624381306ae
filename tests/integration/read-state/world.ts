/** The people, streams and conversations that the model's indexes refer to. */
import type { Client } from '@parley/database';

import { privateGroups, streamCount, topicCount, userCount } from './model.ts';

export type World = {
  readonly client: Client;
  readonly users: readonly number[];
  readonly streams: readonly number[];
  readonly conversations: readonly number[];
};

/** Creates them anew, so that no history finds leftovers of another. */
export async function createWorld(client: Client): Promise<World> {
  const ids = async (text: string, values: unknown[]): Promise<number[]> =>
    (await client.query<{ id: number }>({ text, values })).rows.map((row) => row.id);
  await client.query(
    "INSERT INTO realm (id, string_id, name) VALUES (1, '', '') ON CONFLICT DO NOTHING",
  );
  const users = await ids(
    `INSERT INTO users (email, email_folded, full_name, full_name_folded, short_name)
     SELECT u, u, u, u, u FROM (SELECT gen_random_uuid()::text AS u FROM generate_series(1, $1::int)) n RETURNING id`,
    [userCount],
  );
  const streams = await ids(
    `INSERT INTO streams (name, name_folded, email_token)
     SELECT u, u, u FROM (SELECT gen_random_uuid()::text AS u FROM generate_series(1, $1::int)) n RETURNING id`,
    [streamCount],
  );
  const topics = await ids(
    `INSERT INTO conversations (stream_id, topic_folded)
     SELECT s, t::text FROM unnest($1::int[]) WITH ORDINALITY x (s, n), generate_series(0, $2::int) t ORDER BY x.n, t RETURNING id`,
    [streams, topicCount - 1],
  );
  const privates: number[] = [];
  for (const people of privateGroups) {
    const participants = people.map((index) => users[index]);
    const [id] = await ids(
      'INSERT INTO conversations (participant_ids) VALUES ($1::int[]) RETURNING id',
      [participants],
    );
    await client.query(
      'INSERT INTO conversation_participants SELECT u, $2 FROM unnest($1::int[]) u',
      [participants, id],
    );
    privates.push(id ?? 0);
  }
  return { client, users, streams, conversations: [...topics, ...privates] };
}
