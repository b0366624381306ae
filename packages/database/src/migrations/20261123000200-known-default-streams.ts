/** Takes from bots what they got before it was looked at: default streams that their owners do not know of. */
export const name = '20261123000200-known-default-streams';

function keptId(column: string): string {
  return `(SELECT s.id FROM streams s WHERE s.id = b.${column} AND (o.role = 'administrator' OR (NOT s.invite_only AND o.role <> 'guest')
    OR EXISTS (SELECT FROM subscriptions m WHERE m.user_id = o.id AND m.stream_id = s.id)))`;
}

export const sql = `
UPDATE users b SET default_sending_stream_id = ${keptId('default_sending_stream_id')},
  default_events_register_stream_id = ${keptId('default_events_register_stream_id')}
FROM users o
WHERE o.id = b.bot_owner_id AND (b.default_sending_stream_id IS NOT NULL OR b.default_events_register_stream_id IS NOT NULL);
`;
