import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { notices } from './notices.ts';
import { Uploads } from './uploads.ts';

/** What the class uses of a browser's request. */
class Sent {
  static all: Sent[] = [];
  upload: { onprogress?: (progress: { loaded: number; total: number }) => void } = {};
  onload?: () => void;
  onerror?: () => void;
  response: unknown;
  wasAborted = false;
  open(): void {
    Sent.all.push(this);
  }
  send(): void {
    this.upload.onprogress?.({ loaded: 1, total: 4 });
  }
  abort(): void {
    this.wasAborted = true;
  }
  answer(response: unknown): void {
    this.response = response;
    this.onload?.();
  }
}

beforeEach(() => {
  Sent.all = [];
  vi.stubGlobal('XMLHttpRequest', Sent);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function files(count: number, name = 'a.txt'): readonly File[] {
  return Array.from({ length: count }, () => new File(['x'], name));
}

test('a file becomes a link whose text its name cannot end', () => {
  const uploads = new Uploads();
  const links: string[] = [];
  uploads.add(files(1, 'a]b.txt'), (link) => links.push(link));
  expect(uploads.items.peek().map(({ name, progress }) => [name, progress.peek()])).toEqual([
    ['a]b.txt', 0.25],
  ]);
  expect(uploads.areRunning.peek()).toBe(true);
  Sent.all[0]?.answer({ uri: '/user_uploads/1/x' });
  expect(links).toEqual(['[a_b.txt](/user_uploads/1/x)']);
  expect([uploads.items.peek(), uploads.areRunning.peek()]).toEqual([[], false]);
});

test('what fails says why until it is dismissed, and what is cancelled ends', () => {
  const uploads = new Uploads();
  uploads.add(files(3), () => undefined);
  const [refused, lost, cancelled] = Sent.all;
  refused?.answer({ msg: 'Too large' });
  lost?.onerror?.();
  expect(uploads.items.peek().map(({ failure }) => failure.peek())).toEqual([
    'Too large',
    '',
    undefined,
  ]);
  uploads.cancelAll();
  expect([uploads.items.peek(), cancelled?.wasAborted]).toEqual([[], true]);
});

test('of more than twenty files the person is told', () => {
  const uploads = new Uploads();
  uploads.add(files(21), () => undefined);
  expect(uploads.items.peek()).toHaveLength(20);
  expect(notices.peek().at(-1)?.kind).toBe('failure');
});
