import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import hljs from 'highlight.js/lib/common';
import { parseFragment } from 'parse5';
import { describe, expect, it } from 'vitest';

import { createTestContext } from '../tests/test-context.ts';
import { alertWordMatches } from './alert-words.ts';
import { renderMessage } from './render-message.ts';

type Fact = { section: string; input: string; expected: string };

/** Cases that were written by hand, for sentences of the reference facts that no case of the reference covers. */
const facts = readFileSync(new URL('../testdata/markdown-facts.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Fact)
  .map((fact) => ({ ...fact, name: `${fact.section} ${JSON.stringify(fact.input)}` }));

const context = createTestContext();
const html = (content: string): string => renderMessage(content, context).html;

describe('reference facts, markdown', () => {
  it.each(facts)('$name', ({ input, expected }) => {
    expect(html(input)).toBe(expected);
  });

  it('2.8 code keeps its text, in spans side by side, in every language', () => {
    const code = fc
      .array(
        fc.constantFrom(
          'let',
          ' ',
          'x',
          '=',
          '"a"',
          "'",
          '<b>',
          '&amp;',
          '&',
          '{',
          '}',
          '(',
          ')',
          '# c',
          '// d',
          '\n',
          '1',
          'true',
          'def f',
          '${y}',
          '<?php ',
          ':',
          '`',
          '/* ',
          '*/',
          '@at',
          '$z',
        ),
        { maxLength: 25 },
      )
      .map((parts) => parts.join(''));
    const language = fc.constantFrom(...hljs.listLanguages());
    fc.assert(
      fc.property(code, language, (text, name) => {
        const source = `x\n${text}\nx`.replaceAll(/[^\S\n]+$/gm, '');
        const rendered = html(`~~~~ ${name}\n${source}\n~~~~`);
        const root = parseFragment(rendered).childNodes[0];
        const pre = root !== undefined && 'childNodes' in root ? root.childNodes[0] : undefined;
        if (pre === undefined || !('childNodes' in pre)) throw new Error(`no code in ${rendered}`);
        let shown = '';
        for (const node of pre.childNodes) {
          if ('value' in node) shown += node.value;
          else if ('childNodes' in node) {
            expect(node.childNodes.every((child) => 'value' in child)).toBe(true);
            shown += node.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
          }
        }
        expect(shown).toBe(`${source}\n`);
      }),
    );
  });

  it('2.8 long code is highlighted in pieces and keeps its text, and code with very long lines is not highlighted', () => {
    const text = (rendered: string): string =>
      rendered
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll('&quot;', '"')
        .trim();
    const code = Array.from(
      { length: 200 },
      (_item, index) => `x${index} = "${index}"  # ${index}`,
    ).join('\n');
    const rendered = html(`\`\`\`py\n${code}\n\`\`\``);
    expect(text(rendered)).toBe(code);
    expect(rendered.split('class="c1"')).toHaveLength(201);
    const longLine = html(`\`\`\`py\n# ${'a'.repeat(600)}\n\`\`\``);
    expect(longLine).not.toContain('class="c1"');
    expect(text(longLine)).toBe(`# ${'a'.repeat(600)}`);
  });

  it.each(['py', 'python', 'js', 'c++', 'C#', 'json', 'html', 'diff', 'console', 'PYTHON'])(
    '2.8 %s is a language',
    (language) => {
      const code = '-a\n+ "b" <c>1</c>\n$ ls\nclass x:\n1';
      expect(html(`\`\`\`${language}\n${code}\n\`\`\``)).toContain('<span class="');
    },
  );

  it('6 previews nothing if there are more than five addresses, not counting quoted ones', () => {
    const pictures = (count: number): string =>
      Array.from({ length: count }, (_item, index) => `https://quay.com/${index}.png`).join(' ');
    const previews = (content: string): number =>
      html(content).split('message_inline_image').length - 1;
    expect(previews(pictures(5))).toBe(5);
    expect(previews(pictures(6))).toBe(0);
    expect(previews(`${pictures(4)} #**garden** crew@quay.com`)).toBe(0);
    expect(previews(`${pictures(5)}\n\n> https://quay.com/q.png https://quay.com/r.png`)).toBe(5);
  });

  it.each([
    ['https://quay.com/a.PNG', true],
    ['https://quay.com/ajpeg', true],
    ['https://quay.com/a.webp?x=1', true],
    ['https://quay.com/a.bmp', true],
    ['https://pasteboard.co/a.png', false],
    ['https://quay.com/a.svg', false],
    ['https://quay.com/?a.png', false],
    ['[x](mailto:a@b.png)', false],
    ['[x](file:///a.png)', false],
  ])('6 accepts %s as a picture: %s', (content, isPicture) => {
    expect(renderMessage(content, context).hasImage).toBe(isPicture);
  });

  it.each([
    ['https://youtu.be/a_B-1', 'a_B-1'],
    ['https://www.youtube.com/watch?v=abc', 'abc'],
    ['https://m.youtube.com/watch?list=x&v=abc', 'abc'],
    ['https://youtube.com/v/abc', 'abc'],
    ['https://youtube-nocookie.com/embed/abc', 'abc'],
    ['https://youtube.com/playlist?v=abc', 'abc'],
    ['https://youtube.com/watch_videos?video_ids=abc,def', 'abc'],
  ])('6.2 accepts %s as a video', (content, id) => {
    expect(html(content)).toContain(
      `<div class="youtube-video message_inline_image"><a data-id="${id}" `,
    );
  });

  it.each([
    'https://a.b.youtube.com/watch?v=x',
    'https://evil.com/youtu.be/abc',
    'https://youtube.com/',
  ])('6.2 does not accept %s as a video', (content) => {
    expect(html(content)).not.toContain('youtube-video');
  });

  it('6 shows what is in a spoiler nowhere else', () => {
    const pictures = html('```spoiler https://quay.com/a.png\nhttps://quay.com/b.png\n```');
    expect(pictures.match(/ src="[^"]*"/g)).toEqual([
      ' src="/thumbnail?url=https%3A%2F%2Fquay.com%2Fb.png&amp;size=thumbnail"',
    ]);
    expect(pictures.indexOf('<img')).toBeGreaterThan(pictures.indexOf('spoiler-content'));
    const others = '```spoiler x\n# https://quay.com/b.png\nhttps://youtu.be/a_B-1\n```';
    expect(html(others)).not.toContain('<img');
    expect(renderMessage(others, context).hasImage).toBe(false);
  });

  it('6.1 shows a page of Wikipedia by its file', () => {
    const file = 'https://en.wikipedia.org/wiki/Special:FilePath/File:Fig.png';
    expect(html('https://en.wikipedia.org/wiki/File:Fig.png')).toContain(
      `<a href="${file}" target="_blank" title="${file}">`,
    );
  });

  it.each([
    ['https://www.dropbox.com/s/ab1/Fig.PNG', 'https://www.dropbox.com/s/ab1/Fig.PNG?dl=1'],
    ['https://dropbox.com/sh/ab1/fig.jpg?dl=0&x=1', 'https://dropbox.com/sh/ab1/fig.jpg?dl=1'],
    ['http://www.dropbox.com/s/a/b.gif?dl=0#c', 'http://www.dropbox.com/s/a/b.gif?dl=1#c'],
  ])('6.2 shows the picture of the Dropbox link %s, and keeps the link', (href, picture) => {
    expect(html(href)).toBe(
      `<p><a href="${href.replaceAll('&', '&amp;')}" target="_blank" title="${href.replaceAll('&', '&amp;')}">${href.replaceAll('&', '&amp;')}</a></p>\n` +
        `<div class="message_inline_image"><a href="${href.replaceAll('&', '&amp;')}" target="_blank" title=""><img src="${picture}"></a></div>`,
    );
    expect(html(`* ${href}`)).toContain(`>${href.replaceAll('&', '&amp;')}</a><div`);
  });

  it.each([
    'https://www.dropbox.com/s/ab1/notes.txt',
    'https://www.dropbox.com/sc/ab1/album',
    'https://www.dropbox.com/home',
  ])('6.2 shows no picture for the Dropbox link %s', (href) => {
    expect(renderMessage(href, context).hasImage).toBe(false);
  });

  it.each(['https://notdropbox.com/s/a/b.png', 'https://dropbox.com.example.org/s/a/b.png'])(
    '6.2 does not accept %s as a Dropbox link',
    (href) => {
      expect(html(href)).toContain(`url=${encodeURIComponent(href)}&amp;`);
    },
  );

  it('7 reads a name with a pipe, and an id only after the last pipe', () => {
    const people = [
      { id: 7, fullName: 'A|B' },
      { id: 8, fullName: 'A|B' },
    ];
    const world = createTestContext(
      {},
      {
        usersByName: (name) => people.filter((person) => person.fullName === name),
        userById: (id) => people.find((person) => person.id === id),
      },
    );
    expect(renderMessage('@**A|B**', world).mentionedUserIds).toEqual([7]);
    expect(renderMessage('@**A|B|8**', world).mentionedUserIds).toEqual([8]);
    expect(renderMessage('@_**A|B|8**', world).html).toBe(
      '<p><span class="user-mention silent" data-user-id="8">A|B</span></p>',
    );
    expect(renderMessage('@**A|B|9**', world).html).toBe('<p>@<strong>A|B|9</strong></p>');
  });

  it('7 mentions work in headings, lists and tables, and nowhere inside other syntax', () => {
    for (const content of [
      '# @**Oleg Tarn**',
      '* @**Oleg Tarn**',
      'a | b\n--|--\n@**Oleg Tarn** | x',
    ]) {
      expect(renderMessage(content, context).mentionedUserIds).toEqual([12]);
    }
    for (const content of [
      '**@**Oleg Tarn****',
      '~~@**Oleg Tarn**~~',
      '`@**Oleg Tarn**`',
      '[x](@**Oleg Tarn**)',
      '    @**Oleg Tarn**',
    ]) {
      expect(renderMessage(content, context).mentionedUserIds).toEqual([]);
    }
  });

  it('9 leaves an inactive custom emoji as text', () => {
    const world = createTestContext({}, { realmEmoji: () => undefined });
    expect(renderMessage(':party_newt:', world).html).toBe('<p>:party_newt:</p>');
    // The Unicode name belongs to its own emoji again.
    expect(renderMessage(':rocket:', world).html).toContain('emoji-1f680');
  });

  it('9 has no emoji in code, link texts, addresses and formulas', () => {
    for (const content of [
      '`:tada:`',
      '[:tada: 🎉](https://quay.com)',
      'https://quay.com/:tada:',
      '$$:tada:$$',
      '    :tada: 🎉',
    ]) {
      expect(html(content)).not.toContain('emoji-1f389');
    }
  });

  it.each([
    ['the edge', 'fig', true],
    ['each boundary before', Array.from(' \n(".,\';[*>`', (mark) => `x${mark}fig`), true],
    ['each boundary after', Array.from(" \n)?:.,';]!*`", (mark) => `fig${mark}x`), true],
    ['a quote after', 'fig"', false],
    ['others before', Array.from('-/xé_#@', (mark) => `x${mark}fig`), false],
    ['others after', Array.from('-/xé_"(', (mark) => `fig${mark}x`), false],
    ['inline code', '`fig`', true],
    ['an address', '[x](https://quay.com "fig.")', true],
    ['indented code', '    fig', true],
    ['a fence', '~~~\nfig\n~~~', false],
  ])('13 alert words at %s', (_name, given, isFound) => {
    for (const content of [given].flat()) {
      expect({ content, found: alertWordMatches(content, ['FIG']) }).toEqual({
        content,
        found: isFound ? ['FIG'] : [],
      });
    }
  });
});
