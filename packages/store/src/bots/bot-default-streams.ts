import type { EventPart } from '@parley/event-log';
import type { Client, Queryable } from '@parley/database';

import { listHumanAdministratorIds } from '../people/user-locks.ts';
import { getsStreamEventsSql } from '../visibility/visibility-sql.ts';

const isKnownToOwner = getsStreamEventsSql('s', 'o');

function isUnknownToOwner(column: string): string {
  return `EXISTS (SELECT FROM streams s WHERE s.id = b.${column} AND NOT ${isKnownToOwner})`;
}

/** @returns whether a bot of this owner may have the stream as a default one */
export async function isStreamKnownToOwner(
  db: Queryable,
  ownerId: number,
  streamId: number,
): Promise<boolean> {
  const { rows } = await db.query<{ isKnown: boolean }>({
    text: `SELECT ${isKnownToOwner} AS "isKnown" FROM streams s, users o WHERE s.id = $2 AND o.id = $1`,
    values: [ownerId, streamId],
  });
  return rows[0]?.isKnown ?? false;
}

type ClearedStreams = {
  readonly id: number;
  readonly email: string;
  readonly ownerId: number;
  readonly sending: boolean;
  readonly register: boolean;
};

/** The kind of change: a stream became private, an owner got another role, or a bot got another owner. */
type AffectedBots =
  | { readonly streamId: number }
  | { readonly ownerId: number }
  | { readonly botId: number };

/** No key of an account changes, so statements that only refer to one need not wait. */
function lockAffectedBots(affected: AffectedBots): {
  readonly text: string;
  readonly values: number[];
} {
  const lockBots = (condition: string, id: number): ReturnType<typeof lockAffectedBots> => ({
    text: `SELECT id FROM users WHERE bot_type IS NOT NULL AND ${condition} ORDER BY id FOR NO KEY UPDATE`,
    values: [id],
  });
  if ('botId' in affected) return lockBots('id = $1::int', affected.botId);
  if ('ownerId' in affected) return lockBots('bot_owner_id = $1::int', affected.ownerId);
  return lockBots(
    '$1::int IN (default_sending_stream_id, default_events_register_stream_id)',
    affected.streamId,
  );
}

/**
 * Removes from bots the default streams that their owners no longer know, or never knew. A bot is shown to its owner with the names of its
 * streams, which must not reveal a private one (architecture, What always holds).
 *
 * Stream and administrators are locked by the caller.
 *
 * @returns the events for the owners and for administrators, whose register lists the bots
 */
export async function clearDefaultStreamsUnknownToOwner(
  client: Client,
  affected: AffectedBots,
): Promise<EventPart[]> {
  const { rows: bots } = await client.query<{ id: number }>(lockAffectedBots(affected));
  if (bots.length === 0) return [];
  const { rows: cleared } = await client.query<ClearedStreams>({
    text: `WITH judged AS (
        SELECT b.id, ${isUnknownToOwner('default_sending_stream_id')} AS sending,
          ${isUnknownToOwner('default_events_register_stream_id')} AS register
        FROM users b JOIN users o ON o.id = b.bot_owner_id WHERE b.id = ANY ($1::int[])
      )
      UPDATE users AS b SET
        default_sending_stream_id = CASE WHEN NOT j.sending THEN b.default_sending_stream_id END,
        default_events_register_stream_id = CASE WHEN NOT j.register THEN b.default_events_register_stream_id END
      FROM judged j WHERE b.id = j.id AND (j.sending OR j.register)
      RETURNING b.id, b.email, b.bot_owner_id AS "ownerId", j.sending, j.register`,
    values: [bots.map(({ id }) => id)],
  });
  if (cleared.length === 0) return [];
  const administratorIds = await listHumanAdministratorIds(client);
  return cleared.flatMap(({ id, email, ownerId, sending, register }): EventPart[] => {
    const userIds = [...new Set([ownerId, ...administratorIds])];
    return [
      ...(sending ? [{ default_sending_stream: null }] : []),
      ...(register ? [{ default_events_register_stream: null }] : []),
    ].map((change): EventPart => ({
      form: 'same',
      audience: { to: 'users', userIds },
      event: { type: 'realm_bot', op: 'update', bot: { email, user_id: id, ...change } },
    }));
  });
}
