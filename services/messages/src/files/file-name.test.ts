import { cleanFileName } from '@parley/files';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { shownFileName } from './file-name.ts';

describe('the displayed name', () => {
  test.each([
    ['a.txt', 'a.txt'],
    ['my%20file%2B1.txt', 'my file+1.txt'],
    ['a+b&c=d.txt', 'a+b&c=d.txt'],
    ['100%.txt', '100%.txt'],
    ['%E6%97%A5.txt', '日.txt'],
    ['%FF.txt', '\uFFFD.txt'],
    ['a%00b', 'ab'],
    ['a\0b', 'ab'],
    ['\uD800.txt', '\uFFFD.txt'],
    ['', ''],
  ])('of %j is %j', (written, shown) => {
    expect(shownFileName(written)).toBe(shown);
  });

  test('is shortened in the middle, never within a character, and keeps its extension', () => {
    expect(shownFileName(`${'x'.repeat(300)}.txt`)).toBe(`${'x'.repeat(251)}.txt`);
    expect(shownFileName('🎉'.repeat(300))).toBe('🎉'.repeat(255));
    expect(shownFileName(`a.${'y'.repeat(300)}`)).toHaveLength(255);
  });
});

describe('the name in a path', () => {
  test.each([
    ['a.txt', 'a.txt'],
    ['My Holiday - 2019 (1).PNG', 'My-Holiday-2019-1.PNG'],
    ['  a \t\n b  ', 'a-b'],
    ['a---b', 'a-b'],
    ['naïve 日本語.txt', 'naïve-日本語.txt'],
    ['ﬁle①.txt', 'file1.txt'],
    ['../../etc/passwd', '....etcpasswd'],
    ['..\\x', '..x'],
    ['<script>alert(1)</script>.html', 'scriptalert1script.html'],
    ['a"b\'c`d.txt', 'abcd.txt'],
    ['', 'uploaded-file'],
    ['.', 'uploaded-file'],
    ['..', 'uploaded-file'],
    ['???', 'uploaded-file'],
    ['\u202Etxt.exe', 'txt.exe'],
  ])('of %j is %j', (shown, clean) => {
    expect(cleanFileName(shown)).toBe(clean);
  });

  test('of any name is one harmless path segment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (written) => {
        const clean = cleanFileName(shownFileName(written));
        expect(clean).toMatch(/^[\p{L}\p{N}_.-]+$/u);
        expect(clean).not.toMatch(/^\.+$/);
        expect(Array.from(clean).length).toBeLessThanOrEqual(100);
        expect(decodeURIComponent(encodeURIComponent(clean))).toBe(clean);
      }),
    );
  });
});
