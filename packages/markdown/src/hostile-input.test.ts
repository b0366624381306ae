import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { findHarm } from '../tests/harmless-html.ts';
import { createTestContext } from '../tests/test-context.ts';
import { hostileVectors } from '../testdata/hostile-vectors.ts';
import { htmlDiff } from './html-diff/html-diff.ts';
import type { Linkifier, RenderContext } from './render-context.ts';
import { renderDescription, renderHtmlByRules, renderMessage } from './render-message.ts';
import { StepBudget } from './step-budget.ts';
import { findSubjectLinks } from './subject-links.ts';

const linkifiers: readonly Linkifier[] = [
  'https://bugs.example.org/%(v)s',
  '%(v)s',
  'javascript:%(v)s',
  'https://%(v)s',
  '/\\%(v)s',
  '" onclick="%(v)s',
  'data:text/html,%(v)s',
].map((urlFormat, index) => ({ id: index, pattern: `evil${index}:(?P<v>.+)`, urlFormat }));

/** A context in which all names are the vector. */
function worldOf(vector: string): RenderContext {
  return createTestContext(
    { translateEmoticons: true },
    {
      usersByName: () => [{ id: 7, fullName: vector }],
      userById: () => ({ id: 7, fullName: vector }),
      groupByName: () => ({ id: 8, name: vector }),
      streamByName: () => ({ id: 9, name: vector }),
      realmEmoji: (name) => ({ id: '1', url: `/user_avatars/1/emoji/images/1.png?${name}` }),
      linkifiers,
    },
  );
}

const places: Readonly<Record<string, (vector: string) => string>> = {
  'a message': (vector) => vector,
  'a line of text': (vector) => `see ${vector} now`,
  'a link target': (vector) => `[x](${vector})`,
  'a link target in angle brackets': (vector) => `[x](<${vector}>)`,
  'a link title': (vector) => `[x](https://quay.com "${vector}")`,
  'a link text': (vector) => `[${vector}](https://quay.com)`,
  'an empty link text': (vector) => `[](${vector})`,
  'an image description': (vector) => `![${vector}](https://quay.com/a.png)`,
  'a path': (vector) => `https://quay.com/${vector}`,
  'a picture': (vector) => `https://quay.com/${vector}.png`,
  'a named picture': (vector) => `[${vector}](https://quay.com/a.png) [b](${vector}.png)`,
  'a path of this site': (vector) => `[x](https://chat.example.com/${vector})`,
  'an upload': (vector) => `[x](/user_uploads/1/${vector})`,
  'a video': (vector) => `https://youtu.be/abc${vector}`,
  'inline code': (vector) => `\`${vector}\``,
  'a code block': (vector) => `\`\`\`html\n${vector}\n\`\`\``,
  'a plain code block': (vector) => `~~~\n${vector}\n~~~`,
  'a language': (vector) => `\`\`\`${vector}\nx\n\`\`\``,
  'a language line': (vector) => `    :::${vector}\n    x`,
  'a quote fence': (vector) => `\`\`\`quote\n${vector}\n\`\`\``,
  'a spoiler': (vector) => `~~~spoiler ${vector}\n${vector}\n~~~`,
  'a formula': (vector) => `$$${vector}$$`,
  'a text in a formula': (vector) => `$$\\text{${vector}}$$`,
  'a math block': (vector) => `\`\`\`math\n${vector}\n\n\\oops{${vector}\n\`\`\``,
  'a mention': (vector) => `@**${vector}** @_**x|7**`,
  'a group': () => '@*x*',
  'a stream': () => '#**x**',
  'a topic': (vector) => `#**x>${vector}**`,
  'an emoji': (vector) => `:${vector}: :x:`,
  'an avatar': (vector) => `!avatar(${vector}) !gravatar(${vector})`,
  'a heading': (vector) => `# ${vector}`,
  'a list': (vector) => `* ${vector}\n  1. ${vector}`,
  'a quote': (vector) => `> ${vector}`,
  'a table': (vector) => `${vector} | b\n:--|--:\n${vector} | ${vector}`,
  emphasis: (vector) => `**${vector}** *${vector}* ~~${vector}~~`,
  linkifiers: (vector) => linkifiers.map((_one, index) => `evil${index}:${vector}`).join('\n'),
};

