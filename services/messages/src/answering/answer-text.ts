/**
 * Finds what somebody wrote in a mail that quotes the mail that it answers. Each line is looked at a bounded number of times, so the cost is
 * proportional to the length of the text, whatever it is.
 */
import { answerMark } from '@parley/outgoing/mail/answer-mark';

import { isDefaultSignature } from './default-signatures.ts';

const quoteSign = '>';
const signatureMark = '--';
/** `On Thu, 26 Nov 2026 at 22:51, Parley <…> wrote:` may take more than one line. */
const attributionMaxLines = 4;
/** Some programs write who, when, to whom and about what above what they quote. */
const fieldsMin = 3;
/** With those that are folded. */
const fieldsMaxLines = 20;
/** Of them, the lines in which the subject goes on. */
const subjectMaxLines = 2;
/** So many fields with an address are no answer, whatever follows. */
const fieldsSureMin = 4;
const field = /^\*?\p{L}[\p{L}\p{M} -]{0,30}\*? ?(?::\*?(?:\s|$)|：)/u;
/** Some programs go on in this line. */
const wordsBetweenRules = /^-{5,}[^-]{1,60}-{5,}/;
/** Programs put these around addresses and lines that run from right to left. */
const directionSigns = /[\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu;
/** The line before has begun an address, so an introduction does not begin here. */
const addressEnd = /^[^<]*>/;

function isBlank(line: string): boolean {
  return line.trim() === '';
}

function isQuoted(line: string): boolean {
  return line.trimStart().startsWith(quoteSign);
}

/** A line of signs, or words between them: `-----Original Message-----`. */
function isRule(line: string): boolean {
  const trimmed = line.trim();
  const sign = trimmed.charAt(0);
  return (
    ('-_*='.includes(sign) && trimmed.startsWith(sign.repeat(5)) && trimmed.endsWith(sign)) ||
    wordsBetweenRules.test(trimmed)
  );
}

/** Removes lines from the end while they are of a kind. */
function dropEnd(lines: string[], isDropped: (line: string) => boolean): void {
  while (lines.length > 0 && isDropped(lines.at(-1) ?? '')) lines.pop();
}

/** Removes the line in which the program says who wrote what follows: it ends with a colon, and has a date. */
function dropAttribution(lines: string[]): void {
  const last = lines.at(-1)?.replaceAll(directionSigns, '').trimEnd() ?? '';
  if (!last.endsWith(':') && !last.endsWith('：')) return;
  for (let count = 1; count <= attributionMaxLines; count += 1) {
    const line = lines.at(-count);
    if (line === undefined || isBlank(line)) return;
    if (/\p{Nd}/u.test(line) && !addressEnd.test(line)) {
      lines.length -= count;
      return;
    }
  }
}

/** Whether a line goes on with the field in the line before: it is indented, or in a list of addresses. */
function isFolded(line: string, before: string): boolean {
  return /^\s/.test(line) || /[;,]\s*$/.test(before) || /\S@\S/.test(line);
}

/** @returns whether lines, of which the first is a field, are what a program writes above a quotation */
function areFields(lines: readonly string[]): boolean {
  let last = lines.length;
  const isField = (line: string): boolean => field.test(line);
  const count = lines.filter(isField).length;
  const isSure = count >= fieldsSureMin && lines.some((line) => /\S@\S/.test(line));
  // The subject, which may be of any words, comes last.
  if (isSure) last = lines.findLastIndex(isField) + 1;
  return (
    count >= fieldsMin &&
    lines.length - last <= subjectMaxLines &&
    lines.slice(0, last).every((line, at) => isField(line) || isFolded(line, lines[at - 1] ?? ''))
  );
}

function dropFields(lines: string[]): void {
  const paragraph = lines.slice(-fieldsMaxLines);
  paragraph.splice(0, paragraph.findLastIndex(isBlank) + 1);
  for (const [at, line] of paragraph.entries())
    if (field.test(line) && areFields(paragraph.slice(at))) {
      lines.length -= paragraph.length - at;
      return;
    }
}

/** Removes what a program puts before a quotation. */
function dropIntroduction(lines: string[]): void {
  dropEnd(lines, (line) => isBlank(line) || isQuoted(line));
  dropFields(lines);
  dropEnd(lines, (line) => isBlank(line) || isRule(line));
  dropAttribution(lines);
  dropEnd(lines, (line) => isBlank(line) || isRule(line));
}

/** Without a signature (RFC 3676, 4.3), and without what a program adds to all that is written with it. */
function join(lines: readonly string[]): string {
  const signature = lines.findIndex((line) => line.trimEnd() === signatureMark);
  const written = signature === -1 ? [...lines] : lines.slice(0, signature);
  dropEnd(written, (line) => isBlank(line) || isDefaultSignature(line));
  return written
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

/** What stands above the line that asks for it; else, below a quotation of the mail, what is not quoted. */
function writtenAround(lines: readonly string[], mark: number): string {
  const above = lines.slice(0, mark);
  dropIntroduction(above);
  const answer = join(above);
  if (answer !== '' || !isQuoted(lines[mark] ?? '')) return answer;
  return join(lines.slice(mark + 1).filter((line) => !isQuoted(line)));
}

/** A text that does not quote the mail is an answer as it is, but for a quotation of another mail at its end. */
function writtenWithout(lines: string[]): string {
  dropEnd(lines, isBlank);
  const whole = [...lines];
  dropEnd(lines, (line) => isBlank(line) || isQuoted(line));
  const count = lines.length;
  if (count < whole.length) dropAttribution(lines);
  return join(lines.length < count ? lines : whole);
}

/** @returns what the sender of a mail wrote, as far as its text tells; empty if that is nothing */
export function findAnswer(text: string): string {
  const lines = text
    .replaceAll('\0', '')
    .replaceAll('\u{a0}', ' ')
    .toWellFormed()
    .split(/\r\n|\r|\n/);
  const mark = lines.findIndex((line) => line.includes(answerMark));
  return mark === -1 ? writtenWithout(lines) : writtenAround(lines, mark);
}
