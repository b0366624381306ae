/** Translates Slack's markup, in its older form (`mrkdwn`) and in blocks, to ours. */
import { writeLink } from '@parley/markdown';

import { cleanText, isRecord } from '../../reading/row.ts';
import { findSourceEmoji, readEmojiCode, writeEmoji } from '../source-emoji.ts';
import { filesOf, reasonGone } from './files.ts';

/** How the things are called that a text refers to. */
export type SlackNames = {
  /** @returns a mention of a person, or undefined for an unknown one */
  readonly person: (id: string) => string | undefined;
  /** @returns a link to a channel, or undefined for an unknown one */
  readonly channel: (id: string) => string | undefined;
  /** @returns the path of a file that was imported, or undefined if it stays a link */
  readonly file: (id: string) => string | undefined;
};

/** For texts that are plain and not rendered. */
export const noNames: SlackNames = {
  person: () => undefined,
  channel: () => undefined,
  file: () => undefined,
};

const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

function unescapeText(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt);/g, (entity) => entities[entity] ?? entity);
}

/** Marks the place of a part that is finished; no text contains these characters. */
const mark = { begin: '\uE000', end: '\uE001' } as const;
const marks = /[\uE000\uE001]/g;
const marked = /\uE000(\d+)\uE001/g;

const everybody = '@**all**';

/** What a channel is called whose name is not known, or not to everybody. */
export const hiddenChannel = '#private channel';

function link(url: string, label: string | undefined): string {
  const address = unescapeText(url);
  const shown = label === undefined ? '' : unescapeText(label);
  if (/^(?:mailto|tel):/.test(address)) return shown || address.replace(/^\w+:/, '');
  return shown === '' || shown === address ? address : writeLink(shown, address);
}

/** A token between angle brackets. */
function translateToken(token: string, names: SlackNames): string {
  const bar = token.indexOf('|');
  const target = bar < 0 ? token : token.slice(0, bar);
  const label = bar < 0 ? undefined : token.slice(bar + 1);
  const plain = unescapeText(label ?? '');
  if (target.startsWith('@')) {
    if (target === '@here') return '@here';
    return names.person(target.slice(1)) ?? (plain || target.slice(1)).replace(/^@/, '');
  }
  if (target.startsWith('#'))
    return names.channel(target.slice(1)) ?? (plain === '' ? hiddenChannel : `#${plain}`);
  if (!target.startsWith('!')) return link(target, label);
  const word = target.slice(1);
  if (word === 'channel' || word === 'everyone') return everybody;
  return word.startsWith('here') ? '@here' : plain;
}

const toneOrName = /:([\w+'-]+)(?:::skin-tone-[2-6](?:-[2-6])?)?:/g;

/** Emoji lose their skin tones. */
function translateEmoji(text: string): string {
  return text.replaceAll(toneOrName, (_whole, name: string) =>
    writeEmoji(name, findSourceEmoji(name)),
  );
}

const emphases: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w*])\*(?![\s*])([^*\n]*[^\s*])\*(?![\w*])/gu, '**$1**'],
  [/(?<![\w_])_(?![\s_])([^_\n]*[^\s_])_(?![\w_])/gu, '*$1*'],
  [/(?<![\w~])~(?![\s~])([^~\n]*[^\s~])~(?![\w~])/gu, '~~$1~~'],
];

function fence(code: string, language = ''): string {
  const longest = code.matchAll(/`+/g).reduce((most, [run]) => Math.max(most, run.length), 2);
  const ticks = '`'.repeat(longest + 1);
  return `\n${ticks}${language}\n${code.replace(/^\n/, '').replace(/\n$/, '')}\n${ticks}\n`;
}

/** @returns the text of the older form in our dialect */
export function translateMrkdwn(written: string, names: SlackNames): string {
  const parts: string[] = [];
  const keep = (part: string): string => {
    parts.push(part);
    return `${mark.begin}${parts.length - 1}${mark.end}`;
  };
  let text = cleanText(written).replaceAll(marks, '');
  text = text.replaceAll(/```([\s\S]+?)```/g, (_whole, code: string) =>
    keep(fence(unescapeText(plainTokens(code)))),
  );
  text = text.replaceAll(/`([^`\n]+)`/g, (_whole, code: string) =>
    keep(`\`${unescapeText(plainTokens(code))}\``),
  );
  text = text.replaceAll(/<([^<>\n]+)>/g, (_whole, token: string) =>
    keep(translateToken(token, names)),
  );
  for (const [pattern, form] of emphases) text = text.replaceAll(pattern, form);
  text = text
    .split('\n')
    .map((line) =>
      line.replace(/^(\s*)(?:•|◦|▪\uFE0E?)\s*/u, '$1* ').replace(/^&gt;(?:&gt;&gt;)?\s?/, '> '),
    )
    .join('\n');
  text = translateEmoji(unescapeText(text));
  return text.replaceAll(marked, (_whole, n: string) => parts[Number(n)] ?? '').trim();
}

