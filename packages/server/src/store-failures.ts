/**
 * Recognising that a store is away. Such a failure is no fault of the request or the server: it is answered with 503
 * and `SERVICE_UNAVAILABLE` (architecture, What always holds).
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

// Connection exceptions, insufficient resources, operator intervention (shutdown, recovery, statement timeout), a standby
// that is read-only, a transaction ended because it idled or waited too long, and conflicts that a repeat resolves.
const sqlStates = /^(?:08\w{3}|53\w{3}|57P0\w|57014|25006|25P0[34]|55P03|40001|40P01)$/;

// What pg and ioredis say without a code.
const texts =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after calling end|Stream isn't writeable|Connection is closed|Command timed out|Command aborted due to connection close|Reached the max retries per request|Cluster isn't ready|Too many Cluster redirections|Failed to refresh slots cache|None of startup nodes|All sentinels are unreachable|Socket timeout|(?:CLUSTERDOWN|LOADING|MASTERDOWN|READONLY|TRYAGAIN) )/;

// A number beyond the column's range, text that Postgres cannot hold, and what is beyond its limits: too much, too deep, too many values.
const unstorableStates = /^(?:22003|22021|22P05|54\w{3})$/;

const chainMax = 5;

function someInChain(error: unknown, holds: (link: Error, code: string) => boolean): boolean {
  let current = error;
  for (let depth = 0; depth < chainMax && current instanceof Error; depth += 1) {
    const { code } = current as { readonly code?: unknown };
    if (holds(current, typeof code === 'string' ? code : '')) return true;
    current = current.cause;
  }
  return false;
}

/** Tells whether an error, or one among its causes, says that a store cannot be reached or cannot serve now. */
export function isStoreFailure(error: unknown): boolean {
  return someInChain(
    error,
    (link, code) => connectionCodes.has(code) || sqlStates.test(code) || texts.test(link.message),
  );
}

/**
 * Tells whether Postgres refused a value because its type cannot hold it, such as an id of 2^40 for a user, or a statement because it
 * asks for more than one can. No row can have such a value, and no list be so long, so it is bad input and answered with 400
 * (architecture, What always holds).
 */
export function isUnstorableInput(error: unknown): boolean {
  return someInChain(error, (_link, code) => unstorableStates.test(code));
}
