import { expect, test } from 'vitest';

import { withoutMentions } from './quiet-text.ts';

test.each([
  ['@**all** look', '@_**all** look'],
  ['(@**Rina|7**)', '(@_**Rina|7**)'],
  ['@*potters*', '@\u200b*potters*'],
  ['@\u0002*\u0003*all**', '@_**all**'],
  ['@\u0003*potters*', '@\u200b*potters*'],
  ['@_**Rina**', '@_**Rina**'],
  ['@@**all**', '@@_**all**'],
  ['rina@example.com @all **x** *y*', 'rina@example.com @all **x** *y*'],
])('%j becomes %j', (text, quiet) => {
  expect(withoutMentions(text)).toBe(quiet);
});
