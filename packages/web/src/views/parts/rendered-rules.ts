/** What the page makes of addresses and emoji in the server's HTML. The rules know no document, so they are tested without one. */
import { characterOf } from '../../data/emoji.ts';

const tagWithAttributes = /<[a-z][a-z0-9]*(?:\s+[\w:-]+="[^"]*")+/g;
const attribute = /\s+([\w:-]+)="[^"]*"/g;

/**
 * Takes style attributes out of HTML of the server, which quotes every attribute and escapes quotes and `<` everywhere else. It is done to the
 * text because browsers report a style attribute against the page's policy as soon as they parse it, even for a document that is shown nowhere.
 */
export function withoutStyles(html: string): string {
  return html.replaceAll(tagWithAttributes, (tag) =>
    tag.replaceAll(attribute, (text, name) => (name === 'style' ? '' : text)),
  );
}

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

/** Of an uploaded file; the ending of its name says what it is. */
const uploadedPath = /^\/user_uploads\/.*?(?:\.(\w{1,5}))?$/;

/**
 * What kind of file a link leads to, by the ending of its name, which may be missing.
 *
 * @returns undefined if it leads to none that was uploaded
 */
export function kindOfUpload(href: string, origin: string): string | undefined {
  const address = URL.parse(href, origin);
  const file = address?.origin === origin ? uploadedPath.exec(address.pathname) : null;
  return file === null ? undefined : (file[1] ?? '').toUpperCase();
}

/** What a link to a file is called: the file's name, otherwise the address. */
export function fileName(href: string): string {
  const name = href.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name) || href;
  } catch {
    return name;
  }
}

const emojiClass = /(?:^| )emoji-([0-9a-f]{2,6}(?:-[0-9a-f]{2,6}){0,9})(?= |$)/;

/**
 * The platform's own glyph of an emoji, from the classes of its element (`emoji emoji-1f389`).
 *
 * @returns undefined if they name none
 */
export function glyphOf(classes: string): string | undefined {
  return characterOf(emojiClass.exec(classes)?.[1] ?? '') || undefined;
}
