/** Answers that the gateway compresses, and answers that it leaves unchanged. */
import { gunzipSync } from 'node:zlib';

import type { LinkAnswer } from '@parley/server/links';
import { partBytes } from '@parley/server/links';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { GatewayUnderTest, authorization, success } from './support/gateway-under-test.ts';
import type { TestUser } from './support/gateway-under-test.ts';
import { sendAsGiven } from './support/send-as-given.ts';
import type { Got } from './support/send-as-given.ts';

let gateway: GatewayUnderTest;
let user: TestUser;
let answer: LinkAnswer;

beforeAll(async () => {
  gateway = await GatewayUnderTest.start();
  user = await gateway.addUser();
  for (const service of ['messages', 'people', 'events'])
    await gateway.addUpstream(service, () => answer);
});
afterAll(() => gateway?.stop());
beforeEach(() => {
  answer = answerOf(`{"text":"${'ünïcode 🎉 '.repeat(2_000)}"}`);
});

function answerOf(shared: LinkAnswer['shared'], more: Partial<LinkAnswer> = {}): LinkAnswer {
  return { status: 200, kind: 'json', headers: {}, shared, own: '', ...more };
}

function ask(path: string, accepted = 'gzip, deflate', method = 'GET'): Promise<Got> {
  const headers = { ...authorization(user), 'accept-encoding': accepted };
  return sendAsGiven(gateway, `/api/v1/${path}`, headers, method);
}

/** @returns the text of an answer that must be compressed */
function unpack({ headers, body }: Got): string {
  expect(headers['content-encoding']).toBe('gzip');
  expect(headers['content-length']).toBe(String(body.length));
  expect(headers.vary).toContain('Accept-Encoding');
  expect(headers['content-type']).toBe('application/json');
  return gunzipSync(body).toString();
}

function expectPlain({ headers, body }: Got, text: string): void {
  expect(headers).not.toHaveProperty('content-encoding');
  expect(headers['content-length']).toBe(String(body.length));
  expect(body.toString()).toBe(text);
}

const textOf = (): string => String(answer.shared);

describe('an answer of JSON', () => {
  it('is compressed for clients that accept gzip', async () => {
    const received = await ask('users/me');
    expect(unpack(received)).toBe(textOf());
    expect(received.body.length).toBeLessThan(textOf().length / 20);
  });

  it.each(['gzip;q=0.1', '*', 'br, x-gzip'])('also for %s', async (accepted) => {
    expect(unpack(await ask('users/me', accepted))).toBe(textOf());
  });

  it.each([undefined, '', 'identity', 'gzip;q=0', 'br, deflate', 'gzip;q=0, *'])(
    'is not compressed for %s, and says that it differs by encoding',
    async (accepted) => {
      const received = await ask('users/me', accepted ?? '');
      expectPlain(received, textOf());
      expect(received.headers.vary).toContain('Accept-Encoding');
    },
  );

  it('is compressed from 8 KiB on', async () => {
    answer = answerOf(`"${'x'.repeat(8_190)}"`);
    expectPlain(await ask('users/me'), textOf());
    answer = answerOf(`"${'x'.repeat(8_191)}"`);
    expect(unpack(await ask('users/me'))).toBe(textOf());
  });

  it('is compressed if it is a refusal, whatever its status', async () => {
    answer = { ...answer, status: 400, headers: { 'x-parley-node': 'n' } };
    const received = await ask('users/me');
    expect(received.status).toBe(400);
    expect(received.headers['x-parley-node']).toBe('n');
    expect(unpack(received)).toBe(textOf());
  });

  it('is compressed as a whole if it comes in parts', async () => {
    const text = `"${Array.from({ length: partBytes }, (_, n) => n).join(' ')}"`;
    answer = answerOf([Buffer.from(text)]);
    const received = await Promise.all(Array.from({ length: 6 }, () => ask('users/me')));
    for (const each of received) expect(unpack(each)).toBe(text);
  });

  it('to HEAD has the headers of GET, except the unknown length', async () => {
    const { status, headers, body } = await ask('users/me', 'gzip', 'HEAD');
    expect([status, body.length]).toEqual([200, 0]);
    expect(headers['content-encoding']).toBe('gzip');
    expect(headers).not.toHaveProperty('content-length');
    const plain = await ask('users/me', 'identity', 'HEAD');
    expect(plain.headers['content-length']).toBe(String(Buffer.byteLength(textOf())));
    // The connection is still usable after both.
    expect(unpack(await ask('users/me'))).toBe(textOf());
  });
});

describe('an answer to a poll', () => {
  it('is compressed with its own end', async () => {
    answer = answerOf(`{"events":[${JSON.stringify('é'.repeat(9_000))}`, {
      own: '],"queue_id":1}',
    });
    const received = await Promise.all(
      Array.from({ length: 5 }, () => ask('events?queue_id=1:1&last_event_id=-1')),
    );
    for (const each of received) expect(unpack(each)).toBe(textOf() + answer.own);
  });
});

describe('unchanged', () => {
  it('is an answer that is not JSON', async () => {
    answer = { ...answer, kind: 'raw', headers: { 'Content-Type': 'text/plain' } };
    expectPlain(await ask('users/me'), textOf());
  });

  it.each([
    { 'Cache-Control': 'no-store, no-transform' },
    { 'cache-control': 'no-transform' },
    { 'Content-Encoding': 'br' },
  ])('is an answer that its service excludes: %o', async (headers: Record<string, string>) => {
    answer = { ...answer, headers };
    const received = await ask('users/me');
    expect(received.headers['content-encoding']).toBe(headers['Content-Encoding']);
    expect(received.body.toString()).toBe(textOf());
  });
});

it('a client that disconnects leaves nothing behind', async () => {
  answer = answerOf([Buffer.alloc(8 * 1_048_576, 'parley ')]);
  const leaving = Array.from({ length: 5 }, () => {
    const abort = new AbortController();
    const gone = fetch(`${gateway.url}/api/v1/users/me`, {
      headers: authorization(user),
      signal: abort.signal,
    }).catch(() => undefined);
    return { abort, gone };
  });
  for (const { abort, gone } of leaving) {
    abort.abort();
    await gone;
  }
  answer = answerOf(JSON.stringify(success));
  expect((await ask('users/me')).status).toBe(200);
  await gateway.settle();
  await gateway.untilOpen(0);
});

it('counts the saved bytes', async () => {
  const before = await gateway.metric('parley_gateway_compressed_bytes_total');
  const received = await ask('users/me');
  const after = await gateway.metric('parley_gateway_compressed_bytes_total');
  expect(after - before).toBe(Buffer.byteLength(textOf()) + received.body.length);
});
