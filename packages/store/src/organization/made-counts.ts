/** How much has been made lately, by whom or for whom (owner of `made_counts`; decision 0063). */
import type { Client, Queryable } from '@parley/database';

/** What a transaction makes, in one window of time. */
export type Made = {
  readonly what: string;
  /** Whom it counts for. */
  readonly maker: string;
  /** Windows follow each other from 1970 on, so that all replicas have the same. */
  readonly windowSecs: number;
  readonly made: number;
};

/**
 * Adds what the transaction makes; a transaction that fails adds nothing. Others who count for the same wait until it ends, so this comes
 * after all locks but the log's head.
 *
 * @returns for each, in the given order, how much its window has now, and in how many seconds it ends
 */
export async function countMade(
  client: Client,
  counts: readonly Made[],
): Promise<{ readonly made: number; readonly endsInSecs: number }[]> {
  if (counts.length === 0) return [];
  const { rows } = await client.query<{ n: number; made: number; endsInSecs: number }>({
    name: 'store-count-made',
    // In one order, so that no two transactions wait for each other.
    text: `WITH given AS (
        SELECT g.n, g.what, g.maker, g.made, g.window_secs,
          to_timestamp(floor(extract(epoch FROM parley_now()) / g.window_secs) * g.window_secs) AS window_start
        FROM json_to_recordset($1::json) g (n integer, what text, maker text, made bigint, window_secs integer)
      ), counted AS (
        INSERT INTO made_counts AS c (what, maker, window_secs, window_start, made)
        SELECT what, maker, window_secs, window_start, made FROM given ORDER BY what, maker, window_secs
        ON CONFLICT (what, maker, window_secs, window_start) DO UPDATE SET made = c.made + excluded.made
        RETURNING what, maker, window_secs, window_start, made
      )
      SELECT g.n, c.made, ceil(extract(epoch FROM g.window_start - parley_now()))::integer + g.window_secs AS "endsInSecs"
      FROM given g JOIN counted c USING (what, maker, window_secs, window_start) ORDER BY g.n`,
    values: [
      JSON.stringify(
        counts.map(({ windowSecs, ...count }, n) => ({ n, window_secs: windowSecs, ...count })),
      ),
    ],
  });
  return rows;
}

/** @returns how much a window has now */
export async function readMade(
  db: Queryable,
  { what, maker, windowSecs }: Omit<Made, 'made'>,
): Promise<number> {
  const { rows } = await db.query<{ made: number }>({
    name: 'store-read-made',
    text: `SELECT made FROM made_counts WHERE what = $1 AND maker = $2 AND window_secs = $3
      AND window_start = to_timestamp(floor(extract(epoch FROM parley_now()) / $3) * $3)`,
    values: [what, maker, windowSecs],
  });
  return rows[0]?.made ?? 0;
}

/** Deletes the counts of windows that have ended. */
export async function deleteOldMadeCounts(db: Queryable): Promise<void> {
  await db.query({
    name: 'store-delete-old-made-counts',
    text: 'DELETE FROM made_counts WHERE window_start + make_interval(secs => window_secs) < parley_now()',
  });
}
