/** What the page makes of addresses and emoji in the server's HTML. The rules know no document, so they are tested without one. */

/** Paths whose pictures the server itself answers; an avatar's address may lead to another server. */
const ownPicturePaths = /^\/(?:user_uploads|user_avatars|static)\//;

/**
 * Whether the page may load a picture: only the server's own.
 *
 * @param source as the HTML has it, relative to the page
 * @param origin the page's
 */
export function isOwnPicture(source: string, origin: string): boolean {
  const address = URL.parse(source, origin);
  if (address?.origin !== origin) return false;
  // Thumbnails of foreign pictures lead to the foreign server.
  return address.pathname === '/thumbnail'
    ? (address.searchParams.get('url') ?? '').startsWith('user_uploads/')
    : ownPicturePaths.test(address.pathname);
}

/**
 * The fragment that a link within the client leads to.
 *
 * @returns undefined for a link that leaves the page
 */
export function fragmentOf(href: string, origin: string): string | undefined {
  const address = URL.parse(href, origin);
  return address?.origin === origin && address.pathname === '/' && address.hash !== ''
    ? address.hash
    : undefined;
}

/** What a link to a picture is called: the file's name, otherwise the address. */
export function pictureName(href: string): string {
  const name = href.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name) || href;
  } catch {
    return name;
  }
}

const emojiClass = /(?:^| )emoji-([0-9a-f]{2,6}(?:-[0-9a-f]{2,6}){0,9})(?= |$)/;
const keycap = 0x20_e3;
/** Asks for the coloured form of a sign that also has a plain one. */
const colouredForm = '\uFE0F';

/**
 * The platform's own glyph of an emoji, from the classes of its element (`emoji emoji-1f389`).
 *
 * @returns undefined if they name none
 */
export function glyphOf(classes: string): string | undefined {
  const codePoints = emojiClass
    .exec(classes)?.[1]
    ?.split('-')
    .map((code) => Number.parseInt(code, 16));
  const [first, second] = codePoints ?? [];
  if (
    codePoints === undefined ||
    first === undefined ||
    codePoints.some((each) => each > 0x10_ff_ff)
  )
    return undefined;
  if (second === keycap)
    return String.fromCodePoint(first) + colouredForm + String.fromCodePoint(second);
  const glyph = String.fromCodePoint(...codePoints);
  return second === undefined ? glyph + colouredForm : glyph;
}
