/** People's settings for their own subscriptions (part of the module that owns `subscriptions`). */
import type { Queryable } from '@parley/database';

/** The settings of one person for one stream; null, if `Inherited` includes it, inherits the person's own default. */
export type SubscriptionSettings<Inherited extends boolean | null = boolean | null> = {
  readonly color: string;
  readonly isMuted: boolean;
  readonly pinToTop: boolean;
  readonly desktopNotifications: Inherited;
  readonly audibleNotifications: Inherited;
  readonly pushNotifications: Inherited;
  readonly emailNotifications: Inherited;
  readonly wildcardMentionsNotify: boolean | null;
};

/** Settings of one subscription; absent members stay unchanged. A setting cannot become null again (reference facts, streams 6.4). */
export type SettingsChange = {
  readonly [Setting in keyof SubscriptionSettings]?: NonNullable<SubscriptionSettings[Setting]>;
};

/**
 * Locks a person's subscriptions, so that none begins or ends before the transaction does.
 *
 * @returns the streams among the given ones to which the person is subscribed
 */
export async function lockSubscriptions(
  db: Queryable,
  userId: number,
  streamIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await db.query<{ streamId: number; isActive: boolean }>({
    text: `SELECT stream_id AS "streamId", is_active AS "isActive" FROM subscriptions
      WHERE user_id = $1 AND stream_id = ANY ($2::bigint[]) ORDER BY stream_id FOR NO KEY UPDATE`,
    values: [userId, streamIds],
  });
  return new Set(rows.filter((row) => row.isActive).map((row) => row.streamId));
}

/** Sets a person's settings for streams, by stream id. The caller has locked the subscriptions. */
export async function updateSubscriptionSettings(
  db: Queryable,
  userId: number,
  changes: ReadonlyMap<number, SettingsChange>,
): Promise<void> {
  await db.query({
    text: `UPDATE subscriptions m SET color = coalesce(c.color, m.color), is_muted = coalesce(c."isMuted", m.is_muted),
        pin_to_top = coalesce(c."pinToTop", m.pin_to_top),
        desktop_notifications = coalesce(c."desktopNotifications", m.desktop_notifications),
        audible_notifications = coalesce(c."audibleNotifications", m.audible_notifications),
        push_notifications = coalesce(c."pushNotifications", m.push_notifications),
        email_notifications = coalesce(c."emailNotifications", m.email_notifications),
        wildcard_mentions_notify = coalesce(c."wildcardMentionsNotify", m.wildcard_mentions_notify)
      FROM json_to_recordset($2::json) AS c ("streamId" integer, color text, "isMuted" boolean, "pinToTop" boolean,
        "desktopNotifications" boolean, "audibleNotifications" boolean, "pushNotifications" boolean,
        "emailNotifications" boolean, "wildcardMentionsNotify" boolean)
      WHERE m.user_id = $1 AND m.stream_id = c."streamId"`,
    values: [
      userId,
      JSON.stringify([...changes].map(([streamId, change]) => ({ streamId, ...change }))),
    ],
  });
}
