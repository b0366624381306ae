/**
 * The cookies of a browser's session (decision 0048), and of a sign-in by single sign-on that it began (decision 0051). Browsers share cookies
 * between the ports of a host, so without TLS the names contain the port. With TLS the prefix `__Host-` keeps other hosts, subdomains and
 * plain HTTP from setting them.
 */

export type SessionCookie = {
  readonly name: string;
  readonly attributes: string;
  readonly lifetimeSecs: number;
};

/** Browsers keep no cookie for longer than 400 days. The server ends a session that is not used. */
const lifetimeSecs = 400 * 86_400;

const defaultPort = '80';

/** @param publicUrl decides alone whether clients come by TLS, because anybody can send a forwarded header */
export function sessionCookieOf(publicUrl: string): SessionCookie {
  return cookieOf(publicUrl, 'parley-session', 'Lax', lifetimeSecs);
}

/** By it a browser is known again where somebody signed in by a password (decision 0070). It signs nobody in. */
export function deviceCookieOf(publicUrl: string): SessionCookie {
  return cookieOf(publicUrl, 'parley-device', 'Strict', lifetimeSecs);
}

/** How long a person may take to sign in at a provider. */
export const attemptLifetimeSecs = 600;

/**
 * The cookie of a sign-in that a browser began. Only pages of this server use it, so it does not come with what other pages cause.
 *
 * @param publicUrl as for `sessionCookieOf`
 */
export function attemptCookieOf(publicUrl: string): SessionCookie {
  return cookieOf(publicUrl, 'parley-sign-in', 'Strict', attemptLifetimeSecs);
}

function cookieOf(
  publicUrl: string,
  prefix: string,
  sameSite: 'Lax' | 'Strict',
  lifetime: number,
): SessionCookie {
  const { protocol, port } = new URL(publicUrl);
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}`;
  return protocol === 'https:'
    ? { name: `__Host-${prefix}`, attributes: `${attributes}; Secure`, lifetimeSecs: lifetime }
    : { name: `${prefix}-${port === '' ? defaultPort : port}`, attributes, lifetimeSecs: lifetime };
}

/** @returns the header `Set-Cookie` that gives a browser its token */
export function setSessionCookie(
  { name, attributes, lifetimeSecs: lifetime }: SessionCookie,
  token: string,
): string {
  return `${name}=${token}; Max-Age=${lifetime}; ${attributes}`;
}

/** @returns the header `Set-Cookie` that makes a browser forget its token */
export function clearSessionCookie({ name, attributes }: SessionCookie): string {
  return `${name}=; Max-Age=0; ${attributes}`;
}

/**
 * Finds the values of the cookie in a request.
 *
 * @param header all cookies; it is as long as Node's parser permits, and read once
 * @returns the values of all cookies with its name, in their order; a browser has one
 */
export function sessionCookieValues({ name }: SessionCookie, header: string): string[] {
  if (!header.includes(`${name}=`)) return [];
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
