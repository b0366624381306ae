import { useLayoutEffect, useRef } from 'preact/hooks';

import { session } from '../../data/session.ts';
import { shownPerson } from '../people/shown-person.ts';
import { adaptRendered } from './adapt-rendered.ts';
import { withoutStyles } from './rendered-rules.ts';

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
  const selfId = now.kind === 'signed-in' ? now.app.state.self.peek().user_id : undefined;
  adaptRendered(body, { origin: location.origin, selfId });
  content.append(...body.childNodes);
  return content;
}

function openMentioned({ target }: Event): void {
  const mention =
    target instanceof Element ? target.closest<HTMLElement>('button.user-mention') : null;
  if (mention !== null) shownPerson.value = Number(mention.dataset['userId']);
}

type RenderedHtmlProps = {
  readonly html: string;
  readonly id?: string | undefined;
  readonly class?: string | undefined;
  readonly inline?: boolean;
};

/**
 * HTML of the server: a message, or a part of one such as a topic with marked words.
 *
 * @param props.inline within a line of text
 */
export function RenderedHtml({ html, id, class: classes = '', inline = false }: RenderedHtmlProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const content = contentOf(html);
    if (content.querySelector('.codehilite') !== null) void import('../../styles/highlight.css');
    element.current?.replaceChildren(content);
  }, [html]);
  const Element = inline ? 'span' : 'div';
  return <Element ref={element} id={id} class={`rendered ${classes}`} onClick={openMentioned} />;
}
