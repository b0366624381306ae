/** Requests over links, from access to answer. */
import { badRequest, declareEndpoint, serviceUnavailable } from '@parley/api';
import { object, text } from '@parley/api/schema';
import { commitThroughGate } from '@parley/database';
import { RequestSignal, partBytes, readAnswerMaxBytes, textOf } from '../src/links/index.ts';
import type { LinkAnswer, WantedAnswer } from '../src/links/index.ts';
import { createLogger } from '@parley/telemetry/logging';
import { beforeEach, describe, expect, it } from 'vitest';

import { implement, preserialized } from '../src/implement.ts';
import type { Implementation } from '../src/implement.ts';
import { createSampleApp, sampleClock } from './sample-app.ts';
import type { SampleApp } from './sample-app.ts';
import { ask, createLinkApp, jsonOf, member, requestOf } from './sample-apps.ts';
import type { SampleRequest } from './sample-apps.ts';

let sample: SampleApp;

beforeEach(() => {
  sample = createSampleApp();
});

async function call(
  request: SampleRequest,
): Promise<{ status: number; headers: LinkAnswer['headers']; json: unknown }> {
  const answer = await ask(sample.app, request);
  return { status: answer.status, headers: answer.headers, json: jsonOf(answer) };
}

const administrator = { ...member, role: 'administrator' } as const;
const guest = { ...member, role: 'guest' } as const;

describe('access', () => {
  it('is refused before anything else at an unknown endpoint', async () => {
    const { status, json } = await call({ endpoint: 'of another release' });
    expect([status, json]).toEqual([404, { result: 'error', msg: 'Not found' }]);
  });

  it('requires a caller', async () => {
    const { status, headers } = await call({ endpoint: 'list-samples', caller: null });
    expect([status, headers['WWW-Authenticate']]).toEqual([401, 'Basic realm="zulip"']);
  });

  it.each([
    ['a member', member, 400, 'Must be an organization administrator'],
    [
      'a webhook',
      { ...member, botType: 2 },
      401,
      'This API is not available to incoming webhook bots.',
    ],
    ['a bot', { ...administrator, botType: 1 }, 400, 'This endpoint does not accept bot requests.'],
    ['an administrator', administrator, 400, "Missing 'full_name' argument"],
  ] as const)(
    'depends on the role before the parameters: %s',
    async (_who, caller, status, msg) => {
      const change = { endpoint: 'change-sample', path: { sample_id: '3' }, caller };
      expect(await call(change)).toMatchObject({ status, json: { msg } });
    },
  );

  it.each([
    [guest, 'Not allowed for guest users'],
    [member, 'Not now'],
    [administrator, "Missing 'topic' argument"],
  ])('includes admission between the role and the parameters', async (caller, msg) => {
    expect(await call({ endpoint: 'add-admitted', caller })).toMatchObject({ json: { msg } });
  });
});

describe('parameters', () => {
  it('come from form and query, the form first, and from the path', async () => {
    const change = { endpoint: 'change-sample', path: { sample_id: '3' }, caller: administrator };
    const query = { full_name: 'query' };
    expect((await call({ ...change, query })).json).toMatchObject({ full_name: 'query' });
    const both = await call({ ...change, query, form: { full_name: 'form' } });
    expect(both.json).toEqual({ result: 'success', msg: '', sample_id: 3, full_name: 'form' });
  });

  it('are refused in declared order, and under two names', async () => {
    const query = { anchor: 'x', num_before: 'y' };
    expect((await call({ endpoint: 'list-samples', query })).json).toMatchObject({
      var_name: 'num_before',
      bad_value: 'y',
    });
    const twice = { query: { subject: 'b' }, form: { topic: 'a' } };
    expect((await call({ endpoint: 'add-sample', ...twice })).status).toBe(400);
  });

  it('name the client before its User-Agent does', async () => {
    const list = { endpoint: 'list-samples', headers: { 'user-agent': 'My Bot 2.0' } };
    const clientOf = async (query: Record<string, string>): Promise<unknown> =>
      (await call({ ...list, query: { num_before: '1', ...query } })).json;
    expect(await clientOf({})).toMatchObject({ client: 'My Bot' });
    expect(await clientOf({ client: 'q' })).toMatchObject({ client: 'q' });
  });

  it('may be the JSON of the body', async () => {
    const payload = { a: '&'.repeat(2000) };
    const received = { endpoint: 'receive-sample', query: { stream: 's' } };
    const { json } = await call({ ...received, body: JSON.stringify(payload) });
    expect(json).toMatchObject({ stream: 's', payload });
    for (const body of ['--x', '']) {
      const refused = await call({ endpoint: 'receive-sample', body });
      expect(refused.json).toMatchObject({ code: 'INVALID_JSON' });
    }
  });
});