/** Addresses inside code are shown, not linked. */
function plainTokens(code: string): string {
  return code.replaceAll(
    /<([^<>|\n]+)(?:\|([^<>\n]+))?>/g,
    (_whole, target: string, label?: string) => label ?? target,
  );
}

type Element = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): readonly Element[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
const textOf = (value: unknown): string =>
  typeof value === 'string' ? cleanText(value).replaceAll(marks, '') : '';

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

function translateList(element: Element, names: SlackNames): string {
  const indent = '  '.repeat(Math.min(8, Math.max(0, Number(element['indent']) || 0)));
  const isOrdered = element['style'] === 'ordered';
  const first = (Number(element['offset']) || 0) + 1;
  return listOf(element['elements'])
    .map((item, n) => `${indent}${isOrdered ? `${first + n}.` : '*'} ${inlines(item, names)}`)
    .join('\n');
}

function translateRichText(block: Element, names: SlackNames): string {
  return listOf(block['elements'])
    .map((element) => {
      switch (element['type']) {
        case 'rich_text_list':
          return `\n${translateList(element, names)}\n`;
        case 'rich_text_preformatted':
          return fence(inlines(element, names), textOf(element['language']).replaceAll(/\W/g, ''));
        case 'rich_text_quote':
          return `\n${quote(inlines(element, names))}\n\n`;
        default:
          return inlines(element, names);
      }
    })
    .join('')
    .trim();
}

export function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
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
    default:
      return [
        textObject(block['text'], names),
        ...listOf(block['fields']).map((field) => textObject(field, names)),
      ]
        .filter((part) => part !== '')
        .join('\n');
  }
}

function translateCard(card: Element, text: string, names: SlackNames): string {
  const address = textOf(card['from_url']) || textOf(card['original_url']);
  const isShared = card['is_msg_unfurl'] === true || card['is_share'] === true;
  // The renderer makes previews of its own.
  if (address !== '' && !isShared && text.includes(address)) return '';
  const body = translateMrkdwn(textOf(card['text']), names);
  if (isShared) return quote([textOf(card['author_name']), body].filter(Boolean).join(': '));
  const title = textOf(card['title']);
  const titleLink = textOf(card['title_link']);
  const parts = [
    translateMrkdwn(textOf(card['pretext']), names),
    titleLink === '' ? title : link(titleLink, title),
    body,
    ...listOf(card['fields']).map(
      (field) => `**${textOf(field['title'])}**: ${translateMrkdwn(textOf(field['value']), names)}`,
    ),
    textOf(card['footer']),
  ].filter((part) => part !== '');
  return parts.length > 0 ? parts.join('\n') : translateMrkdwn(textOf(card['fallback']), names);
}

/** A file of a message, as a link to it here or at Slack. */
function translateFile(file: Element, names: SlackNames): string {
  const name = (textOf(file['title']) || textOf(file['name']) || 'file').replaceAll('\n', ' ');
  const path = names.file(textOf(file['id']));
  if (path !== undefined) return writeLink(name, `/user_uploads/${encodeURI(path)}`);
  const gone = reasonGone(file);
  if (gone !== undefined) return `(file ${name}, ${gone})`;
  // What follows may be a key that opens all files.
  return link(textOf(file['url_private']).replace(/\?.*$/s, ''), name);
}

/** @returns the whole text of a message; empty if there is nothing in it */
export function translateMessage(message: Element, names: SlackNames): string {
  const written = textOf(message['text']);
  const blocks = listOf(message['blocks']);
  const byBlocks = blocks
    .map((block) => translateBlock(block, names))
    .filter(Boolean)
    .join('\n');
  const byText = translateMrkdwn(written, names);
  const isRich = blocks.some(({ type }) => type === 'rich_text');
  const main =
    isRich || byText === '' || byBlocks.length > byText.length ? byBlocks || byText : byText;
  const cards = listOf(message['attachments']).map((card) => translateCard(card, written, names));
  const links = filesOf(message).map((file) => translateFile(file, names));
  return [main, ...cards, ...links].filter((part) => part !== '').join('\n');
}
