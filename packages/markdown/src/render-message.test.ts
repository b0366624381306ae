import { describe, expect, it } from 'vitest';

import { createTestContext } from '../tests/test-context.ts';
import { renderDescription, renderMessage } from './render-message.ts';
import { StepBudget } from './step-budget.ts';

const context = createTestContext();
const html = (content: string): string => renderMessage(content, context).html;

describe('what a message mentions', () => {
  it('counts users, groups and wildcards once', () => {
    const message = renderMessage(
      '@**Oleg Tarn** @**oleg tarn** @**Mara Quist** @*Ops* @**all**',
      context,
    );
    expect(message.mentionedUserIds).toEqual([11, 12]);
    expect(message.mentionedGroupIds).toEqual([6]);
    expect(message.mentionsWildcard).toBe(true);
  });

  it('does not count silent and quoted ones, but groups in quotes', () => {
    const message = renderMessage(
      '@_**Oleg Tarn** @_**all**\n\n> @**Mara Quist** @**everyone** @*Ops*\n\n```quote\n@**Pat Lee|14**\n```',
      context,
    );
    expect(message.mentionedUserIds).toEqual([]);
    expect(message.mentionsWildcard).toBe(false);
    expect(message.mentionedGroupIds).toEqual([6]);
  });

  it('does not count code', () => {
    const message = renderMessage('`@**Oleg Tarn**`\n```\n@**all**\n```', context);
    expect(message.mentionedUserIds).toEqual([]);
    expect(message.mentionsWildcard).toBe(false);
  });

  it.each([
    '[x](https://q.com "@**all** @**Oleg Tarn** @*Ops*")',
    '[x](<https://q.com> "@**all** @**Oleg Tarn** @*Ops*")',
    '$$x (@**all** @**Oleg Tarn**)$$',
    String.raw`$$\oops{ @**all** @**Oleg Tarn** $$`,
    '#**garden>(@**all** @**Oleg Tarn**)**',
    '[x]( @**Oleg Tarn** )',
    '[x](\n @*Ops*)',
  ])('does not count text that is invisible in %s', (content) => {
    const message = renderMessage(content, context);
    expect(message.html).not.toContain('mention');
    expect(message.mentionedUserIds).toEqual([]);
    expect(message.mentionedGroupIds).toEqual([]);
    expect(message.mentionsWildcard).toBe(false);
  });

  it('does not let an unknown mention hide the next one', () => {
    expect(renderMessage('@**Nobody** @**Oleg Tarn**', context).mentionedUserIds).toEqual([12]);
  });

  it('accepts an id only with a name that the message mentions', () => {
    expect(renderMessage('@**Mara Quist|12**', context).mentionedUserIds).toEqual([]);
    expect(renderMessage('@**Pat Lee|15**', context).mentionedUserIds).toEqual([15]);
  });
});

describe('message properties', () => {
  it('report links, images and attachments', () => {
    expect(renderMessage('#**garden**', context).hasLink).toBe(true);
    expect(renderMessage('no link', context).hasLink).toBe(false);
    expect(renderMessage('> https://quay.com', context).hasLink).toBe(true);
    expect(renderMessage('https://quay.com/a.png', context).hasImage).toBe(true);
    expect(renderMessage('https://youtu.be/abc', context).hasImage).toBe(true);
    const message = renderMessage(
      '[a](/user_uploads/1/ab/a.txt) [b](https://chat.example.com/user_uploads/1/cd/b.txt) [c](https://quay.com/user_uploads/1/x/c.txt)',
      context,
    );
    expect(message.attachmentPathIds).toEqual(['1/ab/a.txt', '1/cd/b.txt']);
    const spelled = renderMessage(
      '[a](/user_uploads/1/ab/na%C3%AFve.txt) [b](/user_uploads/1/ab/naïve.txt) [c](/user_uploads/1/ab/100%)',
      context,
    );
    expect(spelled.attachmentPathIds).toEqual(['1/ab/naïve.txt', '1/ab/100%']);
    const otherSchemes = renderMessage(
      '[a](http://chat.example.com/user_uploads/1/ab/a.txt?x) chat.example.com/user_uploads/1/cd/b.txt ' +
        '[c](ftp://chat.example.com/user_uploads/1/c) [d](http://chat.example.com.evil/user_uploads/1/d) ' +
        '[e](https://chat.example.com:81/user_uploads/1/e) [f](https://x@chat.example.com/user_uploads/1/f) ' +
        '[g](https://chat.example.com@evil.example/user_uploads/1/g) [h](https://quay.com/?/user_uploads/1/h)',
      context,
    );
    expect(otherSchemes.attachmentPathIds).toEqual(['1/ab/a.txt', '1/cd/b.txt']);
  });

  it('detect /me messages by the beginning of the original text', () => {
    expect(renderMessage('/me runs\n* a', context).isMeMessage).toBe(true);
    expect(renderMessage('/meh', context).isMeMessage).toBe(false);
    expect(renderMessage(' /me runs', context).isMeMessage).toBe(false);
  });

  it('omit previews if the setting is off', () => {
    const off = createTestContext({ inlineImagePreview: false });
    const message = renderMessage('https://quay.com/a.png', off);
    expect(message.hasImage).toBe(false);
    expect(message.html).not.toContain('img');
  });
});

