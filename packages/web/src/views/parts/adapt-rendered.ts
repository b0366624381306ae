import { texts } from '../../texts.ts';
import { fileName, fragmentOf, glyphOf, isOwnPicture, kindOfUpload } from './rendered-rules.ts';

/** Formulas as pictures made of styled boxes, which the page's policy forbids; MathML beside them says the same. */
const unshown = '.katex-html, .message_embed_image';

/** What was searched for, and what an edit changed. */
export const marked = '.highlight, .highlight_text_inserted, .highlight_text_deleted';

function adaptLink(link: HTMLAnchorElement, origin: string): void {
  const href = link.getAttribute('href') ?? '';
  const kind = kindOfUpload(href, origin);
  if (kind !== undefined && link.querySelector('img') === null) {
    link.className = 'file';
    link.dataset['kind'] = kind;
  }
  const fragment = fragmentOf(href, origin);
  if (fragment === undefined) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  } else {
    link.setAttribute('href', fragment);
    link.removeAttribute('target');
  }
}

/** A foreign picture becomes a link with its address, which only a click opens. */
function unloadPicture(picture: HTMLImageElement, knownAddresses: ReadonlySet<string>): void {
  const link = picture.closest('a');
  const preview = picture.closest('.message_inline_image, .message_inline_ref');
  const address = link?.getAttribute('href') ?? picture.getAttribute('src') ?? '';
  if (preview !== null && knownAddresses.has(address)) preview.remove();
  else if (link !== null) picture.replaceWith(address);
  else picture.replaceWith(picture.alt || address);
}

function adaptPictures(body: HTMLElement, origin: string): void {
  const links = body.querySelectorAll('a:not(.message_inline_image *, .message_inline_ref *)');
  const knownAddresses = new Set([...links].map((link) => link.getAttribute('href') ?? ''));
  for (const picture of body.querySelectorAll('img')) {
    if (!isOwnPicture(picture.getAttribute('src') ?? '', origin)) {
      unloadPicture(picture, knownAddresses);
      continue;
    }
    picture.loading = 'lazy';
    if (picture.classList.contains('emoji')) continue;
    picture.classList.add('picture');
    picture.alt = fileName(picture.closest('a')?.getAttribute('href') ?? picture.src);
  }
}

/** The name of one person is a button, which opens their card; the reader's own is marked, and what names everybody. */
function adaptMention(mention: HTMLElement, selfId: number | undefined): void {
  const id = mention.dataset['userId'] ?? '';
  mention.toggleAttribute('data-self', id === '*' || id === String(selfId));
  if (!/^\d+$/.test(id) || mention.closest('a') !== null) return;
  const button = mention.ownerDocument.createElement('button');
  button.type = 'button';
  button.className = mention.className;
  Object.assign(button.dataset, mention.dataset);
  button.append(...mention.childNodes);
  mention.replaceWith(button);
}

/** Emoji without a word are shown large. */
function enlargeEmoji({ children: [only, ...others] }: HTMLElement): void {
  if (!(only instanceof HTMLParagraphElement) || others.length > 0) return;
  const isAlone = [...only.childNodes].every((node) =>
    node instanceof Element ? node.matches('.emoji, br') : node.textContent?.trim() === '',
  );
  only.toggleAttribute('data-emoji-alone', isAlone);
}

/** `<time:2026-03-31T17:00:00Z>`, which the server passes on as it is written, becomes that time where the reader is. */
const writtenTime = /<time:([^<>\s]{4,40})>/;

function adaptTimes(body: HTMLElement, describe: (at: Date) => string): void {
  if (!writtenTime.test(body.textContent)) return;
  const walker = body.ownerDocument.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
    const [mark = '', written = ''] = writtenTime.exec(text.nodeValue ?? '') ?? [];
    const at = new Date(written);
    if (Number.isNaN(at.getTime()) || text.parentElement?.closest('code, pre')) continue;
    const element = body.ownerDocument.createElement('time');
    element.dateTime = at.toISOString();
    element.textContent = describe(at);
    const [before = '', ...after] = (text.nodeValue ?? '').split(mark);
    text.nodeValue = before;
    text.parentElement?.insertBefore(element, text.nextSibling);
    element.after(after.join(mark));
    // The walker goes on with what follows it.
    walker.currentNode = element.firstChild ?? element;
  }
}

export function makeButton(className: string, text: string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = className;
  button.textContent = text;
  return button;
}

/**
 * The header is a button that opens and closes what follows it, which is open at first if it has what the reader looks for. No button holds
 * another, so what could be pressed in it is text.
 */
function adaptSpoiler(block: Element): void {
  const [header, content] = block.children;
  if (header === undefined || content === undefined) return;
  for (const each of header.querySelectorAll('a, button')) each.replaceWith(...each.childNodes);
  const label = document.createElement('span');
  label.className = 'visually-hidden';
  label.textContent = texts.messages.spoiler;
  const button = makeButton('spoiler-header', '');
  const isOpen = content.querySelector(marked) !== null;
  button.ariaExpanded = String(isOpen);
  button.append(label, ...header.childNodes);
  header.replaceWith(button);
  content.toggleAttribute('hidden', !isOpen);
  content.ariaHidden = null;
}

/** What is wider than the page scrolls by itself, also with the keyboard. */
function letScroll(body: HTMLElement): void {
  for (const table of body.querySelectorAll('table')) {
    const frame = table.ownerDocument.createElement('div');
    frame.className = 'wide';
    frame.tabIndex = 0;
    table.replaceWith(frame);
    frame.append(table);
  }
  for (const block of body.querySelectorAll('pre')) block.tabIndex = 0;
}

/**
 * Changes HTML of the server to what the client shows: no foreign pictures, links that open in a new tab
 * unless they stay in the client, the platform's emoji. Each element is looked at a fixed number of times.
 *
 * @param body in a document that loads nothing
 * @param page.origin the page's
 * @param page.selfId the signed-in person, if somebody is
 * @param page.describeTime writes a time that somebody wrote for readers everywhere
 */
export function adaptRendered(
  body: HTMLElement,
  page: {
    readonly origin: string;
    readonly selfId: number | undefined;
    readonly describeTime: (at: Date) => string;
  },
): void {
  const { origin, selfId, describeTime } = page;
  for (const element of body.querySelectorAll(unshown)) element.remove();
  for (const link of body.querySelectorAll('a')) adaptLink(link, origin);
  adaptPictures(body, origin);
  for (const emoji of body.querySelectorAll('span.emoji'))
    emoji.textContent = glyphOf(emoji.className) ?? emoji.textContent;
  for (const mention of body.querySelectorAll<HTMLElement>('.user-mention'))
    adaptMention(mention, selfId);
  // Their marks and lines stand on the side where their words begin.
  for (const block of body.querySelectorAll<HTMLElement>('ul, ol, blockquote, table'))
    block.dir = 'auto';
  for (const block of body.querySelectorAll('.spoiler-block')) adaptSpoiler(block);
  adaptTimes(body, describeTime);
  enlargeEmoji(body);
  letScroll(body);
  // Browsers have the clipboard only on pages that came encrypted.
  if ('clipboard' in navigator)
    for (const block of body.querySelectorAll('.codehilite'))
      block.append(makeButton('copy-code', texts.actions.copyCode));
}
