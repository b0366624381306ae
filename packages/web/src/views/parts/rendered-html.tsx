import { useLayoutEffect, useRef } from 'preact/hooks';

import { report } from '../../data/notices.ts';
import { session } from '../../data/session.ts';
import { texts } from '../../texts.ts';
import { pictureLinks, shownPicture } from '../messages/shown-picture.ts';
import { shownPerson } from '../people/shown-person.ts';
import { adaptRendered, makeButton, marked } from './adapt-rendered.ts';
import { isOwnPicture, withoutStyles } from './rendered-rules.ts';
import { formatLongMoment } from './time.ts';

/**
 * The only place where HTML of the server enters the page.
 *
 * It is safe because the server's renderer makes it from Markdown and passes on none of what people write as HTML, and because the page's policy
 * admits no script, style or frame of a document. The policy below therefore passes HTML on as it is; it exists so that no other place can.
 */
const policy = window.trustedTypes?.createPolicy('parley', { createHTML: (html) => html });

const parser = new DOMParser();

/** @returns the body of a document that loads and runs nothing, to be read */
export function parseHtml(html: string): HTMLElement {
  return parser.parseFromString(policy?.createHTML(html) ?? html, 'text/html').body;
}

/** What the client shows of it: made in a document that loads and runs nothing, and changed there. */
function contentOf(html: string): DocumentFragment {
  const body = parseHtml(withoutStyles(html));
  const content = document.createDocumentFragment();
  const now = session.peek();
  const state = now.kind === 'signed-in' ? now.app.state : undefined;
  const selfId = state?.self.peek().user_id;
  const describeTime = (at: Date): string =>
    formatLongMoment(
      at.getTime() / 1_000,
      state?.settings.peek() ?? { twenty_four_hour_time: true },
    );
  adaptRendered(body, { origin: location.origin, selfId, describeTime });
  content.append(...body.childNodes);
  return content;
}

/** HTML that is shorter does not fill a screen. */
const foldedMin = 1_500;

/** Shows the beginning of what is longer than a screen, until more is asked for or a key goes there; but all of it if there are marks to see. */
function fold(element: HTMLElement): void {
  if (element.scrollHeight <= innerHeight || element.querySelector(marked) !== null) return;
  element.dataset['folded'] = '';
  element.append(makeButton('unfold', texts.messages.showAll));
}

function unfold(element: HTMLElement): void {
  delete element.dataset['folded'];
  element.querySelector(':scope > .unfold')?.remove();
}

/** Does what a press in it is for. */
function act(event: MouseEvent & { readonly currentTarget: HTMLElement }): void {
  const { target, currentTarget } = event;
  if (!(target instanceof Element)) return;
  const mention = target.closest<HTMLElement>('button.user-mention');
  if (mention !== null) shownPerson.value = Number(mention.dataset['userId']);
  if (target.matches('.unfold')) unfold(currentTarget);
  const spoiler = target.closest('.spoiler-header');
  const isClosed = spoiler?.nextElementSibling?.toggleAttribute('hidden');
  if (spoiler && isClosed !== undefined) spoiler.ariaExpanded = String(!isClosed);
  const code = target.matches('.copy-code') && target.parentElement?.querySelector('pre');
  if (code) report(navigator.clipboard.writeText(code.textContent), texts.actions.codeCopied);
  const picture = target.closest<HTMLAnchorElement>(pictureLinks);
  if (picture === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (!isOwnPicture(picture.href, location.origin)) return;
  event.preventDefault();
  shownPicture.value = picture;
}

type RenderedHtmlProps = {
  readonly html: string;
  readonly id?: string | undefined;
  readonly class?: string | undefined;
  readonly inline?: boolean;
  readonly folds?: boolean;
};

/**
 * HTML of the server: a message, or a part of one such as a topic with marked words.
 *
 * @param props.inline within a line of text
 * @param props.folds whether of more than a screen only the beginning is shown at first
 */
export function RenderedHtml(props: RenderedHtmlProps) {
  const { html, id, class: classes = '', inline = false, folds = false } = props;
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const content = contentOf(html);
    if (content.querySelector('.codehilite') !== null) void import('../../styles/highlight.css');
    element.current?.replaceChildren(content);
    if (folds && html.length > foldedMin && element.current !== null) fold(element.current);
  }, [html]);
  const Tag = inline ? 'span' : 'div';
  return (
    <Tag
      ref={element}
      id={id}
      class={`rendered ${classes}`}
      onClick={act}
      onFocusIn={({ currentTarget, target }) => {
        if (target instanceof Element && !target.matches('.unfold')) unfold(currentTarget);
      }}
    />
  );
}
