/** Translates Slack's older markup (`mrkdwn`) to ours. */
import { writeLink } from '@parley/markdown';

import { cleanText } from '../../reading/row.ts';
import { findSourceEmoji, writeEmoji } from '../source-emoji.ts';

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

export const everybody = '@**all**';

/** What a channel is called whose name is not known, or not to everybody. */
export const hiddenChannel = '#private channel';

export function link(url: string, label: string | undefined): string {
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

export function fence(code: string, language = ''): string {
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

export function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** @returns a field that should be a text; empty for anything else */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? cleanText(value).replaceAll(marks, '') : '';
