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

describe('facts', () => {
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
