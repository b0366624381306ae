import { parseFragment } from 'parse5';
import type { DefaultTreeAdapterTypes } from 'parse5';

/** Attributes by tag; no others may be in a rendering. For tests only. */
const messageTags: Readonly<Record<string, readonly string[]>> = {
  a: ['class', 'data-id', 'data-stream-id', 'href', 'target', 'title'],
  blockquote: [],
  br: [],
  code: [],
  del: [],
  div: ['aria-hidden', 'class'],
  em: [],
  h1: [],
  h2: [],
  h3: [],
  h4: [],
  h5: [],
  h6: [],
  hr: [],
  img: ['alt', 'class', 'data-src-fullsize', 'src', 'title'],
  li: [],
  ol: ['start'],
  p: [],
  pre: [],
  span: [
    'aria-hidden',
    'aria-label',
    'class',
    'data-user-group-id',
    'data-user-id',
    'role',
    'style',
    'title',
  ],
  strong: [],
  table: [],
  tbody: [],
  td: ['align'],
  th: ['align'],
  thead: [],
  tr: [],
  ul: [],
};
const formulaTags = new Set(
  (
    'math semantics annotation mrow mi mn mo ms mtext mspace msup msub msubsup mfrac msqrt mroot mover munder munderover ' +
    'mstyle mpadded mphantom menclose mtable mtr mtd svg path line'
  ).split(' '),
);
const formulaAttributes = new Set(
  (
    'xmlns display encoding mathvariant stretchy fence separator lspace rspace minsize maxsize width height depth voffset ' +
    'columnalign columnspacing rowspacing columnlines rowlines scriptlevel displaystyle accent accentunder linethickness ' +
    'mathcolor mathbackground notation form movablelimits symmetric viewBox preserveAspectRatio d style class x1 x2 y1 y2 stroke-width linebreak'
  ).split(' '),
);
const site = 'https://chat.example.com';
const linkSchemes = new Set(['http:', 'https:', 'ftp:', 'mailto:', 'file:', 'bitcoin:']);
const pictureSchemes = new Set(['http:', 'https:', 'ftp:']);
const addressAttributes = new Set(['href', 'src', 'data-src-fullsize']);
const plainValues: Readonly<Record<string, RegExp>> = {
  align: /^(?:left|center|right)$/,
  'data-id': /^[\w-]+$/,
  'data-stream-id': /^\d+$/,
  'data-user-group-id': /^\d+$/,
  'data-user-id': /^(?:\d+|\*)$/,
  start: /^\d+$/,
  style: /^(?:[a-z-]+:[#a-zA-Z0-9.+\- ]+;?)+$/,
  target: /^_blank$/,
};

type Element = DefaultTreeAdapterTypes.Element;

/** The fault of an address, as a browser reads it. */
function addressProblem(tag: string, name: string, value: string): string | undefined {
  // The renderer writes an address that cannot be parsed unchanged; a browser does not follow it.
  const url = URL.parse(value, `${site}/`);
  if (url === null) return undefined;
  const schemes = tag === 'img' ? pictureSchemes : linkSchemes;
  if (!schemes.has(url.protocol)) return `${name} with ${url.protocol}`;
  const isAbsolute = /^[a-z][a-z0-9+.-]*:/.test(value);
  if (!isAbsolute && url.origin !== site) return `${name} leaves the site: ${value}`;
  return undefined;
}

function elementProblem(element: Element): string | undefined {
  const { tagName: tag, attrs } = element;
  const allowed = messageTags[tag];
  if (allowed === undefined && !formulaTags.has(tag)) return `element ${tag}`;
  for (const { name, value } of attrs) {
    if (!(allowed?.includes(name) ?? formulaAttributes.has(name)))
      return `attribute ${name} of ${tag}`;
    if (addressAttributes.has(name)) {
      const problem = addressProblem(tag, name, value);
      if (problem !== undefined) return problem;
    }
    if (plainValues[name]?.test(value) === false) return `${name}="${value}"`;
  }
  return undefined;
}

/** Returns what a browser would find in HTML besides known elements, attributes and schemes; undefined if there is nothing. */
export function findHarm(html: string): string | undefined {
  const waiting: DefaultTreeAdapterTypes.ChildNode[] = [...parseFragment(html).childNodes];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.nodeName === '#text') continue;
    if (!('tagName' in node)) return `node ${node.nodeName}`;
    const problem = elementProblem(node);
    if (problem !== undefined) return problem;
    waiting.push(...node.childNodes);
  }
  return undefined;
}