describe('errors', () => {
  it('refuse texts with more than 100000 characters of HTML', () => {
    expect(() => html('word '.repeat(20_000))).toThrow('the text is too long');
    expect(html('word '.repeat(19_000))).toHaveLength(95_007);
    const plain = createTestContext({}, { linkifiers: [] });
    expect(() => renderMessage('word '.repeat(20_000), plain)).toThrow('the text is too long');
    expect(() => html(' '.repeat(200_001))).toThrow('the text is too long');
  });

  it('turn a failed lookup into a refusal with its cause', () => {
    const cause = new Error('broken');
    const failing = createTestContext(
      {},
      {
        usersByName: () => {
          throw cause;
        },
      },
    );
    expect(() => renderMessage('@**a**', failing)).toThrow(expect.objectContaining({ cause }));
  });
});

describe('descriptions', () => {
  it('have all syntax except previews', () => {
    expect(renderDescription('see *https* https://quay.com/a.png', context)).toBe(
      '<p>see <em>https</em> <a href="https://quay.com/a.png" target="_blank" title="https://quay.com/a.png">https://quay.com/a.png</a></p>',
    );
    expect(renderDescription('', context)).toBe('');
  });

  it('are shown as text when earlier descriptions used up the shared budget', () => {
    const budget = new StepBudget();
    expect(renderDescription('*a*', context, budget)).toBe('<p><em>a</em></p>');
    budget.spend(10_000_000 - budget.spent);
    expect(renderDescription('*a*', context, budget)).toBe('<p>*a*</p>');
  });

  it('are rendered plainly when a message would be', () => {
    const formula = `$$${String.raw`\frac12`.repeat(110)}$$`;
    expect(renderDescription(`${formula} *a* <b>`, context)).toBe(
      `<p>${formula} <em>a</em> &lt;b&gt;</p>`,
    );
  });

  it('have at most 2,048 characters of HTML, or those of their text', () => {
    expect(renderDescription('🐟', context)).toContain('class="emoji');
    for (const longest of ['🐟'.repeat(1_024), '*a* '.repeat(256), '"'.repeat(1_024)]) {
      const html = renderDescription(longest, context);
      expect(html).not.toContain('class="emoji');
      expect(Array.from(html).length).toBeLessThanOrEqual(longest.length * 6 + '<p></p>'.length);
    }
    expect(renderDescription(`${'🐟'.repeat(300)} *a*`, context)).toBe(
      `<p>${'🐟'.repeat(300)} <em>a</em></p>`,
    );
  });
});

