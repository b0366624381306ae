import { wordClass } from './inline-run.ts';
import type { InlinePass } from './inline-run.ts';
import { addFoundLink } from './links.ts';

/**
 * The endings that make bare text a domain (reference facts, markdown 4.6): a list of 2013 without `md` and `py`, so that file names stay
 * text.
 */
const names = `
ac ad ae aero af ag ai al am an ao aq ar arpa as asia at au aw ax az ba bb bd be bf bg bh bi
biz bj bm bn bo br bs bt bv bw by bz ca cat cc cd cf cg ch ci ck cl cm cn co com coop cr cu cv
cw cx cy cz de dj dk dm do dz ec edu ee eg er es et eu fi fj fk fm fo fr ga gb gd ge gf gg gh
gi gl gm gn gov gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in info int io iq ir is
it je jm jo jobs jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc me
mg mh mil mk ml mm mn mo mobi mp mq mr ms mt mu museum mv mw mx my mz na name nc ne net nf ng
ni nl no np nr nu nz om org pa pe pf pg ph pk pl pm pn post pr pro ps pt pw qa re ro rs ru rw
sa sb sc sd se sg sh si sj sk sl sm sn so sr st su sv sx sy sz tc td tel tf tg th tj tk tl tm
tn to tp tr travel tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws xxx ye yt za zm zw
`;

const knownDomains = new Set(names.trim().split(/\s+/));

/** Domains from the same date in Punycode. */
const punycodeDomain = /^xn--[a-z0-9]+$/;

function isTopLevelDomain(label: string): boolean {
  return knownDomains.has(label) || punycodeDomain.test(label);
}

/** A bare URL, domain or address in a text; `end` is exclusive. */
export type BareLink = { start: number; end: number; isMail: boolean };

/** Characters that may follow a link without being part of it (reference facts, markdown 4.6). */
const trailing = '!:;?),.\'">';
/** The left boundary, as characters; whitespace ends the chunks themselves. */
const opening = '\'"(,:<';
/** Of scripts that are written without spaces. */
const unspacedLetter =
  '[\\p{L}&&[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]]\\p{M}{0,4}';
/** Another left boundary: where such letters end, or their punctuation. */
const afterUnspacedText = new RegExp(
  `(?<=${unspacedLetter}|[、。，：；！？・）」』】〉》〕])(?!${unspacedLetter})`,
  'vy',
);
/** A text that an address with other letters follows: few names mix them. */
const unspacedTextBefore = new RegExp(`(?:${unspacedLetter})+(?=[a-z0-9])`, 'ivy');
/** The depth of nested parentheses in a path (reference facts, markdown 4.6). */
const pathNestingMax = 7;

const schemeHost = new RegExp(String.raw`https?:\/\/[${wordClass}.:@-]+`, 'uy');
const domainCharacters = new RegExp(String.raw`[${wordClass}.-]+`, 'uy');
const mailAddress = new RegExp(
  String.raw`^[${wordClass}.-]+@[${wordClass}.-]+\.[${wordClass}]+$`,
  'u',
);
const bitcoinAddress = /bitcoin:[13][a-km-zA-HJ-NP-Z1-9]{25,34}/y;
const fileUrl = /file:\/\/(?:\/[^/\s]*)+/y;
const placeholder = /[\uDBC0-\uDBFF]/;

