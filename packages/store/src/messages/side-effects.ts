/** The side effects of log entries, as rows that jobs run (owner of `side_effects` and `side_effect_cursor`). */
import type { SideEffect } from '@parley/event-log';
import type { Client, Queryable } from '@parley/database';

/** Positions up to which side effects are rows: those of changes, and those of messages. */
export type SideEffectCursor = { readonly changes: number; readonly messages: number };

export type SideEffectKey = {
  /** The position of its log entry. */
  readonly position: number;
  readonly kind: SideEffect['kind'];
  readonly target: number;
};

/** A claimed effect. `attempts` distinguishes the claim from every later one. */
export type ClaimedSideEffect = {
  readonly effect: SideEffect;
  readonly attempts: number;
  /** Stays the same for every run, and cannot be guessed. */
  readonly deliveryKey: string;
  /** The progress that `saveSideEffectProgress` stored, as JSON text. */
  readonly progress: string | null;
};

/**
 * Locks the cursor.
 *
 * @returns undefined if another process is moving it
 */
export async function lockSideEffectCursor(client: Client): Promise<SideEffectCursor | undefined> {
  const { rows } = await client.query<SideEffectCursor>({
    name: 'side-effect-cursors-lock',
    text: `SELECT position AS changes, message_position AS messages FROM side_effect_cursor FOR UPDATE SKIP LOCKED`,
  });
  return rows[0];
}

/** Inserts the rows of effects and moves the cursor, which the transaction has locked. */
export async function addSideEffects(
  client: Client,
  effects: readonly { readonly position: number; readonly effect: SideEffect }[],
  cursor: SideEffectCursor,
): Promise<void> {
  if (effects.length > 0) {
    await client.query({
      name: 'side-effects-add',
      text: `INSERT INTO side_effects (position, kind, target, effect)
        SELECT * FROM unnest($1::bigint[], $2::text[], $3::integer[], $4::jsonb[])`,
      values: [
        effects.map(({ position }) => position),
        effects.map(({ effect }) => effect.kind),
        effects.map(({ effect }) => effect.target),
        effects.map(({ effect }) => JSON.stringify(effect)),
      ],
    });
  }
  await moveSideEffectCursor(client, cursor);
}

/** Sets the positions up to which effects are rows. */
export async function moveSideEffectCursor(
  client: Client,
  { changes, messages }: SideEffectCursor,
): Promise<void> {
  await client.query({
    name: 'side-effect-cursors-move',
    text: 'UPDATE side_effect_cursor SET position = $1, message_position = $2',
    values: [changes, messages],
  });
}

/** @returns due effects of all kinds except these that nobody runs, oldest first */
export async function listDueSideEffects(
  db: Queryable,
  exceptKinds: readonly SideEffect['kind'][],
  effectsMax: number,
): Promise<SideEffectKey[]> {
  const { rows } = await db.query<SideEffectKey>({
    name: 'side-effects-due-except',
    text: `SELECT position, kind, target FROM side_effects
      WHERE due_at <= parley_now() AND claimed_until < parley_now() AND kind <> ALL ($2::text[])
      ORDER BY due_at, position LIMIT $1`,
    values: [effectsMax, exceptKinds],
  });
  return rows;
}

/** How many effects with bots as targets may run at once, in all processes together. */
export type BotEffectBounds = { readonly perBotMax: number; readonly perOwnerMax: number };

/** How many effects of kind $1 run now for the bots of an owner. */
const runningOfOwner = (ownerId: string): string => `(SELECT count(*) FROM users o
  JOIN side_effects r ON r.kind = $1 AND r.target = o.id AND r.claimed_until >= parley_now() WHERE o.bot_owner_id = ${ownerId})`;

/**
 * Lists due effects of one kind with bots as targets that nobody runs. For each bot and each owner it lists only as many as the bounds let
 * run at once, so an owner with many effects does not delay others. The cost depends on the number of bots, not on that of waiting effects.
 *
 * @returns the oldest first
 */
export async function listDueSideEffectsOfBots(
  db: Queryable,
  kind: SideEffect['kind'],
  bounds: BotEffectBounds & { readonly effectsMax: number },
): Promise<SideEffectKey[]> {
  const { rows } = await db.query<SideEffectKey>({
    name: 'side-effects-due-of-bots',
    text: `WITH RECURSIVE targets AS (
        (SELECT s.target FROM side_effects s WHERE s.kind = $1 ORDER BY s.target LIMIT 1)
        UNION ALL
        SELECT (SELECT s.target FROM side_effects s WHERE s.kind = $1 AND s.target > t.target ORDER BY s.target LIMIT 1)
        FROM targets t WHERE t.target IS NOT NULL
      )
      SELECT n.position, n.kind, n.target FROM (
        SELECT next.*, b.bot_owner_id, row_number() OVER (PARTITION BY b.bot_owner_id ORDER BY next.due_at, next.position) AS nth
        FROM targets t CROSS JOIN LATERAL (
          SELECT s.position, s.kind, s.target, s.due_at FROM side_effects s
          WHERE s.kind = $1 AND s.target = t.target AND s.due_at <= parley_now() AND s.claimed_until < parley_now()
          ORDER BY s.due_at, s.position
          LIMIT greatest(0, $2 - (SELECT count(*) FROM side_effects r
            WHERE r.kind = $1 AND r.target = t.target AND r.claimed_until >= parley_now()))
        ) next LEFT JOIN users b ON b.id = next.target
      ) n WHERE n.bot_owner_id IS NULL OR n.nth + ${runningOfOwner('n.bot_owner_id')} <= $3
      ORDER BY n.due_at, n.position LIMIT $4`,
    values: [kind, bounds.perBotMax, bounds.perOwnerMax, bounds.effectsMax],
  });
  return rows;
}