describe('texts with much more HTML than a message may have', () => {
  const names = '@**Oleg Tarn** @**all** @*Ops* [a](/user_uploads/1/ab/a.txt)';
  const linkifiers = [
    { id: 1, pattern: 'a(?P<n>b)', urlFormat: `https://a.example/%(n)s${'c'.repeat(900)}` },
  ];

  it.each([
    ['emoji as characters', '😀', 1100, '😀'],
    ['emoji by name', ':a:', 3300, ':a:'],
    ['custom emoji', ':rocket:', 1200, ':rocket:'],
    ['emoticons', ':) ', 2000, ':)'],
    ['linkifiers', 'ab ', 3000, 'ab ab'],
    ['formulas', '$$x^2$$ ', 200, '$$x^2$$ $$x^2$$'],
    ['formulas in fences', '```math\nx\n```\n', 400, '<pre><span></span>x\n</pre>'],
    ['coloured code', `\`\`\`js\n${'1,'.repeat(40)}\n\`\`\`\n`, 100, '<pre><span></span>1,1,'],
  ])('keep everything but %s', (_name, unit, count, shown) => {
    const content = `${names} *x*\n\n> quoted @**Mara Quist**\n\n${unit.repeat(count)}`;
    expect(content.length).toBeLessThan(10_000);
    const world = createTestContext({ translateEmoticons: true }, { linkifiers });
    const message = renderMessage(content, world);
    expect(message).toMatchObject({
      mentionedUserIds: [12],
      mentionedGroupIds: [6],
      mentionsWildcard: true,
      hasLink: true,
      attachmentPathIds: ['1/ab/a.txt'],
    });
    expect(message.html).toContain('<em>x</em></p>\n<blockquote>');
    expect(message.html).toContain(shown);
    const spared = /class="(?:emoji|katex|tex-error|[a-z]{1,2}\b)|a\.example/;
    expect(message.html).not.toMatch(spared);
    expect(renderMessage(`${names}\n\n${unit}`, world).html).toMatch(spared);
  });

  it.each([
    ['links', 'a.tv '.repeat(1990)],
    ['lines in quotes', `${'```quote\n'.repeat(45)}${'x\n'.repeat(4700)}`],
    ['cells', `${'a|'.repeat(1900)}\n${'-|'.repeat(1900)}\n${'x\n'.repeat(1100)}`],
    ['links in links', `${'[x](javascript:'.repeat(600)}${')'.repeat(600)}`],
  ])('are the text and no more, which mentions nobody, with more %s', (_name, many) => {
    const content = `${many}\n@**all** <b> &`;
    expect(content.length).toBeLessThanOrEqual(10_000);
    expect(renderMessage(content, context)).toMatchObject({
      html: `<p>${many.replaceAll('\n', '<br>\n')}<br>\n@**all** &lt;b&gt; &amp;</p>`,
      mentionsWildcard: false,
      hasLink: false,
    });
  });
});

/** Sentences of reference facts, markdown, that no reference case covers. */
const facts: readonly (readonly [name: string, input: string, expected: string])[] = [
  ['blank input', ' \n \t\n', ''],
  [
    '1.2 quotes in attributes',
    '[x](https://quay.com/"onload=a)',
    '<p><a href="https://quay.com/&quot;onload=a" target="_blank" title="https://quay.com/&quot;onload=a">x</a></p>',
  ],
  ['2.1 seven hashes', '####### a', '<p>####### a</p>'],
  ['2.1 hash run at the end', '# a#', '<h1>a</h1>'],
  ['2.1 hash alone', '#', '<p>#</p>'],
  ['2.2 four stars', '****', '<hr>'],
  ['2.2 two pairs of stars', '** **', '<hr>'],
  ['2.2 spaced dashes', '- - -', '<hr>'],
  ['2.4 empty bullet', '* ', '<ul>\n<li></li>\n</ul>'],
  ['2.4 start at zero', '0. a', '<ol start="0">\n<li>a</li>\n</ol>'],
  ['2.4 task box', '* [ ] a', '<ul>\n<li>[ ] a</li>\n</ul>'],
  ['2.4 text ends the list', '* a\n\nb', '<ul>\n<li>a</li>\n</ul>\n<p>b</p>'],
  [
    '2.4 lazy line, then an item',
    '* a\nlazy\n* b',
    '<ul>\n<li>\n<p>a<br>\nlazy</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>',
  ],
  ['2.5 markers alone', '>\n>', '<p>&gt;<br>\n&gt;</p>'],
  [
    '2.6 info word in a quote is case-sensitive',
    '```Quote\na\n```',
    '<div class="codehilite"><pre><span></span>a\n</pre></div>',
  ],
  [
    '2.6 text after a fence',
    '``` a b\nx\n```\ny',
    '<p>``` a b<br>\nx</p>\n<div class="codehilite"><pre><span></span>y\n</pre></div>',
  ],
  ['2.6 fence in a marked quote', '> ```\n> a', '<blockquote>\n<p>```<br>\na</p>\n</blockquote>'],
  ['2.7 blank quote', '```quote\n\n```', ''],
  [
    '2.8 language line',
    '    :::py\n    pass',
    '<div class="codehilite"><pre><span></span><span class="k">pass</span>\n</pre></div>',
  ],
  [
    '2.8 blocks merge',
    '    a\n\n    b',
    '<div class="codehilite"><pre><span></span>a\n\nb\n</pre></div>',
  ],
  [
    '2.9 escaped pipe',
    'a | b\n--|--\nx \\| y | z',
    '<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>x \\| y</td>\n<td>z</td>\n</tr>\n</tbody>\n</table>',
  ],
  ['3 bold URL', '**https://quay.com**', '<p><strong>https://quay.com</strong></p>'],
  ['3 mention after code', '`x`@**Oleg Tarn**', '<p><code>x</code>@<strong>Oleg Tarn</strong></p>'],
  ['4.1 crossing stars', '***x** y*', '<p><strong>*x</strong> y*</p>'],
  ['4.1 inner star first', '*a *b* c*', '<p><em>a <em>b</em> c</em></p>'],
  ['4.3 shorter opening run', '``x`', '<p><code>`x</code></p>'],
  ['4.3 double backslash', '\\\\`x`', '<p>\\<code>x</code></p>'],
  ['4.3 backslash closes', '`x\\`', '<p><code>x\\</code></p>'],
  [
    '4.4 rejected URL holds a bare one',
    '[x](irc://a https://quay.com)',
    '<p>[x](irc://a <a href="https://quay.com" target="_blank" title="https://quay.com">https://quay.com</a>)</p>',
  ],
  [
    '4.4 page name',
    '[t](page)',
    '<p><a href="http://page" target="_blank" title="http://page">t</a></p>',
  ],
  [
    '4.4 upper-case scheme',
    '[t](HTTP://Quay.com/A)',
    '<p><a href="http://Quay.com/A" target="_blank" title="http://Quay.com/A">t</a></p>',
  ],
  ['4.4 unparseable', '[t](http://[a)', '<p><a href="" target="_blank" title="">t</a></p>'],
  ['4.4 two slashes', '[t](//quay.com)', '<p>[t](//quay.com)</p>'],
  [
    '4.4 angle form',
    '[t](<https://quay.com> "x")',
    '<p><a href="https://quay.com" target="_blank" title="https://quay.com">t</a></p>',
  ],
  [
    '4.4 newline in the text',
    '[a\nb](https://quay.com)',
    '<p><a href="https://quay.com" target="_blank" title="https://quay.com">a\nb</a></p>',
  ],
  [
    '7 mention in a link',
    '[hi @**Oleg Tarn**](https://quay.com)',
    '<p><a href="https://quay.com" target="_blank" title="https://quay.com">hi <span class="user-mention" data-user-id="12">@Oleg Tarn</span></a></p>',
  ],
  [
    '7 no right boundary',
    '@**Oleg Tarn**s',
    '<p><span class="user-mention" data-user-id="12">@Oleg Tarn</span>s</p>',
  ],
  [
    '8 topic encoding',
    '#**garden>50% off+tax**',
    '<p><a class="stream-topic" data-stream-id="21" href="/#narrow/stream/21-garden/topic/50.25.20off.2Btax">#garden &gt; 50% off+tax</a></p>',
  ],
  [
    '9 extra emoji',
    ':zulip:',
    '<p><img alt=":zulip:" class="emoji" src="/static/generated/emoji/images/emoji/unicode/zulip.png" title="zulip"></p>',
  ],
];

describe('facts without an example', () => {
  it.each(facts)('%s', (_name, input, expected) => {
    expect(html(input)).toBe(expected);
  });

  it('has previews after the paragraph, in the item, or at the end', () => {
    const preview = html('# https://quay.com/a.png\n\nend');
    expect(preview.indexOf('message_inline_image')).toBeGreaterThan(preview.indexOf('<p>end</p>'));
    expect(html('* see https://quay.com/a.png\n* b')).toContain('</a></div></li>\n<li>b</li>');
    expect(html('1. # h\nhttps://quay.com/a.png\n\nend')).toMatch(
      /a.png<\/a><div class="message_inline_image">.*<\/div><\/li>\n<\/ol>\n<p>end<\/p>/,
    );
    expect(html('https://github.com/o/r/blob/main/a.png')).toContain(
      'url=https%3A%2F%2Fraw.githubusercontent.com%2Fo%2Fr%2Fmain%2Fa.png&amp;size=full',
    );
    expect(html('https://quay.com/a.png https://quay.com/a.png').split('<img').length).toBe(2);
  });

  it("shows a formula in a topic or a preview's title as text", () => {
    expect(html('#**garden>$$x$$**')).toBe(
      '<p><a class="stream-topic" data-stream-id="21" href="/#narrow/stream/21-garden/topic/.24.24x.24.24">#garden &gt; $$x$$</a></p>',
    );
    expect(html('[see $$x$$](https://quay.com/a.png)')).toContain('title="see $$x$$"');
  });

  it('renders long formulas with little HTML, and shows longer ones as text', () => {
    const formula = (length: number): string =>
      String.raw`$$\text{${'word '.repeat(length / 5)}}$$`;
    expect(html(formula(1900))).toContain('class="katex"');
    expect(html(formula(2000))).toBe(`<p><span class="tex-error">${formula(2000)}</span></p>`);
  });

  it('trims a math fence and splits it at blank lines', () => {
    expect(html('```math\n\nx  \n\n\n\ny\n\n\n```')).toBe(html('```math\nx\n\ny\n```'));
  });

  it("keeps the author's private-use characters", () => {
    expect(html('a \u{100000}*b*\u{100001}')).toBe('<p>a \u{100000}<em>b</em>\u{100001}</p>');
    expect(html('`a \u{100001}`')).toBe('<p><code>a \u{100001}</code></p>');
  });
});