/** In every way of rendering, whatever the cost: by all rules, sparingly, and as text. */
function htmlsOf(content: string, context: RenderContext): string[] {
  const usedUp = new StepBudget(0);
  return [
    renderMessage(content, context).html,
    renderHtmlByRules(content, context, { budget: new StepBudget(), isPlain: true }),
    renderDescription(content, context, usedUp),
  ];
}

const harmsIn = (htmls: readonly string[]): string[] =>
  htmls.flatMap((html) => findHarm(html) ?? []);

describe('the check for harm', () => {
  it.each([
    ['<script>x</script>', 'element script'],
    ['<p onclick="x">x</p>', 'attribute onclick of p'],
    ['<a href="java\tscript:x">x</a>', 'href with javascript:'],
    ['<a href="&#106;avascript:x">x</a>', 'href with javascript:'],
    ['<a href="/\\evil.example">x</a>', 'href leaves the site: /\\evil.example'],
    ['<img src="data:x">', 'src with data:'],
    ['<span style="background:url(x)">x</span>', 'style="background:url(x)"'],
    ['<!-- x -->', 'node #comment'],
    ['<p>x</p>', undefined],
  ])('finds %s', (html, problem) => {
    expect(findHarm(html)).toBe(problem);
  });
});

describe('hostile text', () => {
  it('has more than 150 kinds', () => {
    expect(new Set(hostileVectors).size).toBeGreaterThan(150);
  });

  it.each(Object.entries(places))('does no harm as %s', (_name, place) => {
    for (const vector of hostileVectors) {
      const content = place(vector);
      const harms = harmsIn(htmlsOf(content, worldOf(vector)));
      expect({ content, harms }).toEqual({ content, harms: [] });
    }
  });

  it('keeps links and pictures of this site on it, in every browser', () => {
    const slashes = ['/', '\\', '&sol;', '&bsol;', '&#47;', '&#x5C;', '&#92', '&Slash;'];
    const nothings = ['\n', '\t', '\u0001', '&Tab;', '&NewLine;', '&#10;', '&#13;', '\u2028', ' '];
    const dots = ['.', '..', '&period;', '%2e', '?', '#', '&quest;', '&num;', '&colon;', '&', ';'];
    const names = ['evil.example', 'a', '@', 'user_uploads', 'https://chat.example.com/', '.png'];
    const part = fc.constantFrom(...slashes, ...nothings, ...dots, ...names);
    const address = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.constantFrom('', '/', 'https://chat.example.com/'), address, (start, rest) => {
        const target = start + rest;
        for (const content of [
          `[x](${target})`,
          `[x](<${target}>)`,
          `[x](${target}/evil.example/x.png)`,
          `${target} evil1:${target}`,
          `!avatar(${rest})`,
        ]) {
          const harms = harmsIn(htmlsOf(content, worldOf(target)));
          expect({ content, harms }).toEqual({ content, harms: [] });
        }
      }),
    );
  });

  it('does no harm in a difference', () => {
    for (const vector of hostileVectors) {
      const before = renderMessage(`${vector} and [x](${vector})`, worldOf(vector)).html;
      const after = renderMessage(`[y](https://quay.com) ${vector}`, worldOf(vector)).html;
      for (const diff of [htmlDiff(before, after), htmlDiff(after, before), htmlDiff('', after)]) {
        expect({ vector, harm: findHarm(diff) }).toEqual({ vector, harm: undefined });
      }
    }
  });

  it('gives a topic only links with known schemes', () => {
    for (const vector of hostileVectors) {
      for (const link of findSubjectLinks(vector, { linkifiers: [] })) {
        expect(link).toMatch(/^(?:https?:\/\/|mailto:|bitcoin:)/);
      }
    }
  });

  it('does no harm in any mixture', () => {
    const part = fc.oneof(
      fc.constantFrom(...hostileVectors),
      fc.constantFrom(
        ' ',
        '\n',
        '\n\n',
        '[x](',
        ')',
        '`',
        '**',
        '@**',
        '**',
        '$$',
        '> ',
        '* ',
        '"',
        '&',
        ':',
        '|',
      ),
    );
    const mixture = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(mixture, (content) => {
        const world = worldOf('"><img src=x onerror=alert(1)>');
        expect(harmsIn(htmlsOf(content, world))).toEqual([]);
      }),
    );
  });
});
