/**
 * Recognises that a store is down. That is no fault of the request or the server: the answer is 503 with `SERVICE_UNAVAILABLE`
 * (architecture, What always holds).
 */

const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

// Connection exceptions, insufficient resources, operator intervention (shutdown, recovery, statement timeout), a read-only standby, a
// transaction ended because it idled or waited too long, and conflicts that a repeat resolves.
const sqlStates = /^(?:08\w{3}|53\w{3}|57P0\w|57014|25006|25P0[34]|55P03|40001|40P01)$/;

// Messages of pg and ioredis that come without a code.
const texts =
  /^(?:Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout|Postgres did not answer within|Cannot use a pool after calling end|Stream isn't writeable|Connection is closed|Command timed out|Command aborted due to connection close|Reached the max retries per request|Cluster isn't ready|Too many Cluster redirections|Failed to refresh slots cache|None of startup nodes|All sentinels are unreachable|Socket timeout|(?:CLUSTERDOWN|LOADING|MASTERDOWN|READONLY|TRYAGAIN) )/;

// A number beyond the column's range, text that Postgres cannot hold, and anything above its limits: too much, too deep, too many values.
const unstorableStates = /^(?:22003|22021|22P05|54\w{3})$/;

const chainMax = 5;

function someCause(error: unknown, holds: (link: Error, code: string) => boolean): boolean {
  let current = error;
  for (let depth = 0; depth < chainMax && current instanceof Error; depth += 1) {
    const { code } = current as { readonly code?: unknown };
    if (holds(current, typeof code === 'string' ? code : '')) return true;
    current = current.cause;
  }
  return false;
}

/** Whether an error, or one among its causes, means that a store cannot be reached or cannot serve now. */
export function isStoreFailure(error: unknown): boolean {
  return someCause(
    error,
    (link, code) => connectionCodes.has(code) || sqlStates.test(code) || texts.test(link.message),
  );
}

/**
 * Whether Postgres refused a value that its type cannot hold, such as an id of 2^40 for a user, or a statement that exceeds its limits. No
 * row can have such a value and no list can be so long, so it is bad input and the answer is 400 (architecture, What always holds).
 */
export function isUnstorableInput(error: unknown): boolean {
  return someCause(error, (_link, code) => unstorableStates.test(code));
}
