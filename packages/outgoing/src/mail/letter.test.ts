import { expect, test } from 'vitest';

import { quote, writeLetter } from './letter.ts';

const url = 'https://chat.example/#join/abc';

function write(words: string): ReturnType<typeof writeLetter> {
  return writeLetter({
    subject: [quote(words), ' invites you'],
    paragraphs: [[quote(words), ' invites you to ', quote('Acme'), '.']],
    action: { label: 'Join', url },
    ending: ['You get this because ', quote(words), ' wrote your address.'],
  });
}

/** The visible text of the HTML. */
function textOf(html: string): string {
  return html
    .replaceAll(/<title>.*<\/title>|<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

test('text and HTML say the same', () => {
  const { subject, text, html } = write('Ann Lee');
  expect(subject).toBe('“Ann Lee” invites you');
  expect(text).toBe(
    `“Ann Lee” invites you to “Acme”.\n\nJoin:\n${url}\n\n-- \nYou get this because “Ann Lee” wrote your address.\n`,
  );
  expect(html).toContain(`href="${url}"`);
  const words = (shown: string): string[] =>
    shown.split(/\s+/).filter((word) => !['', '--', url].includes(word.replace(/:$/, '')));
  expect(words(textOf(html))).toEqual(
    words(text).map((word) => (word === 'Join:' ? 'Join' : word)),
  );
});

test.each([
  ['line breaks', 'Ann\r\nBcc: eve@evil.example\r\n\r\nClick here'],
  ['other breaks', 'Ann\u{85}Eve\u{2028}Eve\u{2029}Eve\u{0}\u{b}'],
  ['directions', 'Ann\u{202e}\u{2066}eve'],
  ['lone surrogates', 'Ann\u{d800}'],
])('words of people stay on their line: %s', (_what, words) => {
  const { subject, text, html } = write(words);
  const plain = write('Ann');
  expect(subject).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
  expect(text.split('\n')).toHaveLength(plain.text.split('\n').length);
  expect(html.split('\n')).toHaveLength(plain.html.split('\n').length);
});

test('words of people end no quotation, and are no markup', () => {
  const { text, html } = write('Ann” and <b>“Eve”</b> & "Joe" \'x\'');
  expect(text.split('\n')[0]?.match(/[“”]/g)).toHaveLength(4);
  expect(html).not.toContain('<b>');
  expect(html).toContain('&lt;b&gt;');
});

test('words of people are no links', () => {
  const { text, html } = write('www.evil.example https://evil.example/a eve@evil.example');
  for (const form of [text, html])
    expect(form.replaceAll(url, '')).not.toMatch(/evil\.example|https?:\/\/|eve@evil|www\.evil/);
});

test('words of people are short', () => {
  const { subject } = write('😀'.repeat(5_000));
  expect(Array.from(subject).length).toBeLessThan(120);
  expect(subject.isWellFormed()).toBe(true);
});
