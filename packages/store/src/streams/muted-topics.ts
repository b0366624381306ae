import { foldName } from '@parley/api';
import type { Queryable } from '@parley/database';

import { getsStreamEventsSql } from '../visibility/visibility-sql.ts';

/** Topics that people have muted (owner of `muted_topics`; reference facts, streams 7). */

/**
 * @returns `[stream name, topic]` pairs, oldest mute first, with the topic in the case of the mute request. Streams are excluded whose
 *   events the person no longer gets, because their names may have changed since
 */
export async function listMutedTopics(
  db: Queryable,
  userId: number,
): Promise<[streamName: string, topic: string][]> {
  const { rows } = await db.query<{ name: string; topic: string }>({
    name: 'store-list-muted-topics',
    text: `SELECT s.name, t.topic FROM muted_topics t JOIN streams s ON s.id = t.stream_id JOIN users u ON u.id = t.user_id
      WHERE t.user_id = $1 AND NOT s.is_deactivated AND ${getsStreamEventsSql('s', 'u')}
      ORDER BY t.muted_at, s.id, t.topic_folded`,
    values: [userId],
  });
  return rows.map((row) => [row.name, row.topic]);
}

/** Keeps the names of the streams of a person's muted topics until the transaction ends. */
export async function holdMutedStreamNames(db: Queryable, userId: number): Promise<void> {
  await db.query({
    text: `SELECT s.id FROM streams s WHERE s.id IN (SELECT t.stream_id FROM muted_topics t WHERE t.user_id = $1)
      ORDER BY s.id FOR KEY SHARE`,
    values: [userId],
  });
}

/**
 * Mutes a topic, after all others of the person, whom the caller has locked.
 *
 * @returns false if the topic, in any letter case, was muted already
 */
export async function muteTopic(
  db: Queryable,
  userId: number,
  streamId: number,
  topic: string,
): Promise<boolean> {
  const { rowCount } = await db.query({
    text: `INSERT INTO muted_topics (user_id, stream_id, topic_folded, topic, muted_at) VALUES ($1, $2, $3, $4,
        greatest(parley_now(), (SELECT max(t.muted_at) FROM muted_topics t WHERE t.user_id = $1) + interval '1 microsecond'))
      ON CONFLICT DO NOTHING`,
    values: [userId, streamId, foldName(topic), topic],
  });
  return rowCount === 1;
}

/**
 * Deletes mutes in a stream, locked by the caller, for everybody who no longer gets its events: their clients have removed the mutes with
 * the stream, and would get no event about them if the users saw the stream again.
 */
export async function forgetMutedTopics(db: Queryable, streamId: number): Promise<void> {
  await db.query({
    text: `DELETE FROM muted_topics t USING streams s, users u
      WHERE t.stream_id = $1 AND s.id = t.stream_id AND u.id = t.user_id AND NOT ${getsStreamEventsSql('s', 'u')}`,
    values: [streamId],
  });
}

/** @returns how many topics a person, whom the caller has locked, has muted */
export async function countMutedTopics(db: Queryable, userId: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    text: 'SELECT count(*)::int AS count FROM muted_topics WHERE user_id = $1',
    values: [userId],
  });
  return rows[0]?.count ?? 0;
}

/** @returns false if the topic was not muted */
export async function unmuteTopic(
  db: Queryable,
  userId: number,
  streamId: number,
  topic: string,
): Promise<boolean> {
  const { rowCount } = await db.query({
    text: 'DELETE FROM muted_topics WHERE user_id = $1 AND stream_id = $2 AND topic_folded = $3',
    values: [userId, streamId, foldName(topic)],
  });
  return rowCount === 1;
}
