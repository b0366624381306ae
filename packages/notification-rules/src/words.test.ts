import { expect, test } from 'vitest';

import { wordsOf } from './words.ts';

test.each([
  ['<p>The <strong>soup</strong> is ready</p>', 'The soup is ready'],
  ['<p>one<br>\ntwo</p>\n<p>three</p>', 'one two three'],
  ['<p>a &lt;b&gt; &amp;amp; &quot;c&quot;</p>', 'a <b> &amp; "c"'],
  ['', ''],
])('the words of %s', (html, words) => {
  expect(wordsOf(html)).toBe(words);
});

test('long texts are cut', () => {
  expect(wordsOf(`<p>${'word '.repeat(100)}</p>`)).toHaveLength(201);
});
