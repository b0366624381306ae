import { foldName } from '@parley/api';
import { expect, test } from 'vitest';

import { isSameMailbox } from './mailbox.ts';

test.each([
  ['chief@office.example', 'Chief@OFFICE.example'],
  ['chief@bücher.example', 'CHIEF@xn--bcher-kva.example'],
  ['chief@bücher.example', 'chief@BÜCHER.example'],
  ['chief@office.example', 'chief@ｏｆｆｉｃｅ.example'],
  ['CHIEF', 'chief'],
])('%s and %s are one mailbox', (one, other) => {
  expect([isSameMailbox(one, other), isSameMailbox(other, one)]).toEqual([true, true]);
});

test.each([
  ['chief@office.example', 'chief@offıce.example'],
  ['chief@office.example', 'chıef@office.example'],
  ['boss@office.example', 'boſs@office.example'],
  ['boss@strasse.example', 'boss@straße.example'],
  ['straße@office.example', 'STRASSE@office.example'],
  ['chief@office.example/i', 'chief@office.example/ı'],
])('%s and %s are two, though they fold to the same', (one, other) => {
  expect(foldName(one)).toBe(foldName(other));
  expect([isSameMailbox(one, other), isSameMailbox(other, one)]).toEqual([false, false]);
});

test.each(['/x', '?x', '#x', '%2e'])('no end of a domain such as %s is left out', (end) => {
  expect(isSameMailbox('chief@office.example', `chief@office.example${end}`)).toBe(false);
});
