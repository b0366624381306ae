/**
 * Makes the words of messages that a send could not write, or that a release before wrote by other rules (owns `search_backlog`, ranges of ids).
 * The newest come first. Searches find messages by earlier words meanwhile.
 */
import type { Client, Queryable } from '@parley/database';

import { searchWords } from './search-words.ts';

/** Bounded so that nobody who changes a message waits long, and the transaction does not idle long while the words are made. */
const messagesPerStep = 100;
const bytesPerStep = 100_000;

/** @returns how many messages there are at most whose words are to be made */
export async function countSearchBacklog(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ ids: number }>({
    name: 'search-backlog-count',
    text: 'SELECT coalesce(sum(last_id - first_id + 1), 0)::float8 AS ids FROM search_backlog',
  });
  return rows[0]?.ids ?? 0;
}

type Outdated = { readonly id: number; readonly topic: string | null; readonly html: string };

/**
 * Makes the words of some messages, in a transaction of the caller. A message that somebody is changing is left for later, so that
 * nothing waits here.
 *
 * @param below only messages below this id, so that those that were left for later hold up no others
 * @returns how many messages got words, and below which id to go on; undefined if none are left there, or other replicas are at work
 */
export async function renewSearchWords(
  client: Client,
  below: number,
): Promise<{ readonly renewed: number; readonly below: number } | undefined> {
  const { rows: ranges } = await client.query<{ id: number; first_id: number; last_id: number }>({
    name: 'search-backlog-take',
    text: 'SELECT id, first_id, last_id FROM search_backlog WHERE last_id < $1 ORDER BY last_id DESC LIMIT 1 FOR UPDATE SKIP LOCKED',
    values: [below],
  });
  const [range] = ranges;
  if (range === undefined) return undefined;
  const { rows } = await client.query<Outdated>({
    name: 'search-backlog-read',
    text: `WITH listed AS MATERIALIZED (
        SELECT sized.id FROM (
          SELECT m.id, sum(octet_length(m.rendered_content)) OVER (ORDER BY m.id DESC) - octet_length(m.rendered_content) AS bytes_above
          FROM (SELECT n.id, n.rendered_content FROM messages n WHERE n.id BETWEEN $1 AND $2 ORDER BY n.id DESC LIMIT ${messagesPerStep}) m
        ) sized WHERE sized.bytes_above < ${bytesPerStep}
      ), locked AS MATERIALIZED (
        SELECT m.id, m.topic, m.rendered_content FROM messages m WHERE m.id IN (SELECT l.id FROM listed l) FOR NO KEY UPDATE SKIP LOCKED
      )
      SELECT l.id, m.topic, m.rendered_content AS html FROM listed l LEFT JOIN locked m USING (id) ORDER BY l.id`,
    values: [range.first_id, range.last_id],
  });
  const renewed = rows.flatMap(({ id, topic, html }) =>
    topic === null ? [] : [{ id, words: searchWords(topic, html) }],
  );
  await client.query({
    name: 'search-backlog-write',
    text: `UPDATE messages m SET search = message_words_vector(made.words, m.stream_id, m.conversation_id, m.sender_id, m.id)
      FROM unnest($1::bigint[], $2::text[]) AS made (id, words) WHERE m.id = made.id`,
    values: [renewed.map(({ id }) => id), renewed.map(({ words }) => words)],
  });
  const left = rows.flatMap(({ id, topic }) => (topic === null ? [[id, id]] : []));
  const lowest = rows[0]?.id ?? range.first_id;
  if (lowest > range.first_id) left.push([range.first_id, lowest - 1]);
  await client.query({
    name: 'search-backlog-leave',
    text: `WITH taken AS (DELETE FROM search_backlog WHERE id = $1)
      INSERT INTO search_backlog (first_id, last_id) SELECT * FROM unnest($2::bigint[], $3::bigint[])`,
    values: [range.id, left.map(([first]) => first), left.map(([, last]) => last)],
  });
  return { renewed: renewed.length, below: lowest };
}

/** What Postgres' parser does not take for the letter that it is. */
const otherPunctuation = /[^\p{L}\p{M}\p{N}\0-\x7f]|[<>&\0]/gu;

/**
 * @param folded from `foldWords`
 * @returns the words by which the release before looks for a query; none while all messages have their words
 */
export async function readEarlierWords(db: Queryable, folded: string): Promise<readonly string[]> {
  const { rows } = await db.query<{ words: string[] }>({
    name: 'search-earlier-words',
    text: `SELECT tsvector_to_array(to_tsvector('english', $1)) AS words WHERE EXISTS (SELECT FROM search_backlog)`,
    values: [folded.replaceAll(otherPunctuation, ' ')],
  });
  return (rows[0]?.words ?? []).filter((word) => !/^[a-z]$/.test(word));
}
