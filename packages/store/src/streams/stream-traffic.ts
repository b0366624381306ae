import type { Clock } from '@parley/clock';
import type { Queryable } from '@parley/database';

/** Reference facts, streams 3.3. */
const trafficDays = 28;

const freshMs = 300_000;

/**
 * Messages per stream in the last 28 days. The shown number is rounded to two digits, and counting reads all messages of that time. So a
 * process counts at most once per five minutes and answers from that count; events do not update it.
 */
export class StreamTraffic {
  readonly #clock: Clock;
  #counted: Promise<ReadonlyMap<number, number>> | undefined;
  #countedAtMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns messages of the last 28 days by stream id; streams without messages are absent */
  async counts(db: Queryable): Promise<ReadonlyMap<number, number>> {
    const nowMs = this.#clock.elapsedMs();
    if (this.#counted === undefined || nowMs - this.#countedAtMs > freshMs) {
      this.#countedAtMs = nowMs;
      const counting = countRecentMessages(db);
      this.#counted = counting;
      counting.catch(() => {
        this.#counted = undefined;
      });
    }
    return this.#counted;
  }
}

/**
 * Ids grow with time, so the first message of the last 28 days is found by bisection over the primary key, with about thirty look-ups and
 * without an index on the time.
 */
async function countRecentMessages(db: Queryable): Promise<ReadonlyMap<number, number>> {
  const { rows } = await db.query<{ streamId: number; messages: number }>({
    name: 'store-count-recent-messages',
    text: `WITH RECURSIVE bisection (low, high) AS (
        SELECT coalesce(min(id), 0) - 1, coalesce(max(id), 0) + 1 FROM messages
        UNION ALL
        SELECT CASE WHEN older THEN middle ELSE low END, CASE WHEN older THEN high ELSE middle END
        FROM (SELECT b.low, b.high, (b.low + b.high) / 2 AS middle,
            (SELECT m.sent_at < parley_now() - make_interval(days => $1) FROM messages m
             WHERE m.id >= (b.low + b.high) / 2 ORDER BY m.id LIMIT 1) AS older
          FROM bisection b WHERE b.high - b.low > 1) step
      )
      SELECT m.stream_id AS "streamId", count(*) AS messages FROM messages m
      WHERE m.id > (SELECT max(low) FROM bisection) AND m.stream_id IS NOT NULL GROUP BY m.stream_id`,
    values: [trafficDays],
  });
  return new Map(rows.map((row) => [row.streamId, row.messages]));
}
