const sqlState = /^[0-9A-Z]{5}$/;

// What Postgres reports while it ends a connection, or itself: the COMMIT before that may have succeeded.
const endingStates = /^(?:08|25P0[34]|40003|53|57P|58|F0|XX)/;

/**
 * Whether an error is one that Postgres reported and went on after: the statement and its transaction were undone. A severity is in the
 * language of the server. In none is FATAL or PANIC an ERROR, and where an ERROR has another name, the state tells whether it may be one of those.
 */
export function isUndone(error: unknown): boolean {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return false;
  const { severity, code } = error;
  if (typeof code !== 'string' || !sqlState.test(code)) return false;
  return severity === 'ERROR' || !endingStates.test(code);
}
