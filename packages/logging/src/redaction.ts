/**
 * Members that never reach a log, wherever the fields of a line hold them up to three levels deep: credentials in any
 * spelling the interface has, and what people write to each other.
 */
const secretMembers = [
  'authorization',
  'Authorization',
  '["proxy-authorization"]',
  'cookie',
  '["set-cookie"]',
  'api_key',
  'apiKey',
  'password',
  'content',
  'rendered_content',
  'raw_content',
  'secret',
  'token',
  '["x-parley-identity"]',
] as const;

const prefixes = ['', '*', '*.*', '*.*.*'] as const;

/** Paths for pino's redaction. */
export const redactedPaths: readonly string[] = prefixes.flatMap((prefix) =>
  secretMembers.map((member) =>
    prefix === '' || member.startsWith('[') ? prefix + member : `${prefix}.${member}`,
  ),
);

export const redactionText = '[redacted]';

const secretInAddress = /([?&](?:api_key|password|token)=)[^&#\s]*/gi;

/** Takes the values of secret parameters out of an address before it is logged. */
export function redactAddress(address: string): string {
  return address.replaceAll(secretInAddress, `$1${redactionText}`);
}
