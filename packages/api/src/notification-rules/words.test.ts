import { expect, test } from 'vitest';

import { wordsOf } from './words.ts';

test.each([
  ['<p>The <strong>soup</strong> is ready</p>', 'The soup is ready'],
  ['<p>one<br>\ntwo</p>\n<p>three</p>', 'one two three'],
  ['<p>a &lt;b&gt; &amp;amp; &quot;c&quot;</p>', 'a <b> &amp; "c"'],
  ['', ''],
  [
    '<p><span class="katex"><span class="katex-mathml"><math><semantics><mn>1</mn><annotation encoding="application/x-tex">\\frac{1}{2} &lt; 1</annotation></semantics></math></span><span aria-hidden="true" class="katex-html"><span class="base">21</span></span></span> is half</p>',
    '$$\\frac{1}{2} < 1$$ is half',
  ],
  [
    '<p><img alt=":zulip:" class="emoji" src="/zulip.png"> <span aria-label="octopus" class="emoji emoji-1f419">:octopus:</span></p>',
    ':zulip: :octopus:',
  ],
  ['<p>&nbsp;&#955; &lambda; &foo; &amp;lt;</p>', 'λ λ &foo; &lt;'],
  ['<blockquote>\n<p>said<br>\nthen</p>\n</blockquote>\n<p>answer</p>', '“said then” answer'],
  ['<p>use <code>a &lt;b&gt;</code>, now</p>', 'use `a <b>`, now'],
  [
    '<div class="codehilite"><pre><span></span><span class="k">def</span> f():\n  1\n</pre></div>after',
    '`def f(): 1` after',
  ],
  ['<table>\n<tr>\n<th>a</th>\n<td>b</td></tr></table>', 'a b'],
  ['<ul>\n<li>one</li><li>two</li></ul>', 'one two'],
  ['<a href="/a?b&amp;c" title="x > y"><img src="/thumbnail"></a>', '/a?b&c'],
  ['<a href="/a">a <em>b</em></a>', 'a b'],
  ['<p><a href="/a">a.png</a></p><div><a href="/a"><img src="/b"></a></div>', 'a.png'],
  ['<p>a &lt; b <span class="kat', 'a < b'],
  [
    '<p>before</p>\n<div class="spoiler-block"><div class="spoiler-header">\n<p>The <em>end</em></p>\n</div><div class="spoiler-content" aria-hidden="true">\n<p>It <code>was</code> <a href="/a"><img alt="him" src="/b"></a></p>\n<span class="katex"><annotation>x</annotation></span>\n</div></div>\n\n<p>after</p>',
    'before The end (…) after',
  ],
  ['<div class="spoiler-content" aria-hidden="true">\n<p>It w', '(…)'],
])('the words of %s', (html, words) => {
  expect(wordsOf(html)).toBe(words);
});

test('long texts are cut', () => {
  expect(wordsOf(`<p>${'word '.repeat(100)}</p>`)).toHaveLength(201);
  expect(wordsOf('<p>1😀😀</p>', 4)).toBe('1😀…');
});
