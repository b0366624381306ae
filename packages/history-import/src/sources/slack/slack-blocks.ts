/** Translates Slack's blocks to our markup. */
import { isRecord } from '../../reading/row.ts';
import { findSourceEmoji, readEmojiCode, writeEmoji } from '../source-emoji.ts';
import {
  everybody,
  fence,
  hiddenChannel,
  link,
  quote,
  textOf,
  translateMrkdwn,
} from './slack-mrkdwn.ts';
import type { SlackNames } from './slack-mrkdwn.ts';

export type Element = Readonly<Record<string, unknown>>;

export const listOf = (value: unknown): readonly Element[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** Markers may not touch blanks inside, and end with their line. */
function styled(text: string, style: unknown): string {
  if (!isRecord(style)) return text;
  const around = (part: string, marker: string): string =>
    part
      .split('\n')
      .map((line) => {
        const inner = line.trim();
        return inner === '' ? line : line.replace(inner, () => `${marker}${inner}${marker}`);
      })
      .join('\n');
  if (style['code'] === true) return around(text, '`');
  let shown = text;
  if (style['italic'] === true) shown = around(shown, '*');
  if (style['bold'] === true) shown = around(shown, '**');
  return style['strike'] === true ? around(shown, '~~') : shown;
}

/** A custom emoji has a name alone. */
function translateEmojiElement(element: Element): string {
  const name = textOf(element['name']);
  return writeEmoji(name, readEmojiCode(element['unicode']) ?? findSourceEmoji(name));
}

function translateInline(element: Element, names: SlackNames): string {
  switch (element['type']) {
    case 'text':
      return styled(textOf(element['text']), element['style']);
    case 'link':
      return link(textOf(element['url']), textOf(element['text']) || undefined);
    case 'user':
      return names.person(textOf(element['user_id'])) ?? textOf(element['user_id']);
    case 'channel':
      return names.channel(textOf(element['channel_id'])) ?? hiddenChannel;
    case 'emoji':
      return translateEmojiElement(element);
    case 'broadcast':
      return element['range'] === 'here' ? '@here' : everybody;
    case 'usergroup':
      return '@team';
    default:
      return textOf(element['text']) || textOf(element['fallback']) || textOf(element['value']);
  }
}

const inlines = (element: Element, names: SlackNames): string =>
  listOf(element['elements'])
    .map((inner) => translateInline(inner, names))
    .join('');

/** Levels of nested lists, by their indents there: one that is deeper is one level deeper, however much. */
class ListLevels {
  readonly #indents: number[] = [];

  levelOf(indent: number): number {
    while ((this.#indents.at(-1) ?? -1) >= indent) this.#indents.pop();
    this.#indents.push(indent);
    return this.#indents.length - 1;
  }
}

/** Slack's deepest; the tree of ours has a limit too. */
const levelMax = 8;

/** An item is one block here: only its own lines are below it. */
function translateListElement(element: Element, level: number, names: SlackNames): string {
  const indent = '  '.repeat(Math.min(level, levelMax));
  const isOrdered = element['style'] === 'ordered';
  const first = (Number(element['offset']) || 0) + 1;
  return listOf(element['elements'])
    .map((item, n) => {
      const text = inlines(item, names).trim().replaceAll(/\n+/g, `\n${indent}  `);
      return `${indent}${isOrdered ? `${first + n}.` : '*'} ${text}`;
    })
    .join('\n');
}

/** Neighbouring lists of different depths are one nested list, without a blank line: behind one, what is indented would be code. */
function translateLists(lists: readonly Element[], names: SlackNames): string {
  const levels = new ListLevels();
  let text = '';
  let topStyle: unknown;
  for (const list of lists) {
    const level = levels.levelOf(Math.max(0, Number(list['indent']) || 0));
    const isOther = level === 0 && text !== '' && list['style'] !== topStyle;
    if (level === 0) topStyle = list['style'];
    text += `${isOther ? '\n' : ''}${translateListElement(list, level, names)}\n`;
  }
  return `\n${text}`;
}

function translateRichTextElement(element: Element, names: SlackNames): string {
  switch (element['type']) {
    case 'rich_text_preformatted':
      return fence(inlines(element, names), textOf(element['language']).replaceAll(/\W/g, ''));
    case 'rich_text_quote':
      return `\n${quote(inlines(element, names))}\n\n`;
    default:
      return inlines(element, names);
  }
}

function translateRichText(block: Element, names: SlackNames): string {
  const elements = listOf(block['elements']);
  const isList = (element: Element | undefined): boolean => element?.['type'] === 'rich_text_list';
  let text = '';
  for (let n = 0; n < elements.length; n += 1) {
    const from = n;
    while (isList(elements[n])) n += 1;
    if (n > from) text += translateLists(elements.slice(from, n), names);
    const element = elements[n];
    if (element !== undefined) text += translateRichTextElement(element, names);
  }
  return text.trim();
}

/** A cell is plain, or has rich text, of which here is one line. */
function translateCell(cell: Element, names: SlackNames): string {
  const text = cell['type'] === 'rich_text' ? translateRichText(cell, names) : textOf(cell['text']);
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
    .replaceAll('|', String.raw`\|`);
}

/** The first row is the header, which is as long as the longest: the renderer fills the others. */
function translateTable(block: Element, names: SlackNames): string {
  const list: unknown = block['rows'];
  const rows = (Array.isArray(list) ? list : []).map((row: unknown) =>
    listOf(row).map((cell) => translateCell(cell, names)),
  );
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns === 0) return '';
  const [first = [], ...others] = rows;
  const header = Array.from({ length: columns }, (_, n) => first[n] ?? '');
  const rule = Array.from({ length: columns }, () => '---');
  const lines = [header, rule, ...others].map((cells) => `| ${cells.join(' | ')} |`);
  return `\n${lines.join('\n')}\n`;
}

/** A text object of a block, in either of its forms. */
function textObject(value: unknown, names: SlackNames): string {
  if (!isRecord(value)) return textOf(value);
  const text = textOf(value['text']);
  return value['type'] === 'mrkdwn' ? translateMrkdwn(text, names) : text;
}

function translateBlock(block: Element, names: SlackNames): string {
  switch (block['type']) {
    case 'rich_text':
      return translateRichText(block, names);
    case 'header':
      return `**${textObject(block['text'], names)}**`;
    case 'markdown':
      return textOf(block['text']);
    case 'context':
      return listOf(block['elements'])
        .map((element) => textObject(element, names))
        .join(' ');
    case 'image':
      return link(textOf(block['image_url']), textOf(block['alt_text']) || undefined);
    case 'video':
      return link(
        textOf(block['title_url']) || textOf(block['video_url']),
        textObject(block['title'], names) || undefined,
      );
    case 'table':
      return translateTable(block, names);
    default:
      return [
        textObject(block['text'], names),
        ...listOf(block['fields']).map((field) => textObject(field, names)),
      ]
        .filter((part) => part !== '')
        .join('\n');
  }
}

/** @returns the texts of a list of blocks, one below the other */
export function translateBlocks(blocks: readonly Element[], names: SlackNames): string {
  return blocks
    .map((block) => translateBlock(block, names))
    .filter(Boolean)
    .join('\n')
    .trim();
}
