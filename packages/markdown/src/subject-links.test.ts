import { describe, expect, it } from 'vitest';

import { createTestContext } from '../tests/test-context.ts';
import { compileLinkifierPattern } from './linkifier-pattern.ts';
import type { RenderContext } from './render-context.ts';
import { renderMessage } from './render-message.ts';
import { findSubjectLinks } from './subject-links.ts';

describe('topic links', () => {
  it('come from linkifiers first, then from bare links', () => {
    expect(
      findSubjectLinks('see TKT-7, quay.com! and https://a.org/x', createTestContext()),
    ).toEqual(['https://bugs.example.org/t/7', 'https://quay.com', 'https://a.org/x']);
  });

  it('keep duplicates, and are empty if there are none', () => {
    const context = createTestContext();
    expect(findSubjectLinks('TKT-1 TKT-1', context)).toHaveLength(2);
    expect(findSubjectLinks('no links', context)).toEqual([]);
  });
});

describe('linkifiers', () => {
  const withPattern = (pattern: string): RenderContext =>
    createTestContext({}, { linkifiers: [{ id: 1, pattern, urlFormat: 'https://a.org/%(n)s' }] });

  it.each([
    ['nested repetitions', String.raw`a(?P<n>(?:[a-z]+)+)!`, `${'a'.repeat(9000)}1 !`],
    ['overlapping alternatives', String.raw`#(?P<n>(?:a|aa|a*)*)!`, `#${'a'.repeat(9000)}`],
    ['three times anything', '(?P<a>.*)!(?P<b>.*)!(?P<n>x)', '!'.repeat(9000)],
  ])('take a time linear in the text: %s', (_name, pattern, content) => {
    // A backtracking engine would never finish any of these.
    expect(renderMessage(content, withPattern(pattern)).html).not.toContain('<a');
  });

  it('match as written', () => {
    const pattern = String.raw`a(?P<n>(?:[a-z]+)+)!`;
    expect(renderMessage('abc!', withPattern(pattern)).html).toContain('href="https://a.org/bc"');
  });

  it('that scan the rest of the text again and again use up the budget, and link nothing then', () => {
    const hostile = withPattern('#(?P<n>[0-9](?:.*y)?)');
    expect(renderMessage('#1 '.repeat(3000), hostile).html).not.toContain('<a');
    expect(renderMessage('#1 '.repeat(10), hostile).html).toContain('href="https://a.org/1"');
    const harmless = withPattern('TKT-(?P<n>[0-9]+)');
    expect(findSubjectLinks('TKT-1 '.repeat(1500), harmless)).toHaveLength(1500);
  });

  it('give a topic only so many addresses, and keep its bare links', () => {
    const long = { id: 1, pattern: '(?P<n>a)', urlFormat: `https://a.org/${'%(n)s'.repeat(390)}` };
    const linkifiers = Array.from({ length: 100 }, () => long);
    const topic = `${'a '.repeat(25)}q.com`;
    const links = findSubjectLinks(topic, { linkifiers });
    expect(links.join('').length).toBeLessThan(100_000);
    expect(links.at(-1)).toBe('https://q.com');
    expect(findSubjectLinks(topic, { linkifiers: [long] })).toHaveLength(26);
  });

  it('that expand to very much link nothing', () => {
    expect(compileLinkifierPattern('(?P<n>(?:a{0,30}){0,30})')).toBeUndefined();
    expect(compileLinkifierPattern('(?P<n>[0-9a-f]{7,40})')?.size).toBeLessThan(200);
  });

  it('may begin after any boundary, also after one that ends the previous match', () => {
    const context = withPattern('(?P<n>#?[a-z]+,?)');
    expect(findSubjectLinks('a,b', context)).toEqual(['https://a.org/a', 'https://a.org/b']);
    expect(findSubjectLinks('#a,#b,', context)).toEqual(['https://a.org/#a,', 'https://a.org/#b,']);
    const ticket = withPattern('T(?P<n>[0-9]+)');
    for (const boundary of [' ', '\u00A0', "'", '"', '(', ',', ':', '<']) {
      expect(findSubjectLinks(`x${boundary}T1`, ticket)).toEqual(['https://a.org/1']);
    }
    for (const other of ['x', '-', '/', '[', '*', 'é', '>']) {
      expect(findSubjectLinks(`${other}T1`, ticket)).toEqual([]);
    }
    for (const after of ['', ' ', '-', '.', ')', '*']) {
      expect(findSubjectLinks(`T1${after}`, ticket)).toEqual(['https://a.org/1']);
    }
    for (const word of ['a', 'é', '_', '٣'])
      expect(findSubjectLinks(`T1${word}`, ticket)).toEqual([]);
  });

  it("follow the organization's order, and positions within one linkifier", () => {
    const linkifiers = [
      { id: 2, pattern: 'B(?P<n>[0-9])', urlFormat: 'https://b.org/%(n)s' },
      { id: 1, pattern: 'A(?P<n>[0-9])', urlFormat: 'https://a.org/%(n)s' },
    ];
    expect(findSubjectLinks('A1 B2 B1', { linkifiers })).toEqual([
      'https://b.org/2',
      'https://b.org/1',
      'https://a.org/1',
    ]);
  });

  it('do not change code, formulas, link texts, addresses and mentions', () => {
    const context = withPattern('T(?P<n>[0-9]+)');
    const users = { usersByName: () => [{ id: 1, fullName: 'T1 x' }] };
    for (const content of [
      '`T1`',
      '$$T1$$',
      '[T1](https://quay.com)',
      'https://quay.com/,T1',
      '@**T1 x**',
      '    T1',
    ]) {
      expect(renderMessage(content, { ...context, ...users }).html).not.toContain('a.org');
    }
    expect(renderMessage('# T1\n* T2\n\n> T3', context).html.split('a.org')).toHaveLength(7);
  });

  it('that do not compile link nothing', () => {
    const linkifiers = [{ id: 1, pattern: '(?P<n>[', urlFormat: 'https://a.org/%(n)s' }];
    expect(renderMessage('a [b', createTestContext({}, { linkifiers })).html).toBe('<p>a [b</p>');
  });

  it('may use the escapes that organizations use', () => {
    const linkifiers = [
      { id: 1, pattern: String.raw`\#(?P<n>[\w\-]+)`, urlFormat: 'https://a.org/%(n)s/100%%' },
    ];
    expect(findSubjectLinks('see #é-1', { linkifiers })).toEqual(['https://a.org/é-1/100%']);
  });
});
