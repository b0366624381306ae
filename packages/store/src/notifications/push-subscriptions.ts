/** Where people want to be notified by Web Push, and of which messages (owner of `push_subscriptions`, and of `messages_to_push`, into which `candidates` inserts; decision 0053). */
import { limits } from '@parley/api';
import type { Client, Queryable } from '@parley/database';

export type PushTarget = {
  /** An https address that the push service chose. */
  readonly endpoint: string;
  /** The subscriber's public key and secret (RFC 8291), in base64url. */
  readonly p256dh: string;
  readonly auth: string;
};

export type ListedPushSubscription = {
  readonly id: number;
  readonly origin: string;
  readonly createdAtSecs: number;
  readonly sessionId: number | null;
};

/** A subscription for which this process may push now. `attempts` distinguishes the claim from every later one. */
export type ClaimedPush = PushTarget & {
  readonly id: number;
  readonly userId: number;
  readonly origin: string;
  readonly attempts: number;
  readonly failures: number;
  /** Whether an earlier attempt may have succeeded. */
  readonly mayHaveArrived: boolean;
  /** By ascending id; the newest ones. */
  readonly messages: readonly {
    readonly id: number;
    readonly wasPushed: boolean;
    /** As of a `ReadCandidate`. */
    readonly version: string;
  }[];
};

/** A notification of each is shown at most, and each later push says which were read. */
const messagesPerSubscription = 100;

/** The first of the two numbers of an advisory lock; the second is an endpoint's hash. */
const endpointLock = 54;

/**
 * Adds a subscription, or replaces that of the same endpoint or the same session. The oldest ones of a person with too many end.
 *
 * @param sessionId of the browser that subscribes; undefined for a program, which uses a key
 */
