import { fragmentOf, glyphOf, isOwnPicture, pictureName } from './rendered-rules.ts';

/** Formulas as pictures made of styled boxes, which the page's policy forbids; MathML beside them says the same. */
const unshown = '.katex-html, .message_embed_image';

function adaptLink(link: HTMLAnchorElement, origin: string): void {
  const href = link.getAttribute('href') ?? '';
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
    picture.alt = pictureName(picture.closest('a')?.getAttribute('href') ?? picture.src);
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
 */
export function adaptRendered(
  body: HTMLElement,
  { origin, selfId }: { readonly origin: string; readonly selfId: number | undefined },
): void {
  for (const element of body.querySelectorAll(unshown)) element.remove();
  for (const link of body.querySelectorAll('a')) adaptLink(link, origin);
  adaptPictures(body, origin);
  for (const emoji of body.querySelectorAll('span.emoji'))
    emoji.textContent = glyphOf(emoji.className) ?? emoji.textContent;
  for (const mention of body.querySelectorAll<HTMLElement>('.user-mention'))
    adaptMention(mention, selfId);
  enlargeEmoji(body);
  letScroll(body);
}
