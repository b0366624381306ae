/** What the log brings about beside events, as rows that jobs run (owner of `side_effects` and `side_effect_cursor`). */
import type { SideEffect } from '@parley/contracts';
import type { Client, Queryable } from '@parley/database';

export type SideEffectKey = {
  /** The position of its log entry. */
  readonly position: number;
  readonly kind: SideEffect['kind'];
  readonly target: number;
};

/**
 * Locks the cursor.
 *
 * @returns its position, or undefined when another process is moving it
 */
export async function lockSideEffectCursor(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ position: number }>({
    name: 'side-effect-cursor-lock',
    text: 'SELECT position FROM side_effect_cursor FOR UPDATE SKIP LOCKED',
  });
  return rows[0]?.position;
}

/** Makes the rows of effects and moves the cursor, whose lock the transaction holds. */
export async function addSideEffects(
  client: Client,
  effects: readonly { readonly position: number; readonly effect: SideEffect }[],
  cursor: number,
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

/** Says up to which position effects are rows. */
export async function moveSideEffectCursor(client: Client, cursor: number): Promise<void> {
  await client.query({
    name: 'side-effect-cursor-move',
    text: 'UPDATE side_effect_cursor SET position = $1',
    values: [cursor],
  });
}

/** @returns effects that are due and that nobody runs, oldest first */
export async function listDueSideEffects(
  db: Queryable,
  effectsMax: number,
): Promise<SideEffectKey[]> {
  const { rows } = await db.query<SideEffectKey>({
    name: 'side-effects-due',
    text: `SELECT position, kind, target FROM side_effects
      WHERE due_at <= clock_timestamp() AND claimed_until < clock_timestamp() ORDER BY due_at, position LIMIT $1`,
    values: [effectsMax],
  });
  return rows;
}

/**
 * Takes an effect to run it.
 *
 * @returns undefined when it has been run, is not due or another process has it
 */
export async function claimSideEffect(
  db: Queryable,
  { position, kind, target }: SideEffectKey,
  claimSecs: number,
): Promise<{ readonly effect: SideEffect; readonly attempts: number } | undefined> {
  const { rows } = await db.query<{ effect: SideEffect; attempts: number }>({
    name: 'side-effect-claim',
    text: `UPDATE side_effects SET claimed_until = clock_timestamp() + make_interval(secs => $4), attempts = attempts + 1
      WHERE position = $1 AND kind = $2 AND target = $3 AND due_at <= clock_timestamp() AND claimed_until < clock_timestamp()
      RETURNING effect, attempts`,
    values: [position, kind, target, claimSecs],
  });
  return rows[0];
}

/** Forgets an effect that has been run, or is given up. */
export async function removeSideEffect(
  db: Queryable,
  { position, kind, target }: SideEffectKey,
): Promise<void> {
  await db.query({
    name: 'side-effect-remove',
    text: 'DELETE FROM side_effects WHERE position = $1 AND kind = $2 AND target = $3',
    values: [position, kind, target],
  });
}

/** Gives back an effect that failed, to be run again later. */
export async function postponeSideEffect(
  db: Queryable,
  { position, kind, target }: SideEffectKey,
  delaySecs: number,
  error: string,
): Promise<void> {
  await db.query({
    name: 'side-effect-postpone',
    text: `UPDATE side_effects SET due_at = clock_timestamp() + make_interval(secs => $4), claimed_until = '-infinity', last_error = $5
      WHERE position = $1 AND kind = $2 AND target = $3`,
    values: [position, kind, target, delaySecs, error],
  });
}