export async function insertPushSubscription(
  client: Client,
  userId: number,
  sessionId: number | undefined,
  { endpoint, p256dh, auth }: PushTarget,
): Promise<number> {
  // Two people may subscribe the same endpoint at once.
  await client.query({
    name: 'store-lock-push-endpoint',
    text: `SELECT pg_advisory_xact_lock(${endpointLock}, hashtext($1))`,
    values: [endpoint],
  });
  await client.query({
    name: 'store-replace-push-subscription',
    text: 'DELETE FROM push_subscriptions WHERE endpoint = $1 OR session_id = $2',
    values: [endpoint, sessionId ?? null],
  });
  const { rows } = await client.query<{ id: number }>({
    name: 'store-insert-push-subscription',
    text: `INSERT INTO push_subscriptions (user_id, session_id, endpoint, origin, p256dh, auth) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
    values: [userId, sessionId ?? null, endpoint, new URL(endpoint).origin, p256dh, auth],
  });
  await client.query({
    name: 'store-bound-push-subscriptions',
    text: `DELETE FROM push_subscriptions WHERE id IN (
        SELECT id FROM push_subscriptions WHERE user_id = $1 ORDER BY id DESC OFFSET ${limits.pushSubscriptionsMax})`,
    values: [userId],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('an insert returned no row');
  return row.id;
}

/** @returns false if the person has no such subscription */
export async function deletePushSubscription(
  db: Queryable,
  userId: number,
  endpoint: string,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'store-delete-push-subscription',
    text: 'DELETE FROM push_subscriptions WHERE user_id = $1 AND endpoint = $2',
    values: [userId, endpoint],
  });
  return rowCount === 1;
}

/** @returns a person's subscriptions, the newest first */
export async function listPushSubscriptions(
  db: Queryable,
  userId: number,
): Promise<ListedPushSubscription[]> {
  const { rows } = await db.query<ListedPushSubscription>({
    name: 'store-list-push-subscriptions',
    text: `SELECT id, origin, extract(epoch FROM created_at)::bigint AS "createdAtSecs", session_id AS "sessionId"
      FROM push_subscriptions WHERE user_id = $1 ORDER BY id DESC`,
    values: [userId],
  });
  return rows;
}

/**
 * Makes subscriptions due for which there are new messages, in the transaction that wrote those. It is a statement of its own, because it
 * must see a release for which the writing waited.
 */
export async function wakePushSubscriptions(client: Client, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await client.query({
    name: 'store-wake-push-subscriptions',
    text: 'UPDATE push_subscriptions SET due_at = parley_now() WHERE id = ANY ($1::bigint[]) AND due_at > parley_now() AND failures = 0',
    values: [ids],
  });
}

/** How many requests may begin now. */
export type PushPlaces = {
  /** To all push services together. */
  readonly all: number;
  /** To the services that have not proved to work, together; and to each of them of which nothing is known. */
  readonly unproven: number;
  readonly eachUnknown: number;
  /** To each service of which something is known. */
  readonly known: readonly {
    readonly origin: string;
    readonly places: number;
    readonly isProven: boolean;
  }[];
};

/** Rows that are looked at for one claim. What has no place is left out before, so it does not hide others for long. */
const dueLookedAt = 500;

/**
 * Claims subscriptions for which something is due, as far as there are places for their push services. Until the outcome is stored, a push
 * counts as one that may have arrived.
 *
 * @returns the longest due first
 */
export async function claimPushes(
  db: Queryable,
  claim: {
    readonly subscriptionsMax: number;
    readonly claimSecs: number;
    readonly places: PushPlaces;
  },
): Promise<ClaimedPush[]> {
  const { all, unproven, eachUnknown, known } = claim.places;
  const { rows } = await db.query<ClaimedPush>({
    name: 'store-claim-pushes',
    text: `WITH known AS MATERIALIZED (
        SELECT * FROM unnest($3::text[], $4::integer[], $5::boolean[]) k (origin, places, is_proven)
      ), looked_at AS MATERIALIZED (
        SELECT p.id, p.due_at, coalesce(k.is_proven, false) AS is_proven, coalesce(k.places, $6) AS places,
          row_number() OVER (PARTITION BY p.origin ORDER BY p.due_at, p.id) AS nth_of_service
        FROM (SELECT d.id, d.origin, d.due_at FROM push_subscriptions d
          WHERE d.due_at <= parley_now() AND d.claimed_until < parley_now()
            AND d.origin <> ALL (ARRAY(SELECT n.origin FROM known n WHERE n.places <= 0))
            AND ($7 > 0 OR d.origin = ANY (ARRAY(SELECT n.origin FROM known n WHERE n.is_proven)))
          ORDER BY d.due_at LIMIT ${dueLookedAt}) p
        LEFT JOIN known k ON k.origin = p.origin
      ), placed AS MATERIALIZED (
        SELECT l.id, l.is_proven, row_number() OVER (PARTITION BY l.is_proven ORDER BY l.due_at, l.id) AS nth FROM looked_at l
        WHERE l.nth_of_service <= l.places
      ), due AS MATERIALIZED (
        SELECT p.id, p.may_have_arrived FROM push_subscriptions p
        WHERE p.id IN (SELECT l.id FROM placed l WHERE l.is_proven OR l.nth <= $7) AND p.due_at <= parley_now() AND p.claimed_until < parley_now()
        ORDER BY p.due_at LIMIT $1 FOR UPDATE SKIP LOCKED
      ), claimed AS (
        UPDATE push_subscriptions p SET claimed_until = parley_now() + make_interval(secs => $2), attempts = attempts + 1, may_have_arrived = true
        FROM due WHERE p.id = due.id RETURNING p.*, due.may_have_arrived AS may_have
      )
      SELECT c.id, c.user_id AS "userId", c.endpoint, c.origin, c.p256dh, c.auth, c.attempts, c.failures, c.may_have AS "mayHaveArrived",
        coalesce((SELECT json_agg(json_build_object('id', n.message_id, 'wasPushed', n.pushed_at IS NOT NULL, 'version', n.xmin::text)
            ORDER BY n.message_id)
          FROM (SELECT t.message_id, t.pushed_at, t.xmin FROM messages_to_push t WHERE t.subscription_id = c.id
            ORDER BY t.message_id DESC LIMIT ${messagesPerSubscription}) n), '[]'::json) AS messages
      FROM claimed c ORDER BY c.due_at`,
    values: [
      Math.min(claim.subscriptionsMax, all),
      claim.claimSecs,
      known.map(({ origin }) => origin),
      known.map(({ places }) => places),
      known.map(({ isProven }) => isProven),
      eachUnknown,
      unproven,
    ],
  });
  return rows;
}

type Claim = Pick<ClaimedPush, 'id' | 'attempts' | 'messages'>;

/**
 * Stores the outcome of a claim and releases it.
 *
 * @param outcome.pushed messages that the push service has taken; they stay until they are read
 * @param outcome.kept other messages that stay: those that wait, and pushed ones that are unread; the rest of the claim is forgotten,
 *   unless it was written again meanwhile
 * @param outcome.againInSecs when to push again; undefined if nothing waits, unless more came meanwhile
 */
export async function releasePush(
  client: Client,
  { id, attempts, messages }: Claim,
  outcome: {
    readonly pushed: readonly number[];
    readonly kept: readonly number[];
    readonly againInSecs: number | undefined;
    readonly failures: number;
    readonly mayHaveArrived: boolean;
  },
): Promise<void> {
  // New messages of the subscription wait for this lock, or it for them; so the next statement sees all of them, or they see the release.
  const { rowCount } = await client.query({
    name: 'store-lock-push',
    text: 'SELECT 1 FROM push_subscriptions WHERE id = $1 AND attempts = $2 FOR UPDATE',
    values: [id, attempts],
  });
  if (rowCount !== 1) return;
  const staying = new Set([...outcome.pushed, ...outcome.kept]);
  const decided = messages.filter((each) => !staying.has(each.id));
  await client.query({
    name: 'store-note-pushed',
    text: `UPDATE messages_to_push SET pushed_at = parley_now() WHERE subscription_id = $1 AND message_id = ANY ($2::bigint[])`,
    values: [id, outcome.pushed],
  });
  await client.query({
    name: 'store-forget-pushed',
    text: `DELETE FROM messages_to_push t USING unnest($2::bigint[], $3::text[]) d (message_id, version)
      WHERE t.subscription_id = $1 AND t.message_id = d.message_id AND t.xmin::text = d.version`,
    values: [id, decided.map((each) => each.id), decided.map(({ version }) => version)],
  });
  await client.query({
    name: 'store-bound-pushes',
    text: `DELETE FROM messages_to_push WHERE subscription_id = $1 AND message_id < (SELECT t.message_id FROM messages_to_push t
      WHERE t.subscription_id = $1 ORDER BY t.message_id DESC OFFSET ${messagesPerSubscription - 1} LIMIT 1)`,
    values: [id],
  });
  await client.query({
    name: 'store-release-push',
    text: `UPDATE push_subscriptions p SET claimed_until = '-infinity', failures = $2, may_have_arrived = $3,
        due_at = coalesce(parley_now() + make_interval(secs => $4), CASE WHEN EXISTS (SELECT 1 FROM messages_to_push t
          WHERE t.subscription_id = p.id AND t.pushed_at IS NULL) THEN parley_now() ELSE 'infinity' END)
      WHERE p.id = $1`,
    values: [id, outcome.failures, outcome.mayHaveArrived, outcome.againInSecs ?? null],
  });
}

/** Ends a subscription that its push service no longer knows, or that failed for too long. */
export async function removePushSubscription(db: Queryable, id: number): Promise<void> {
  await db.query({
    name: 'store-remove-push-subscription',
    text: 'DELETE FROM push_subscriptions WHERE id = $1',
    values: [id],
  });
}

/** `failing` are those whose last attempt failed. */
export type PushSubscriptionCounts = {
  readonly all: number;
  readonly due: number;
  readonly failing: number;
};

/** @returns how many subscriptions there are, for how many something is due, and how many wait after a failure */
export async function countPushSubscriptions(db: Queryable): Promise<PushSubscriptionCounts> {
  const { rows } = await db.query<PushSubscriptionCounts>({
    name: 'store-count-push-subscriptions',
    text: `SELECT count(*) AS all, count(*) FILTER (WHERE due_at <= parley_now()) AS due, count(*) FILTER (WHERE failures > 0) AS failing
      FROM push_subscriptions`,
  });
  return rows[0] ?? { all: 0, due: 0, failing: 0 };
}
