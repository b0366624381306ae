/**
 * The forms of `PARLEY_SMTP_URL`. The scheme alone decides about TLS, and nothing is tried without it that was to go with it. Faults never
 * repeat a part of the text, because an unencoded password may be anywhere in it.
 */
import { isIP } from 'node:net';

export type SmtpAddress = {
  readonly host: string;
  readonly port: number;
  /** `from-start`: TLS before the first byte; `required`: STARTTLS or nothing; `none`: in plain text. */
  readonly tls: 'from-start' | 'required' | 'none';
  readonly login: { readonly user: string; readonly password: string } | undefined;
};

const schemes: Readonly<Record<string, Pick<SmtpAddress, 'tls' | 'port'>>> = {
  'smtps:': { tls: 'from-start', port: 465 },
  'smtp:': { tls: 'required', port: 587 },
  'smtp+plain:': { tls: 'none', port: 25 },
};

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('must have its user and password percent-encoded');
  }
}

function isOwnMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/**
 * Parses the text of `PARLEY_SMTP_URL`.
 *
 * @throws Error whose message completes "PARLEY_SMTP_URL ..." and contains nothing of the text
 */
export function parseSmtpAddress(text: string): SmtpAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const scheme = schemes[url?.protocol ?? ''];
  const isWhole =
    url !== undefined && ['', '/'].includes(url.pathname) && url.search + url.hash === '';
  if (!isWhole || scheme === undefined || url.hostname === '')
    throw new Error('must be smtps://HOST, smtp://HOST or smtp+plain://HOST');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const [user, password] = [decode(url.username), decode(url.password)];
  if ((user === '') !== (password === ''))
    throw new Error('must have both a user and a password, or neither');
  if (scheme.tls === 'none' && user !== '' && !isOwnMachine(host))
    throw new Error('must not send a password to another machine without TLS');
  return {
    host,
    tls: scheme.tls,
    port: url.port === '' ? scheme.port : Number(url.port),
    login: user === '' ? undefined : { user, password },
  };
}
