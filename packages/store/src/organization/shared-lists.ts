/** How large the lists are that register returns to everybody (decision 0063). */
import type { Client, Queryable } from '@parley/database';

/** The bytes of texts in an answer: quotation marks and control characters take more there than they have. */
function jsonBytesSql(...columns: readonly string[]): string {
  return columns.map((column) => `coalesce(octet_length(to_json(${column})::text), 0)`).join(' + ');
}

const streamTextsSql = jsonBytesSql('s.name', 's.description', 's.rendered_description');

/** Names and punctuation of a value in a profile. */
const profileValueBytes = 45;

/** Statements that tell of each list how many elements it has, and how many bytes their texts have in the answer. */
const sizes = {
  accounts: `SELECT count(*) AS elements, sum(${jsonBytesSql('u.email', 'u.delivery_email', 'u.full_name')}) AS bytes
    FROM users u WHERE NOT u.is_system`,
  bots: `SELECT count(*) AS elements, sum(${jsonBytesSql('b.base_url')}) AS bytes
    FROM users u LEFT JOIN bot_services b ON b.bot_id = u.id WHERE u.bot_type IS NOT NULL AND NOT u.is_system`,
  profiles: `SELECT count(*) AS elements, sum(${profileValueBytes} + ${jsonBytesSql('v.value', 'v.rendered_value')}) AS bytes
    FROM custom_profile_values v`,
  profileFields: `SELECT count(*) AS elements, sum(${jsonBytesSql('f.name', 'f.hint', 'f.field_data')}) AS bytes
    FROM custom_profile_fields f`,
  streams: `SELECT count(*) AS elements, sum(${streamTextsSql}) AS bytes FROM streams s WHERE NOT s.is_deactivated`,
  subscriptions: `SELECT count(*) AS elements, 0 AS bytes FROM subscriptions s WHERE s.is_active`,
  defaultStreams: `SELECT count(*) AS elements, sum(${streamTextsSql}) AS bytes FROM streams s WHERE s.is_default AND NOT s.is_deactivated`,
  defaultStreamGroups: `SELECT count(*) AS elements, sum(${jsonBytesSql('g.name', 'g.description')}
      + (SELECT coalesce(sum(${streamTextsSql}), 0) FROM streams s WHERE s.id = ANY (g.stream_ids))) AS bytes
    FROM default_stream_groups g`,
  userGroups: `SELECT count(*) AS elements, sum(${jsonBytesSql('g.name', 'g.description')}) AS bytes FROM user_groups g`,
  linkifiers: `SELECT count(*) AS elements, sum(${jsonBytesSql('l.pattern', 'l.url_format')}) AS bytes FROM linkifiers l`,
} as const;

export type SharedList = keyof typeof sizes;

export type ListSize = { readonly elements: number; readonly bytes: number };

/** The first of the two numbers of an advisory lock; the second is a list, which only one transaction makes larger at a time. */
const growthLock = 63;
const lockNumbers = Object.keys(sizes);

/**
 * Measures lists as they are with what the transaction has written. Nobody else can make them larger until it ends, so this comes after all
 * locks but the log's head and what `countMade` counts.
 *
 * @param lists each once
 */
export async function lockListSizes(
  client: Client,
  lists: readonly SharedList[],
): Promise<ReadonlyMap<SharedList, ListSize>> {
  const numbers = lists.map((list) => lockNumbers.indexOf(list));
  await client.query({
    name: 'store-lock-list-growth',
    text: `SELECT pg_advisory_xact_lock(${growthLock}, l.n) FROM (SELECT unnest($1::int[]) AS n ORDER BY n) l`,
    values: [numbers],
  });
  // A statement of its own, which sees what the previous holder of the lock wrote.
  return readListSizes(client, lists);
}

/**
 * Measures lists without a lock.
 *
 * @param lists each once
 */
export async function readListSizes(
  db: Queryable,
  lists: readonly SharedList[],
): Promise<ReadonlyMap<SharedList, ListSize>> {
  const { rows } = await db.query<ListSize & { readonly list: SharedList }>({
    text: lists
      .map(
        (list) =>
          `SELECT '${list}' AS list, l.elements::float8, coalesce(l.bytes, 0)::float8 AS bytes FROM (${sizes[list]}) l`,
      )
      .join(' UNION ALL '),
  });
  return new Map(rows.map(({ list, ...size }) => [list, size]));
}
