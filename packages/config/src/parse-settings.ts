import { isIP } from 'node:net';

/** How the texts of single settings are read. */

/** At most `requestsMax` requests of one user in any `windowSecs` seconds. */
export type RateLimit = { readonly windowSecs: number; readonly requestsMax: number };

/**
 * Parses a text such as `60:200` or `60:500,3600:5000`; `off` means no limit.
 *
 * @throws Error if the text has another form
 */
export function parseRateLimits(text: string): readonly RateLimit[] {
  if (text === 'off') return [];
  return text.split(',').map((part) => {
    const match = /^(\d{1,7}):(\d{1,9})$/.exec(part.trim());
    const windowSecs = Number(match?.[1]);
    const requestsMax = Number(match?.[2]);
    if (match === null || windowSecs < 1 || requestsMax < 1) {
      throw new Error('must be off, or seconds:requests pairs separated by commas, such as 60:200');
    }
    return { windowSecs, requestsMax };
  });
}

/** Addresses that agree in their first `prefixBits` bits. */
export type AddressRange = { readonly address: string; readonly prefixBits: number };

/**
 * Parses addresses and ranges such as `10.0.0.7,192.168.0.0/16,fd00::/8`.
 *
 * @throws Error if one is neither
 */
export function parseAddressRanges(text: string): readonly AddressRange[] {
  return text.split(',').map((part) => {
    const [address = '', bits, ...rest] = part.trim().split('/');
    const version = isIP(address);
    const bitsMax = version === 4 ? 32 : 128;
    const prefixBits = bits === undefined ? bitsMax : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (version === 0 || rest.length > 0 || prefixBits < 0 || prefixBits > bitsMax) {
      throw new Error('must be addresses or ranges separated by commas, such as 10.0.0.0/8');
    }
    return { address, prefixBits };
  });
}

/** Origins of pages that may call the interface from a browser. */
export type AllowedOrigins = 'every' | readonly string[];

/**
 * Parses `*`, `none`, or origins such as `https://chat.example,http://localhost:3000`.
 *
 * @throws Error if one is not an origin in the form of browsers
 */
export function parseAllowedOrigins(text: string): AllowedOrigins {
  if (text === '*') return 'every';
  if (text === 'none') return [];
  return text.split(',').map((part) => {
    const origin = part.trim();
    if (!/^https?:/.test(origin) || !URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new Error(
        'must be *, none, or origins separated by commas, such as https://chat.example',
      );
    return origin;
  });
}

/** @throws Error if it is no address of a server */
export function parsePublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new Error('must be an http or https address without query');
  }
  return text.replace(/\/+$/, '');
}
