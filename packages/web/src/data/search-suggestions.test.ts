import { expect, test } from 'vitest';

import { parseSearch, suggestSearches } from './search-suggestions.ts';

const sources = {
  people: [
    { user_id: 11, full_name: 'Mara Quist', email: 'mara@example.com' },
    { user_id: 12, full_name: 'Oleg Tarn', email: 'oleg@example.com' },
  ],
  streams: [
    { stream_id: 21, name: 'garden' },
    { stream_id: 22, name: 'Release Notes' },
  ],
  topicsOf: (streamId: number) => (streamId === 21 ? ['seed swap', 'plot 7'] : []),
};

test.each([
  ['', []],
  ['red soup', [{ operator: 'search', operand: 'red soup' }]],
  ['stream:Garden', [{ operator: 'stream', operand: 21 }]],
  ['stream:"release notes"', [{ operator: 'stream', operand: 22 }]],
  ['stream:nowhere', [{ operator: 'stream', operand: 'nowhere' }]],
  [
    '-sender:mara@example.com',
    [{ operator: 'sender', operand: 'mara@example.com', negated: true }],
  ],
  ['pm-with:oleg@example.com,mara@example.com', [{ operator: 'pm-with', operand: [11, 12] }]],
  ['pm-with:who@example.com', [{ operator: 'pm-with', operand: 'who@example.com' }]],
  [
    'soup is:unread now',
    [
      { operator: 'is', operand: 'unread' },
      { operator: 'search', operand: 'soup now' },
    ],
  ],
  ['https://quay.com', [{ operator: 'search', operand: 'https://quay.com' }]],
  ['stream:', []],
])('%s is a search for %j', (text, narrow) => {
  expect(parseSearch(text, sources)).toEqual(narrow);
});

test.each([
  ['', []],
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
