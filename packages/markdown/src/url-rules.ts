/** Permitted schemes of a link, and those of them that need a host (reference facts, markdown 4.4). */
const acceptedSchemes = new Set(['http', 'https', 'ftp', 'mailto', 'file', 'bitcoin']);
const webSchemes = new Set(['http', 'https']);
const hostSchemes = new Set([...webSchemes, 'ftp']);

/** `authority` is the host with the two slashes before it. */
type UrlParts = { scheme: string; authority: string; host: string; path: string; rest: string };

function splitUrl(url: string): UrlParts {
  let scheme = '';
  let remainder = url;
  const match = /^([A-Za-z0-9+.-]+):/.exec(url);
  // `host:8080` is a host with a port, not a scheme.
  if (match !== null && !/^[0-9]+$/.test(url.slice(match[0].length))) {
    scheme = (match[1] ?? '').toLowerCase();
    remainder = url.slice(match[0].length);
  }
  const authority = /^\/\/[^/?#]*/.exec(remainder)?.[0] ?? '';
  remainder = remainder.slice(authority.length);
  const pathEnd = remainder.search(/[?#]/);
  const path = pathEnd === -1 ? remainder : remainder.slice(0, pathEnd);
  const rest = remainder.slice(path.length);
  return { scheme, authority, host: authority.slice(2), path, rest };
}

function isUnparseable({ host }: UrlParts): boolean {
  return host.includes('[') !== host.includes(']');
}

/**
 * The permitted beginnings of a site-relative reference: a fragment, a query, or a first path segment without `:` and `&`. A browser drops
 * control characters and decodes entities, so anything else could still become a scheme.
 */
const safeRemainder = /^(?:[#?]|[\p{L}\p{N}_~.%@!$'()*+,=-]+(?:[/?#]|$))/u;
/**
 * A path from the root of this site. With a second slash a browser would read a host after it. It also reads a slash in a backslash, in an
 * entity, and after a line end, which it drops.
 */
const rootRelative = /^\/(?![/\\&\s])/;
const dotSegment = /(?:^|\/)\.{1,2}(?:\/|$)/;

/** Links into the own realm lose its address (reference facts, markdown 4.4, step 8). */
function relativeToRealm(href: string, realmUri: string): string {
  const prefix = `${realmUri}/`;
  if (!href.startsWith(prefix)) return href;
  const remainder = href.slice(prefix.length);
  if (remainder === '') return '/';
  const path = remainder.replace(/[?#].*$/s, '');
  return safeRemainder.test(remainder) && !dotSegment.test(path) ? remainder : href;
}

/**
 * Computes the href of a link (reference facts, markdown 4.4).
 *
 * @returns Undefined if the URL is rejected and stays text.
 */
export function linkHref(url: string, realmUri: string): string | undefined {
  const source = url.replaceAll(' ', '%20');
  let parts = splitUrl(source);
  if (isUnparseable(parts)) return '';
  if (parts.scheme === '' && parts.host === '') {
    if (parts.path.includes('@')) {
      return `mailto:${source}`;
    }
    if (rootRelative.test(source)) return source;
    if (source.startsWith('#') && source.length > 1) return source;
  }
  if (parts.scheme === '') {
    parts = splitUrl(`http://${source}`);
    if (isUnparseable(parts)) return '';
  }
  const { scheme, authority, host, path, rest } = parts;
  if (!acceptedSchemes.has(scheme)) return undefined;
  if (host === '' && hostSchemes.has(scheme)) return undefined;
  return relativeToRealm(`${scheme}:${authority}${path}${rest}`, realmUri);
}

/** The title of a link: its href, or the file name of an upload (reference facts, markdown 4.4). */
export function linkTitle(href: string): string {
  const upload = /^(?:https?:\/\/[^/]+)?\/user_uploads\/[0-9]+\/(?:[^?#]*\/)?([^/?#]+)$/.exec(href);
  return upload?.[1] ?? href;
}

/** A link may spell a path with percent escapes; the path itself never has any. */
function decodedPathId(pathId: string): string {
  try {
    return decodeURIComponent(pathId).replaceAll('\0', '');
  } catch {
    return pathId;
  }
}

/**
 * The path id of a linked upload of this realm, as it is stored (reference facts, markdown 14).
 *
 * @param href In its rendered form: relative, root-relative or absolute, with either scheme, because a bare host becomes an `http:` link.
 */
export function findUploadPathId(href: string, realmUri: string): string | undefined {
  const { scheme, authority, path } = splitUrl(href);
  const isOnSite =
    scheme === '' || (webSchemes.has(scheme) && authority === splitUrl(realmUri).authority);
  const pathId = isOnSite ? /^\/?user_uploads\/([0-9]+\/.+)/s.exec(path)?.[1] : undefined;
  return pathId === undefined ? undefined : decodedPathId(pathId);
}

/** `%XX` of an ASCII character that `encodeURIComponent` does not encode. */
export function percentCode(character: string): string {
  return `%${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0')}`;
}