function matchAt(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The first end of a path at or after `least` where all parentheses are closed, or -1. */
function pathEnd(chunk: string, slash: number, least: number): number {
  let depth = 0;
  for (let index = slash + 1; index <= chunk.length; index += 1) {
    if (index >= least && depth === 0) return index;
    const character = chunk[index];
    if (character === undefined || character === '"' || placeholder.test(character)) return -1;
    if (character === '(') {
      depth += 1;
      if (depth > pathNestingMax) return -1;
    } else if (character === ')') {
      depth -= 1;
      if (depth < 0) return -1;
    }
  }
  return -1;
}

function isDomain(text: string): boolean {
  const last = text.lastIndexOf('.');
  // Most texts end here, and a chunk may be tried many times.
  if (last <= 0 || !isTopLevelDomain(text.slice(last + 1))) return false;
  return !text.startsWith('.') && !text.includes('..');
}

/**
 * The end of a link that starts at `start` of a chunk without whitespace, or undefined. It must reach into the run of trailing characters
 * that begins at `least`, and takes as few of them as possible.
 */
function findLinkEnd(
  chunk: string,
  start: number,
  least: number,
  fileLinks: boolean,
): { end: number; isMail: boolean } | undefined {
  const link = (end: number): { end: number; isMail: boolean } => ({ end, isMail: false });
  const hostEnd = matchAt(schemeHost, chunk, start);
  if (hostEnd !== -1) {
    if (hostEnd >= least) {
      const shortest = chunk.indexOf('//', start) + 3;
      return link(Math.max(least, shortest));
    }
    if (chunk[hostEnd] !== '/') return undefined;
    const end = pathEnd(chunk, hostEnd, least);
    return end === -1 ? undefined : link(end);
  }
  const domainEnd = matchAt(domainCharacters, chunk, start);
  if (domainEnd !== -1 && matchAt(unspacedTextBefore, chunk, start) === -1) {
    if (domainEnd >= least) {
      if (isDomain(chunk.slice(start, least))) return link(least);
    } else if (chunk[domainEnd] === '/' && isDomain(chunk.slice(start, domainEnd))) {
      const end = pathEnd(chunk, domainEnd, least);
      if (end !== -1) return link(end);
    } else if (chunk[domainEnd] === '@' && mailAddress.test(chunk.slice(start, least))) {
      return { end: least, isMail: true };
    }
  }
  if (chunk.startsWith('file:', start)) {
    const fileEnd = fileLinks ? matchAt(fileUrl, chunk, start) : -1;
    return fileEnd >= least ? link(Math.max(least, start + 'file:///'.length)) : undefined;
  }
  const bitcoinEnd = matchAt(bitcoinAddress, chunk, start);
  return bitcoinEnd !== -1 && bitcoinEnd === least ? link(bitcoinEnd) : undefined;
}

/** The most attempts in a chunk; each attempt can cost its length. */
const startsPerChunkMax = 200;

/** Bare links of a text from left to right (reference facts, markdown 4.6). */
export function findBareLinks(text: string, fileLinks: boolean): BareLink[] {
  const links: BareLink[] = [];
  for (const match of text.matchAll(/\S+/g)) {
    const chunk = match[0];
    if (!chunk.includes('.') && !chunk.includes(':')) continue;
    let least = chunk.length;
    while (least > 0 && trailing.includes(chunk[least - 1] ?? '')) least -= 1;
    let starts = 0;
    for (let start = 0; start < least && starts < startsPerChunkMax; start += 1) {
      const isBoundary = start === 0 || opening.includes(chunk[start - 1] ?? '');
      if (!isBoundary && matchAt(afterUnspacedText, chunk, start) === -1) continue;
      starts += 1;
      const found = findLinkEnd(chunk, start, least, fileLinks);
      if (found === undefined) continue;
      links.push({
        start: match.index + start,
        end: match.index + found.end,
        isMail: found.isMail,
      });
      break;
    }
  }
  return links;
}

/**
 * The URL of a bare link.
 *
 * @param domainScheme The prefix of a bare domain.
 */
export function bareLinkUrl(shown: string, isMail: boolean, domainScheme: string): string {
  if (isMail) return `mailto:${shown}`;
  return /^(?:https?|file|bitcoin):/.test(shown) ? shown : domainScheme + shown;
}

/** Bare URLs, domains and e-mail addresses (reference facts, markdown 4.6). */
export const bareLinks: InlinePass = (text, run) => {
  let output = '';
  let copied = 0;
  for (const link of findBareLinks(text, run.context.settings.fileLinks === true)) {
    const shown = text.slice(link.start, link.end);
    const url = bareLinkUrl(shown, link.isMail, 'http://');
    const placeholderOfLink = addFoundLink(run, url, run.add({ kind: 'text', text: shown }));
    if (placeholderOfLink === undefined) continue;
    output += text.slice(copied, link.start) + placeholderOfLink;
    copied = link.end;
  }
  return copied === 0 ? text : output + text.slice(copied);
};
