import { expect, test } from 'vitest';

import { parseSearch, suggestSearches } from './search-suggestions.ts';

const people = [
  { user_id: 11, full_name: 'Mara Quist', email: 'mara@example.com' },
  { user_id: 12, full_name: 'Oleg Tarn', email: 'oleg@example.com' },
  { user_id: 13, full_name: 'Ann Twin', email: 'ann@example.com' },
  { user_id: 14, full_name: 'Ann Twin', email: 'twin@example.com' },
];
const streams = [
  { stream_id: 21, name: 'garden' },
  { stream_id: 22, name: 'Release Notes' },
  { stream_id: 23, name: 'STRASSE' },
];
const sources = {
  people,
  everybody: [...people, { user_id: 15, full_name: 'Old Bot', email: 'bot@example.com' }],
  streams,
  allStreams: [...streams, { stream_id: 24, name: 'attic' }],
  topicsOf: (streamId: number) => (streamId === 21 ? ['seed swap', 'plot 7'] : []),
};

test.each([
  ['', []],
  ['red soup', [{ operator: 'search', operand: 'red soup' }]],
  ['stream:Garden', [{ operator: 'stream', operand: 21 }]],
  ['stream:"release notes"', [{ operator: 'stream', operand: 22 }]],
  ['in:#garden', [{ operator: 'stream', operand: 21 }]],
  ['sender:bot@example.com', [{ operator: 'sender', operand: 'bot@example.com' }]],
  ['stream:Attic', [{ operator: 'stream', operand: 24 }]],
  ['channel:straße', [{ operator: 'stream', operand: 23 }]],
  ['from:"Oleg TARN"', [{ operator: 'sender', operand: 'oleg@example.com' }]],
  [
    'after:2026-02-01 before:2026-03-01',
    [
      { operator: 'after', operand: '2026-02-01' },
      { operator: 'before', operand: '2026-03-01' },
    ],
  ],
  [
    '-sender:mara@example.com',
    [{ operator: 'sender', operand: 'mara@example.com', negated: true }],
  ],
  ['pm-with:oleg@example.com,mara@example.com', [{ operator: 'pm-with', operand: [11, 12] }]],
  [
    'soup is:unread now',
    [
      { operator: 'is', operand: 'unread' },
      { operator: 'search', operand: 'soup now' },
    ],
  ],
  ['https://quay.com', [{ operator: 'search', operand: 'https://quay.com' }]],
  ['size:big', [{ operator: 'search', operand: 'size:big' }]],
])('%s is a search for %j', (text, narrow) => {
  expect(parseSearch(text, sources)).toEqual({ narrow });
});

test.each([
  ['stream:nowhere', 'nowhere'],
  ['from:who@example.com', 'who@example.com'],
  ['pm-with:oleg@example.com,who', 'who'],
  ['from:"Ann Twin"', 'Ann Twin'],
  ['is:lost', 'unread, mentioned, starred, private, alerted'],
  ['has:soul', 'link, image, attachment'],
  ['before:yesterday', 'yesterday'],
  ['after:2026-02-40', '2026-02-40'],
  ['stream:', 'stream:'],
])('%s is not searched for, and why is said', (text, said) => {
  expect(parseSearch(text, sources).fault).toContain(said);
});

test.each([
  ['', ['stream:', 'topic:', 'sender:', 'pm-with:', 'is:', 'has:', 'before:', 'after:']],
  ['fr', ['from:']],
  ['from:ol', ['from:oleg@example.com ']],
  ['garden ', []],
  ['to', ['topic:']],
  ['-se', ['-sender:']],
  ['gard', ['stream:garden ']],
  ['soup notes', ['soup stream:"Release Notes" ']],
  ['quist', ['sender:mara@example.com ']],
  ['is:m', ['is:mentioned ']],
  ['-has:im', ['-has:image ']],
  ['stream:garden topic:s', ['stream:garden topic:"seed swap" ']],
  ['stream:garden topic:"see', ['stream:garden topic:"seed swap" ']],
  ['topic:s', []],
  ['sender:ol', ['sender:oleg@example.com ']],
  ['zzz', []],
])('%j may go on as %j', (text, expected) => {
  expect(suggestSearches(text, sources).map((each) => each.text)).toEqual(expected);
});
