/** Types of uploaded files, and how a browser may treat them (reference facts, people 15). */
import mime from 'mime';

/** The type of files with an unknown type. */
const unknownType = 'application/octet-stream';

/** The length of the longest signature. */
export const headBytes = 12;

type Mark = { readonly type: string; readonly at: number; readonly bytes: Buffer };

function mark(type: string, bytes: string, at = 0): Mark {
  return { type, at, bytes: Buffer.from(bytes, 'latin1') };
}

/** The types that a browser may show in place: none of them can run a script in the organization's name. */
const shownInPlace: readonly (readonly Mark[])[] = [
  [mark('application/pdf', '%PDF-')],
  [mark('image/gif', 'GIF87a')],
  [mark('image/gif', 'GIF89a')],
  [mark('image/jpeg', '\xFF\xD8\xFF')],
  [mark('image/png', '\x89PNG\r\n\x1A\n')],
  [mark('image/webp', 'RIFF'), mark('image/webp', 'WEBP', 8)],
];

const typesShownInPlace = new Set(shownInPlace.flatMap((marks) => marks.map(({ type }) => type)));

function typeOfContent(head: Buffer): string | undefined {
  const found = shownInPlace.find((marks) =>
    marks.every(({ at, bytes }) => head.subarray(at, at + bytes.length).equals(bytes)),
  );
  return found?.[0]?.type;
}

/** @returns the usual extension of a type, without a dot */
export function extensionOf(type: string): string | undefined {
  return mime.getExtension(type) ?? undefined;
}

/**
 * Decides the type of a file. Types that browsers show are recognized by content, regardless of the client. Otherwise the client's type
 * counts, or else the name.
 *
 * @param head the first `headBytes` of the content, or all of it
 * @param said by the client, in its plain form
 */
export function decideContentType(head: Buffer, name: string, said: string | undefined): string {
  const seen = typeOfContent(head);
  if (seen !== undefined) return seen;
  const type = said ?? mime.getType(name) ?? unknownType;
  return typesShownInPlace.has(type) ? unknownType : type;
}

/** Shown files can run and load nothing; other files are never shown as pages. */
const inPlacePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; object-src 'self'";

/**
 * The types that a browser runs as a script (WHATWG MIME Sniffing, 4.6) or applies as a style. Served as text, such a file is neither in a page of
 * this server, even if somebody smuggles markup into one.
 */
const runType =
  /^(?:application|text)\/(?:(?:x-)?(?:java|ecma)script|javascript1\.\d|jscript|livescript|css)$/;

/** Clients that do not know the form for other characters use the ASCII form (RFC 6266). */
function attachment(name: string): string {
  return `attachment; filename="${name.replaceAll(/[^\w.-]/gu, '_')}"; filename*=UTF-8''${encodeURIComponent(name)}`;
}

/**
 * The headers with which a file is served.
 *
 * @param name clean, as it stands in the path
 */
export function servingHeaders(type: string, name: string): Readonly<Record<string, string>> {
  const isInPlace = typesShownInPlace.has(type);
  return {
    'Content-Type': runType.test(type) ? 'text/plain' : type,
    ...(isInPlace ? {} : { 'Content-Disposition': attachment(name) }),
    'Content-Security-Policy': isInPlace ? inPlacePolicy : "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'private, immutable',
  };
}
