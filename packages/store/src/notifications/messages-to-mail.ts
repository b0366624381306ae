/**
 * Unread messages that may have to be mailed (owner of `messages_to_mail`, into which `candidates` inserts; decision 0053). A row is a
 * candidate: whether the person gets a mail is decided when it is due.
 */
import type { Client, Queryable } from '@parley/database';

/** A person and a message that may concern the person. */
export type Candidate = { readonly userId: number; readonly messageId: number };

/** A candidate that was read. */
export type ReadCandidate = Candidate & {
  /** The transaction that wrote the row: an edit that concerns the person anew writes it again, so who decides by what was before does not end it. */
  readonly version: string;
};

/** The first of the two numbers of an advisory lock; the second is a person, about whom only one process decides at a time. */
const decidingLock = 53;

/**
 * Lists all candidates of people for whom one is due, so that what belongs together goes in one mail. Of a person with very many those that
 * are due come first, so that each step decides some of them. Nothing is locked: `lockMailCandidates` does that, after what takes time.
 *
 * @returns with `isDue`; empty if nothing is due
 */
export async function listDueMailCandidates(
  db: Queryable,
  { dueMax, candidatesMax }: { readonly dueMax: number; readonly candidatesMax: number },
): Promise<(ReadCandidate & { readonly isDue: boolean })[]> {
  const { rows } = await db.query<ReadCandidate & { readonly isDue: boolean }>({
    name: 'store-list-due-mail-candidates',
    text: `WITH due AS MATERIALIZED (
        SELECT c.user_id FROM messages_to_mail c WHERE c.due_at <= parley_now() ORDER BY c.due_at LIMIT $1
      )
      SELECT c.user_id AS "userId", c.message_id AS "messageId", c.xmin::text AS version, c.due_at <= parley_now() AS "isDue"
      FROM messages_to_mail c
      WHERE c.user_id IN (SELECT due.user_id FROM due) ORDER BY c.user_id, c.due_at > parley_now(), c.message_id LIMIT $2`,
    values: [dueMax, candidatesMax],
  });
  return rows;
}

function pairsOf(candidates: readonly Candidate[]): [number[], number[]] {
  return [candidates.map(({ userId }) => userId), candidates.map(({ messageId }) => messageId)];
}

/**
 * Locks candidates until the transaction ends. People about whom another process is deciding are left out, and messages with mentions that an
 * edit added, until those are candidates: who read them already would decide twice.
 *
 * @returns those that nobody has decided about or written again meanwhile
 */
export async function lockMailCandidates(
  client: Client,
  candidates: readonly ReadCandidate[],
): Promise<Candidate[]> {
  const { rows } = await client.query<Candidate>({
    name: 'store-lock-mail-candidates',
    text: `WITH given AS MATERIALIZED (SELECT g.* FROM unnest($1::integer[], $2::bigint[], $3::text[]) g (user_id, message_id, version)),
      mine AS MATERIALIZED (
        SELECT d.user_id FROM (SELECT DISTINCT given.user_id FROM given) d WHERE pg_try_advisory_xact_lock(${decidingLock}, d.user_id)
      )
      SELECT c.user_id AS "userId", c.message_id AS "messageId" FROM messages_to_mail c JOIN given g USING (user_id, message_id)
      WHERE c.xmin::text = g.version AND c.user_id IN (SELECT mine.user_id FROM mine)
        AND NOT EXISTS (SELECT 1 FROM mentions_added a WHERE a.message_id = c.message_id) FOR UPDATE OF c SKIP LOCKED`,
    values: [...pairsOf(candidates), candidates.map(({ version }) => version)],
  });
  return rows;
}

/** Forgets candidates that are decided. */
export async function removeMailCandidates(
  db: Queryable,
  candidates: readonly Candidate[],
): Promise<void> {
  if (candidates.length === 0) return;
  await db.query({
    name: 'store-remove-mail-candidates',
    text: `DELETE FROM messages_to_mail c USING unnest($1::integer[], $2::bigint[]) d (user_id, message_id)
      WHERE c.user_id = d.user_id AND c.message_id = d.message_id`,
    values: pairsOf(candidates),
  });
}

/** Decides about candidates later. */
export async function postponeMailCandidates(
  db: Queryable,
  candidates: readonly (Candidate & { readonly delaySecs: number })[],
): Promise<void> {
  if (candidates.length === 0) return;
  await db.query({
    name: 'store-postpone-mail-candidates',
    text: `UPDATE messages_to_mail c SET due_at = parley_now() + make_interval(secs => d.delay_secs)
      FROM unnest($1::integer[], $2::bigint[], $3::double precision[]) d (user_id, message_id, delay_secs)
      WHERE c.user_id = d.user_id AND c.message_id = d.message_id`,
    values: [...pairsOf(candidates), candidates.map(({ delaySecs }) => delaySecs)],
  });
}

/** Makes the messages of a mail that is withdrawn candidates again, due at once. */
export async function restoreMailCandidates(
  db: Queryable,
  candidates: readonly Candidate[],
): Promise<void> {
  await db.query({
    name: 'store-restore-mail-candidates',
    text: `INSERT INTO messages_to_mail (user_id, message_id, due_at)
      SELECT d.user_id, d.message_id, parley_now() FROM unnest($1::integer[], $2::bigint[]) d (user_id, message_id)
      ORDER BY 1, 2 ON CONFLICT (user_id, message_id) DO UPDATE SET due_at = excluded.due_at`,
    values: pairsOf(candidates),
  });
}

/** @returns how many candidates wait */
export async function countMailCandidates(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ waiting: number }>({
    name: 'store-count-mail-candidates',
    text: 'SELECT count(*) AS waiting FROM messages_to_mail',
  });
  return rows[0]?.waiting ?? 0;
}
