/**
 * The one template of all mails. A letter is data: our own words, and words of people, which are quoted in this file and nowhere else. So no
 * name begins a line, ends a quotation, or becomes a link or markup, in the text or in the HTML.
 */

import { answerMark } from './answer-mark.ts';

/** Our own words, or words of a person. */
export type Words = string | { readonly quoted: string; readonly longest?: number };
export type Paragraph = readonly Words[];

/** The content of a mail, as JSON can carry it. */
export type Letter = {
  readonly subject: Paragraph;
  readonly paragraphs: readonly Paragraph[];
  /** The link that the mail is for. */
  readonly action?: { readonly label: string; readonly url: string };
  /** Why the mail came, in small print. */
  readonly ending: Paragraph;
  /** Whether its recipient answers it by mail, and so writes above a line at its beginning. */
  readonly isAnswerable?: true;
  /** Where its recipient chooses to get no more of such mails. */
  readonly unsubscribeUrl?: string;
};

export type WrittenLetter = {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
};

const quotedMaxCodePoints = 100;

/**
 * Words of a person, for a `Paragraph`.
 *
 * @param longest in code points; longer words are cut
 */
export function quote(words: string, longest = quotedMaxCodePoints): Words {
  return longest === quotedMaxCodePoints ? { quoted: words } : { quoted: words, longest };
}

/** In quotation marks that the words themselves cannot close, on one line and of bounded length. */
function quoted(words: string, longest: number): string {
  const line = words
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll(/[“”„‟"]/g, "'")
    .trim();
  const points = Array.from(line);
  const short = points.length <= longest ? line : `${points.slice(0, longest - 1).join('')}…`;
  return `“${short}”`;
}

const wordJoiner = '\u{2060}';

/** Mail programs make links of what looks like an address. An invisible character after its signs keeps them from it. */
function unlinked(words: string): string {
  return words.replaceAll(/[.:/@](?=\S)/g, `$&${wordJoiner}`);
}

function lineOf(paragraph: Paragraph, form: (words: string) => string): string {
  return paragraph
    .map((words) =>
      typeof words === 'string'
        ? words
        : form(quoted(words.quoted, words.longest ?? quotedMaxCodePoints)),
    )
    .join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

const styles = {
  body: 'margin:0;padding:24px;background:#f4f5f7;color:#1f2430;font:16px/1.5 system-ui,sans-serif',
  sheet: 'max-width:34em;margin:0 auto;padding:24px;background:#fff;border-radius:8px',
  action:
    'display:inline-block;padding:10px 18px;border-radius:6px;background:#2f5fd0;color:#fff;text-decoration:none',
  ending: 'color:#5b6270;font-size:14px',
} as const;

/** Writes a letter as text and as HTML. Both say the same. */
export function writeLetter(letter: Letter): WrittenLetter {
  const { subject, paragraphs, action, ending, isAnswerable, unsubscribeUrl } = letter;
  const marks = isAnswerable === true ? [answerMark] : [];
  const lines = [...paragraphs, ending].map((paragraph) => lineOf(paragraph, unlinked));
  const [last = ''] = lines.splice(-1);
  const choice =
    unsubscribeUrl === undefined
      ? undefined
      : { url: unsubscribeUrl, label: 'Choose which mails you get' };
  const title = lineOf(subject, (words) => words);
  const paragraph = (line: string): string => `<p>${escaped(line)}</p>`;
  const link =
    action &&
    `<a style="${styles.action}" href="${escaped(action.url)}">${escaped(action.label)}</a>`;
  return {
    subject: title,
    text:
      [
        ...marks,
        ...lines,
        ...(action ? [`${action.label}:\n${action.url}`] : []),
        `-- \n${last}`,
        ...(choice ? [`${choice.label}:\n${choice.url}`] : []),
        '',
      ]
        .join('\n\n')
        .trimEnd() + '\n',
    html: [
      '<!doctype html><html lang="en"><head><meta charset="utf-8">',
      `<title>${escaped(unlinked(title))}</title></head><body style="${styles.body}"><div style="${styles.sheet}">`,
      ...marks.map((mark) => `<p style="${styles.ending}">${mark}</p>`),
      ...lines.map(paragraph),
      ...(link === undefined ? [] : [`<p>${link}</p>`]),
      `<p style="${styles.ending}">${escaped(last)}</p>`,
      ...(choice === undefined
        ? []
        : [
            `<p style="${styles.ending}"><a href="${escaped(choice.url)}">${escaped(choice.label)}</a></p>`,
          ]),
      '</div></body></html>',
    ].join('\n'),
  };
}
