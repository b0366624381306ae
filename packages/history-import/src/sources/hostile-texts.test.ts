import { expect, test } from 'vitest';

import { Ledger } from '../ledger.ts';
import { UniqueNames } from '../reading/names.ts';
import { Row } from '../reading/row.ts';
import { firstLine } from './mattermost/mattermost-posts.ts';
import { translateMarkdown } from './mattermost/mattermost-text.ts';
import { SlackThreads, timeOf } from './slack/slack-messages.ts';
import { translateMessage } from './slack/slack-text.ts';

const noNames = {
  person: () => undefined,
  channel: () => undefined,
  file: () => undefined,
  emoji: (name: string) => `:${name}:`,
};

const ledger = (): Ledger => new Ledger({ isStrict: false, write: () => undefined });

const many = 150_000;

test.each([
  ['brackets', '['.repeat(many)],
  ['links without an end', '[]('.repeat(many)],
  ['underscores', '_a '.repeat(many)],
  ['names', '@a.'.repeat(many)],
])('a long text of %s stays as it is', (_name, text) => {
  expect(translateMarkdown(text, noNames)).toBe(text.trim());
  expect(Array.from(firstLine(new Row({ message: text }))).length).toBeLessThanOrEqual(60);
});

const richText = (elements: readonly object[]): Record<string, unknown> => ({
  type: 'message',
  blocks: [{ type: 'rich_text', elements }],
});

test('a long run of blanks inside of a bold text', () => {
  const text = `a${' '.repeat(many)}b`;
  const message = richText([
    { type: 'rich_text_section', elements: [{ type: 'text', text, style: { bold: true } }] },
  ]);
  expect(translateMessage(message, noNames)).toBe(`**${text}**`);
});

const table = (rows: readonly (readonly string[])[]): Record<string, unknown> => ({
  type: 'message',
  blocks: [{ type: 'table', rows: rows.map((cells) => cells.map((text) => ({ text }))) }],
});

test('a long run of blanks inside of a cell', () => {
  const cell = `a${' '.repeat(many)}b`;
  expect(translateMessage(table([[cell]]), noNames)).toBe(`| ${cell} |\n| --- |`);
});

test('a table with one long row and many short ones', () => {
  const long = Array.from({ length: many }, () => 'a');
  const short = Array.from({ length: many }, () => ['b']);
  const text = translateMessage(table([['h'], ...short, long]), noNames);
  expect(text.length).toBeLessThan(30 * many);
});

test('a long run of backticks that are code', () => {
  const code = '` '.repeat(many);
  const message = richText([
    { type: 'rich_text_preformatted', elements: [{ type: 'text', text: code }] },
  ]);
  expect(translateMessage(message, noNames)).toBe(`\`\`\`\n${code}\n\`\`\``);
});

test('a hundred thousand threads that begin alike get names of their own', () => {
  const names = new UniqueNames(60);
  const taken = new Set(Array.from({ length: 100_000 }, () => names.take('Deployed')));
  expect(taken.size).toBe(100_000);
  const long = Array.from({ length: 50_000 }, (_, n) => `${'d'.repeat(54)} ${n}`);
  expect(new Set([...long, ...long].map((name) => names.take(name))).size).toBe(100_000);
  const threads = new SlackThreads(ledger(), noNames);
  const count = 100_000;
  for (let n = 0; n < count; n += 1) {
    const root = `${1_700_000_000 + n}.000100`;
    for (const ts of [root, `${1_700_000_000 + n}.000200`]) {
      const time = timeOf(ts);
      if (time !== undefined)
        threads.see({ type: 'message', text: 'Deployed', ts, thread_ts: root }, time);
    }
  }
  threads.nameTopics('chat');
  const topics = Array.from({ length: count }, (_, n) =>
    threads.topicOf(`${1_700_000_000 + n}.000100`),
  );
  expect(new Set(topics).size).toBe(count);
});

test('threads whose names differ in what folding makes the same are two topics', () => {
  const threads = new SlackThreads(ledger(), noNames);
  for (const [n, text] of ['straße', 'STRASSE'].entries()) {
    const root = `${1_700_000_000 + n}.000100`;
    for (const ts of [root, `${1_700_000_000 + n}.000200`]) {
      const time = timeOf(ts);
      if (time !== undefined) threads.see({ type: 'message', text, ts, thread_ts: root }, time);
    }
  }
  threads.nameTopics('chat');
  expect(threads.topicOf('1700000001.000100')).toBe('STRASSE (2)');
});
