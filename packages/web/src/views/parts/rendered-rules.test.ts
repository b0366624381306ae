import { expect, test } from 'vitest';

import {
  fileName,
  fragmentOf,
  glyphOf,
  isOwnPicture,
  kindOfUpload,
  withoutStyles,
} from './rendered-rules.ts';

const origin = 'https://chat.example.com';

test.each([
  ['/user_uploads/1/ab/cd/fig.png', true],
  ['user_uploads/1/ab/cd/fig.png', true],
  ['https://chat.example.com/user_avatars/1/emoji/images/3.png', true],
  ['/static/generated/emoji/images/emoji/unicode/zulip.png', true],
  ['/thumbnail?url=user_uploads%2F1%2Fab%2Ffig.png&size=thumbnail', true],
  ['/thumbnail?url=https%3A%2F%2Fimg.example.org%2Ffig.png&size=thumbnail', false],
  ['/avatar/12?s=30', false],
  ['/api/v1/users', false],
  ['//img.example.org/user_uploads/fig.png', false],
  ['https://img.example.org/user_uploads/fig.png', false],
  ['http://chat.example.com/user_uploads/fig.png', false],
  ['data:image/png;base64,AAAA', false],
  ['http://[', false],
  ['', false],
])('the page loads %s: %s', (source, isOwn) => {
  expect(isOwnPicture(source, origin)).toBe(isOwn);
});

test.each([
  ['#narrow/stream/21-garden', '#narrow/stream/21-garden'],
  ['/#narrow/stream/21-garden/topic/seed.20swap', '#narrow/stream/21-garden/topic/seed.20swap'],
  ['https://chat.example.com/#narrow/is/starred', '#narrow/is/starred'],
  ['https://quay.com/#narrow/is/starred', undefined],
  ['/user_uploads/1/plan.txt', undefined],
  ['/api/docs#send', undefined],
  ['mailto:crew@boats.example.org', undefined],
  ['/', undefined],
])('the link %s stays in the page at %s', (href, fragment) => {
  expect(fragmentOf(href, origin)).toBe(fragment);
});

test.each([
  ['/user_uploads/1/a.b/plan.txt', 'TXT'],
  ['https://chat.example.com/user_uploads/1/plan', ''],
  ['https://quay.com/user_uploads/1/plan.txt', undefined],
  ['/static/plan.txt', undefined],
])('the link %s leads to an uploaded file of the kind %s', (href, kind) => {
  expect(kindOfUpload(href, origin)).toBe(kind);
});

test.each([
  ['https://img.example.org/a/fig%20one.png?x=/y', 'fig one.png'],
  ['https://img.example.org/', 'https://img.example.org/'],
  ['/user_uploads/1/50%.png', '50%.png'],
])('the picture at %s is called %s', (href, name) => {
  expect(fileName(href)).toBe(name);
});

test.each([
  ['emoji emoji-1f389', '🎉\uFE0F'],
  ['emoji emoji-2764', '❤\uFE0F'],
  ['emoji emoji-0031-20e3', '1\uFE0F\u20E3'],
  ['emoji emoji-ffffff', undefined],
  ['emoji', undefined],
  ['emoji-picker', undefined],
])('the classes %s stand for %s', (classes, glyph) => {
  expect(glyphOf(classes)).toBe(glyph);
});

test.each([
  ['<span class="strut" style="height:1em;">x</span>', '<span class="strut">x</span>'],
  ['<a style="color: red" href="#a">a</a><b style="top:0">', '<a href="#a">a</a><b>'],
  ['<a title="a style=" href="b">a</a>', '<a title="a style=" href="b">a</a>'],
  ['<p>write style="top:0" here</p>', '<p>write style="top:0" here</p>'],
  ['<p>&lt;b style="top:0"&gt;</p>', '<p>&lt;b style="top:0"&gt;</p>'],
])('%s enters the page without styles', (html, expected) => {
  expect(withoutStyles(html)).toBe(expected);
});
