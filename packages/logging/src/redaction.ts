/**
 * Members that never reach a log, wherever the fields of a line hold them: credentials in any spelling the interface has, and
 * what people write to each other. In lower case; members are compared so.
 */
const secretMembers: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'api_key',
  'apikey',
  'password',
  'content',
  'rendered_content',
  'raw_content',
  'secret',
  'token',
  'x-parley-identity',
  // Of a Redis command that failed: its errors carry them, the password or a message among them.
  'args',
]);

export const redactionText = '[redacted]';

/** Deeper members are not shown at all: no line of ours is so deep. */
const depthMax = 5;

/** Longer texts are cut: an error of Postgres can hold a value that somebody sent, of any length. */
const textMaxLength = 4_000;

/**
 * Takes secrets out of the fields of a line, and cuts long texts short. A walk over the few fields of a line costs a microsecond; the library's redaction by
 * path costs two hundred times that for wildcards, on every line.
 *
 * @returns the same object when it holds neither
 */
export function redactFields(fields: Record<string, unknown>): Record<string, unknown> {
  return redactMembers(fields, 0) as Record<string, unknown>;
}

function redactMembers(value: object, depth: number): object {
  // Almost no line holds any: nothing is copied before one is found.
  let redacted: Record<string, unknown> | undefined;
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    const shown = secretMembers.has(name.toLowerCase())
      ? redactionText
      : redactValue(member, depth + 1);
    if (shown === member) continue;
    redacted ??= Array.isArray(value) ? (Array.from(value) as never) : { ...value };
    redacted[name] = shown;
  }
  return redacted ?? value;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string')
    return value.length > textMaxLength ? `${value.slice(0, textMaxLength)}…` : value;
  // Errors are turned into plain members by their serializer, which redacts what it gives.
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  if (depth > depthMax) return redactionText;
  return redactMembers(value, depth);
}

const secretInAddress = /([?&](?:api_key|password|token)=)[^&#\s]*/gi;

/** Takes the values of secret parameters out of an address before it is logged. */
export function redactAddress(address: string): string {
  return address.replaceAll(secretInAddress, `$1${redactionText}`);
}
