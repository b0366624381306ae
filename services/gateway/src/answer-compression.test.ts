import { gunzipSync } from 'node:zlib';

import type { LinkAnswer } from '@parley/server/links';
import { bytesOf, joined } from '@parley/server/links';
import { expect, test } from 'vitest';

import type { CompressedAnswer } from './answer-compression.ts';
import { AnswerCompression } from './answer-compression.ts';

const request = { method: 'GET', headers: { 'accept-encoding': 'gzip' } };

async function finish(
  compressing: ReturnType<AnswerCompression['begin']>,
): Promise<CompressedAnswer | undefined> {
  return compressing;
}

function answerOf(shared: LinkAnswer['shared'], own = '', headers = {}): LinkAnswer {
  return { status: 200, kind: 'json', headers, shared, own };
}

function open() {
  const seen = { refused: 0, compressed: [] as (readonly [number, number])[] };
  const compression = new AnswerCompression({
    onCompressed: (plain, bytes) => seen.compressed.push([plain, bytes]),
    onRefused: () => (seen.refused += 1),
  });
  return { compression, seen };
}

test('more answers are sent uncompressed while 64 MiB wait, and compressed again afterwards', async () => {
  const { compression, seen } = open();
  const answer = answerOf([Buffer.alloc(16 * 1_048_576, 'parley ')]);
  const begun = Array.from({ length: 4 }, () => compression.begin(request, answer));
  expect(begun).not.toContain(undefined);
  expect(compression.heldBytes).toBe(64 * 1_048_576);
  expect(compression.begin(request, answerOf('x'.repeat(9_000)))).toBeUndefined();
  expect(seen.refused).toBe(1);
  for (const done of await Promise.all(begun.map(finish))) {
    expect(done?.headers).toEqual({ 'Content-Encoding': 'gzip' });
    expect(bytesOf(done?.body ?? '')).toBeLessThan(100_000);
  }
  expect(compression.heldBytes).toBe(0);
  expect(await compression.begin(request, answer)).toBeDefined();
  expect(seen.compressed).toHaveLength(5);
});

test('what answers of one moment have in common counts once against the bytes that may wait', async () => {
  const { compression, seen } = open();
  const shared = 'x'.repeat(15 * 1_048_576);
  const begun = Array.from({ length: 20 }, (_, n) =>
    compression.begin(request, answerOf(shared, `${n % 10}`)),
  );
  expect(begun).not.toContain(undefined);
  expect(compression.heldBytes).toBe(shared.length + 20);
  await Promise.all(begun.map(finish));
  expect(compression.heldBytes).toBe(0);
  expect(seen.refused).toBe(0);
});

test('an answer above 16 MiB is sent uncompressed', () => {
  const { compression, seen } = open();
  const answer = answerOf([Buffer.alloc(16 * 1_048_576), Buffer.alloc(1)]);
  expect(compression.begin(request, answer)).toBeUndefined();
  expect(seen.refused).toBe(0);
});

test('answers of one moment with the same beginning are compressed together, each with its own end', async () => {
  const { compression } = open();
  const shared = '{"events":['.padEnd(60_000, 'é');
  const ends = Array.from({ length: 20 }, (_, n) => `],"queue_id":"${n}"}`);
  const done = await Promise.all(
    ends.map((own) => finish(compression.begin(request, answerOf(shared, own)))),
  );
  const bodies = done.map((each) => {
    if (each?.body === undefined || typeof each.body === 'string') throw new Error('no bytes');
    return each.body;
  });
  for (const [n, body] of bodies.entries())
    expect(gunzipSync(joined(body)).toString()).toBe(shared + ends[n]);
  // The same bytes, not only equal ones.
  expect(new Set(bodies.map(([, begin]) => begin)).size).toBe(1);
});
