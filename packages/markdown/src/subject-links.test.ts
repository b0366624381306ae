import { describe, expect, it } from 'vitest';

import { isCheapPattern } from './linkifier-cost.ts';
import { renderMessage } from './render-message.ts';
import { findSubjectLinks } from './subject-links.ts';
import { createTestContext } from './test-context.ts';

describe('topic links', () => {
  it('come from linkifiers first, then from bare links', () => {
    expect(
      findSubjectLinks('see TKT-7, quay.com! and https://a.org/x', createTestContext()),
    ).toEqual(['https://bugs.example.org/t/7', 'https://quay.com', 'https://a.org/x']);
  });

  it('keep duplicates and are empty without any', () => {
    const context = createTestContext();
    expect(findSubjectLinks('TKT-1 TKT-1', context)).toHaveLength(2);
    expect(findSubjectLinks('no links', context)).toEqual([]);
  });
});

describe('linkifiers', () => {
  it('that never end are stopped', () => {
    const pattern = String.raw`a(?P<n>(?:[a-z]+)+)!`;
    const context = createTestContext(
      {},
      { linkifiers: [{ id: 1, pattern, urlFormat: 'https://a.org/%(n)s' }] },
    );
    expect(() => renderMessage(`${'a'.repeat(60)}1 !`, context)).toThrow('took too long');
    expect(renderMessage('abc!', context).html).toContain('href="https://a.org/bc"');
  });

  it('are cheap when every repetition but one has a single end', () => {
    const cheap = [
      String.raw`TKT-(?P<n>\d+)`,
      String.raw`(?P<org>[a-z]+)/(?P<repo>[a-z]+)#(?P<n>\d+)`,
      String.raw`(?P<a>\w+)-(?P<n>[0-9]{1,3})`,
      '#(?P<id>[0-9]{3})',
    ];
    const costly = [
      '(?P<a>a+)(?P<b>a+)(?P<c>a+)',
      '(?P<a>(?:a|b)+)',
      '(?P<a>(a+)+)',
      '(?P<a>a|b)',
      '(?P<a>.*)/(?P<b>.*)/(?P<c>x)',
    ];
    expect(cheap.filter((pattern) => !isCheapPattern(pattern))).toEqual([]);
    expect(costly.filter(isCheapPattern)).toEqual([]);
  });

  it('that do not compile link nothing', () => {
    const linkifiers = [{ id: 1, pattern: '(?P<n>[', urlFormat: 'https://a.org/%(n)s' }];
    expect(renderMessage('a [b', createTestContext({}, { linkifiers })).html).toBe('<p>a [b</p>');
  });

  it('may use the escapes that realms write', () => {
    const linkifiers = [
      { id: 1, pattern: String.raw`\#(?P<n>[\w\-]+)`, urlFormat: 'https://a.org/%(n)s/100%%' },
    ];
    expect(findSubjectLinks('see #é-1', { linkifiers })).toEqual(['https://a.org/é-1/100%']);
  });
});