describe('answers', () => {
  const fail = (how: string): ReturnType<typeof call> => call({ endpoint: 'fail', form: { how } });
  const internal = { status: 500, json: { result: 'error', msg: 'Internal server error' } };

  it.each(['store', 'cause'])('report an unavailable store with 503: %s', async (how) => {
    const { status, headers, json } = await fail(how);
    expect([status, headers['Retry-After']]).toEqual([503, '1']);
    expect(json).toMatchObject({ result: 'error', code: 'SERVICE_UNAVAILABLE' });
  });

  it('reveal nothing about an internal error, which is logged once with its stack', async () => {
    expect(await fail('bug')).toMatchObject(internal);
    const lines = sample.logLines.filter((line) => line.includes('the secret inside'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('sample-app.ts');
  });

  it('refuse a value that no column can hold', async () => {
    expect((await fail('unstorable')).status).toBe(400);
  });

  it('may be empty', async () => {
    const answer = await ask(sample.app, { endpoint: 'fail', form: { how: 'empty' } });
    expect(answer).toMatchObject({ status: 204, kind: 'raw', shared: '' });
  });

  it('are compared with their declaration if that is enabled', async () => {
    expect(await fail('undeclared')).toMatchObject(internal);
    expect(sample.logLines.join('')).toContain('undeclared');
  });

  it('are logged by endpoint, and without user content', async () => {
    const form = { content: 'private words' };
    await call({ endpoint: 'add-sample', query: { api_key: 'TheKeyItself' }, form });
    const log = sample.logLines.join('');
    expect(log).toContain('"endpoint":"add-sample"');
    expect(log).not.toMatch(/private words|TheKeyItself/);
  });

  it('name changed accounts for the gateway, even if the request is refused after that', async () => {
    const changed = async (request: SampleRequest): Promise<unknown> =>
      (await call(request)).headers['x-parley-accounts-changed'];
    const change = {
      endpoint: 'change-sample',
      path: { sample_id: '5' },
      form: { full_name: 'a' },
    };
    expect(await changed({ ...change, caller: administrator })).toBe('5,8');
    expect(await changed({ endpoint: 'fail', form: { how: 'change' } })).toBe('3');
    expect(await changed({ ...change, caller: guest })).toBeUndefined();
  });
});

it('a request that nobody waits for any more aborts its signal, which is no error', async () => {
  const signal = new RequestSignal();
  const answered = call({ endpoint: 'hold-sample', signal });
  await expect.poll(() => sample.context.hangUps).toEqual(['waiting']);
  signal.abort();
  await answered;
  expect(sample.context.hangUps).toEqual(['waiting', 'hung up']);
  expect(sample.logLines.join('')).toContain('"hung_up":true');
  expect(sample.logLines.join('')).not.toContain('AbortError');
});

/** What endpoints have in common that need nothing. */
const anybodys = {
  service: 'messages',
  tag: 'Server',
  access: { authentication: 'none' },
  parameters: [],
} as const;

function appOf(implementation: Implementation<object>) {
  return createLinkApp({
    implementations: [implementation],
    context: {},
    clock: sampleClock,
    log: createLogger({ service: 'sample', nodeId: 'n', level: 'silent' }),
  });
}

describe('a change that fails', () => {
  /** @returns the status of its refusal */
  async function statusOf(handle: () => Promise<never>): Promise<number> {
    const change = implement(
      declareEndpoint({
        ...anybodys,
        path: '/change',
        name: 'change',
        method: 'POST',
        summary: 'A change',
        success: object({}),
      }),
      handle,
    );
    const app = appOf(change);
    return (await ask(app, { endpoint: 'change' })).status;
  }
  const commit = (): Promise<string> => commitThroughGate(() => Promise.resolve('made'));

  it.each([
    ['a store that is away', serviceUnavailable(), 503],
    ['a fault of the server', new TypeError('x'), 500],
  ])('by %s makes nothing of its other parts', async (_what, fault, status) => {
    const commits: Promise<string>[] = [];
    const refused = Promise.withResolvers<undefined>();
    expect(
      await statusOf(() => {
        commits.push(refused.promise.then(commit));
        throw fault;
      }),
    ).toBe(status);
    refused.resolve(undefined);
    await expect(commits[0]).rejects.toThrow('closed before the commit');
  });

  it.each([
    ['a store that is away', serviceUnavailable(), 504],
    ['a fault of the server', new TypeError('x'), 504],
    ['a refusal of its own', badRequest('x'), 400],
  ])('after its commit, by %s, is not said to be undone', async (_what, fault, status) => {
    expect(
      await statusOf(async () => {
        await commit();
        throw fault;
      }),
    ).toBe(status);
  });
});

describe('a long answer', () => {
  const before = '{"result":"success","msg":"","word":"';
  const textOfBytes = (bytes: number): string =>
    `${before}${'l'.repeat(bytes - before.length - 2)}"}`;

  /** Answers a request with this many bytes, and takes each step. */
  async function answerWith(
    bytes: number,
    { method = 'GET', wants = 'whole' }: { method?: 'GET' | 'PUT'; wants?: WantedAnswer },
  ): Promise<readonly LinkAnswer[]> {
    const word = implement(
      declareEndpoint({
        ...anybodys,
        path: '/word',
        name: 'word',
        method,
        summary: 'A long word',
        success: object({ word: text }),
      }),
      () => preserialized<{ word: string }>(textOfBytes(bytes)),
    );
    const app = appOf(word);
    const parts: LinkAnswer[] = [];
    const request = requestOf({ endpoint: 'word', wants });
    await new Promise<void>((resolve) =>
      app(request, (part) => {
        parts.push(part);
        if (part.kind === 'step') setImmediate(() => request.signal.tellTaken());
        else resolve();
      }),
    );
    return parts;
  }

  it.each([
    ['whole up to its bound', readAnswerMaxBytes, {}, 0],
    ['in steps beyond', readAnswerMaxBytes + 1, {}, 65],
    ['in steps as soon as its gateway has no room', partBytes + 1, { wants: 'steps' }, 2],
    ['whole if it is short', 65_536, { wants: 'steps' }, 0],
    ['whole if the request must not be done twice', readAnswerMaxBytes + 1, { method: 'PUT' }, 0],
  ] as const)('goes %s', async (_how, bytes, asked, steps) => {
    const parts = await answerWith(bytes, asked);
    expect(parts.filter(({ kind }) => kind === 'step').length).toBe(steps);
    expect(parts.map(({ shared }) => textOf(shared)).join('')).toBe(textOfBytes(bytes));
    if (steps > 0)
      expect(parts[0]).toMatchObject({
        status: 200,
        headers: { 'Content-Type': 'application/json', 'Content-Length': String(bytes) },
      });
  });
});
