import fc from 'fast-check';
import { expect, test } from 'vitest';

import { ServerSentEventsParser } from './server-sent-events.ts';

test('events have their names, lines and order; comments are none', () => {
  const parser = new ServerSentEventsParser();
  expect(
    parser.push(': hello\n\nid: 1\ndata: one\n\nevent: error\ndata:two\r\ndata: lines\r\n\r\n'),
  ).toEqual([
    { name: 'message', data: 'one' },
    { name: 'error', data: 'two\nlines' },
  ]);
});

test('signs that end lines elsewhere are part of the data', () => {
  const data = 'a\u2028b\u2029c\u0085d\ve\f';
  const parser = new ServerSentEventsParser();
  expect(parser.push(`data: ${data}\n\n`)).toEqual([{ name: 'message', data }]);
});

test('the last pause that the server asks for counts', () => {
  const parser = new ServerSentEventsParser();
  parser.push('retry: 1000\n\nretry: 2500\n\nretry: soon\n\n');
  expect(parser.retryMs).toBe(2500);
});

test('events are the same however their text is cut', () => {
  const text = fc.string({ unit: 'grapheme' }).map((each) => each.replaceAll(/[\r\n]/g, ' '));
  fc.assert(
    fc.property(
      fc.array(text),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      (texts, cuts) => {
        const parser = new ServerSentEventsParser();
        let rest = texts.map((each) => `id: 1\r\ndata: ${each}\r\n\r\n`).join('');
        const found: string[] = [];
        for (const length of cuts) {
          if (rest === '') break;
          found.push(...parser.push(rest.slice(0, length)).map(({ data }) => data));
          rest = rest.slice(length);
        }
        expect(found).toEqual(texts);
      },
    ),
  );
});