/** @returns how many effects of these kinds, or of all others, have not finished */
export async function countSideEffects(
  db: Queryable,
  kinds: readonly SideEffect['kind'][],
  areMeant: boolean,
): Promise<number> {
  const { rows } = await db.query<{ waiting: number }>({
    name: 'side-effects-count',
    text: `SELECT count(*) AS waiting FROM side_effects WHERE (kind = ANY ($1::text[])) = $2`,
    values: [kinds, areMeant],
  });
  return rows[0]?.waiting ?? 0;
}

/**
 * Claims an effect to run it.
 *
 * @param claim.bounds for an effect with a bot as target
 * @returns undefined if it has finished or is not due, if another process has it, or if its bot or the owner has reached a bound
 */
export async function claimSideEffect(
  db: Queryable,
  { position, kind, target }: SideEffectKey,
  claim: { readonly claimSecs: number; readonly bounds?: BotEffectBounds | undefined },
): Promise<ClaimedSideEffect | undefined> {
  const { rows } = await db.query<ClaimedSideEffect>({
    name: 'side-effect-claim-within-bounds',
    text: `UPDATE side_effects e SET claimed_until = parley_now() + make_interval(secs => $4), attempts = attempts + 1
      WHERE kind = $1 AND position = $2 AND target = $3 AND due_at <= parley_now() AND claimed_until < parley_now()
        AND ($5::integer IS NULL OR $5 > (SELECT count(*) FROM side_effects r
          WHERE r.kind = $1 AND r.target = $3 AND r.claimed_until >= parley_now()))
        AND ($6::integer IS NULL OR $6 > ${runningOfOwner('(SELECT b.bot_owner_id FROM users b WHERE b.id = $3)')})
      RETURNING effect, attempts, delivery_key AS "deliveryKey", progress`,
    values: [
      kind,
      position,
      target,
      claim.claimSecs,
      claim.bounds?.perBotMax ?? null,
      claim.bounds?.perOwnerMax ?? null,
    ],
  });
  return rows[0];
}

/** The claim that a statement belongs to: a claim that has lapsed and was replaced changes nothing. */
export type SideEffectClaim = SideEffectKey & Pick<ClaimedSideEffect, 'attempts'>;

/**
 * Stores the progress of an effect and extends its claim.
 *
 * @param progress JSON text
 * @returns false if the claim has lapsed and another process has the effect
 */
export async function saveSideEffectProgress(
  db: Queryable,
  { position, kind, target, attempts }: SideEffectClaim,
  progress: string,
  claimSecs: number,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'side-effect-progress',
    text: `UPDATE side_effects SET progress = $5, claimed_until = parley_now() + make_interval(secs => $6)
      WHERE position = $1 AND kind = $2 AND target = $3 AND attempts = $4`,
    values: [position, kind, target, attempts, progress, claimSecs],
  });
  return rowCount === 1;
}

/** Deletes an effect that has finished or is given up. */
export async function removeSideEffect(
  db: Queryable,
  { position, kind, target, attempts }: SideEffectClaim,
): Promise<void> {
  await db.query({
    name: 'side-effect-remove-claimed',
    text: 'DELETE FROM side_effects WHERE position = $1 AND kind = $2 AND target = $3 AND attempts = $4',
    values: [position, kind, target, attempts],
  });
}

/**
 * Releases an effect for a later run.
 *
 * @param error the reason, after a failure
 */
export async function postponeSideEffect(
  db: Queryable,
  { position, kind, target, attempts }: SideEffectClaim,
  delayMs: number,
  error: string | null,
): Promise<void> {
  await db.query({
    name: 'side-effect-postpone-claimed',
    text: `UPDATE side_effects SET due_at = parley_now() + make_interval(secs => $5::double precision / 1000),
        claimed_until = '-infinity', last_error = coalesce($6, last_error)
      WHERE position = $1 AND kind = $2 AND target = $3 AND attempts = $4`,
    values: [position, kind, target, attempts, delayMs, error],
  });
}
