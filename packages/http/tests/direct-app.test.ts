/** A request over a link is answered as the same request is by HTTP. */
import { RequestSignal, notOverLinksStatus, readAnswerMaxBytes } from '@parley/links';
import type { LinkAnswer, LinkedHeaders } from '@parley/links';
import { createLogger } from '@parley/logging';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createDirectApp } from '../src/direct-app.ts';
import { defineEndpoint, isForLinks, preserialized } from '../src/index.ts';
import type { DirectApp } from '../src/index.ts';
import { identityHeaders, member, sampleEndpoints, startSampleServer } from './sample-app.ts';
import type { SampleServer } from './sample-app.ts';

const form = 'application/x-www-form-urlencoded';
const multipart =
  '--b\r\nContent-Disposition: form-data; name="topic"\r\n\r\nfrom a part\r\n--b--\r\n';

let sample: SampleServer;
let directApp: DirectApp;
const hangUps: string[] = [];
const options = {
  endpoints: sampleEndpoints,
  context: { hangUps },
  identitySecrets: [],
  log: createLogger({ service: 'sample', nodeId: 'direct', level: 'fatal' }),
  checkAnswers: true,
};

beforeAll(async () => {
  sample = await startSampleServer();
  directApp = createDirectApp(options);
});

afterAll(async () => {
  await sample.server.stop(0);
});

type Asked = {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
  readonly role?: 'administrator' | 'guest';
};

function headersOf({ contentType }: Asked): LinkedHeaders {
  return {
    'user-agent': 'ParleyTests/1.0',
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
  };
}

async function byHttp(asked: Asked): Promise<{ status: number; json: unknown }> {
  const response = await fetch(sample.url + asked.path, {
    method: asked.method,
    headers: { ...headersOf(asked), ...identityHeaders({ role: asked.role ?? 'member' }) },
    ...(asked.body === undefined ? {} : { body: asked.body }),
  });
  return { status: response.status, json: await response.json() };
}

async function overLink(
  asked: Asked,
  signal = new RequestSignal(),
  app = directApp,
): Promise<{ status: number; json: unknown }> {
  const { status, shared, own } = await new Promise<LinkAnswer>((resolve) => {
    app(
      {
        requestId: 'request-1',
        method: asked.method,
        address: `/api/v1${asked.path}`,
        caller: { ...member, role: asked.role ?? 'member' },
        headers: headersOf(asked),
        body: Buffer.from(asked.body ?? ''),
        signal,
        link: { backlogBytes: 0 },
      },
      resolve,
    );
  });
  return { status, json: JSON.parse(shared.toString() + own) };
}

describe('a request', () => {
  it.each<[string, Asked]>([
    ['with a query', { method: 'GET', path: '/samples?num_before=3&anchor=-1' }],
    ['without a parameter that it needs', { method: 'GET', path: '/samples' }],
    [
      'with a form',
      { method: 'POST', path: '/samples', contentType: form, body: 'topic=a+%C3%BC' },
    ],
    [
      'with two names for one',
      {
        method: 'POST',
        path: '/samples?subject=b',
        contentType: form,
        body: 'topic=a',
      },
    ],
    [
      'with a form of parts',
      {
        method: 'POST',
        path: '/samples',
        contentType: 'multipart/form-data; boundary=b',
        body: multipart,
      },
    ],
    [
      'with parts that break off',
      {
        method: 'POST',
        path: '/samples',
        contentType: 'multipart/form-data; boundary=b',
        body: multipart.slice(0, -9),
      },
    ],
    [
      'with another type of body',
      {
        method: 'POST',
        path: '/samples',
        contentType: 'application/json',
        body: '{"topic":"a"}',
      },
    ],
    [
      'that means another method',
      {
        method: 'POST',
        path: '/samples/5',
        contentType: form,
        body: 'method=PATCH&full_name=a',
        role: 'administrator',
      },
    ],
    [
      'by the wrong people',
      { method: 'PATCH', path: '/samples/5', body: 'full_name=a', role: 'guest' },
    ],
    ['by those who are not admitted', { method: 'POST', path: '/admitted' }],
    [
      'that is admitted and lacks something',
      { method: 'POST', path: '/admitted', role: 'administrator' },
    ],
    [
      'that is admitted',
      {
        method: 'POST',
        path: '/admitted',
        contentType: form,
        body: 'topic=a',
        role: 'administrator',
      },
    ],
    [
      'that means GET by its form',
      {
        method: 'POST',
        path: '/samples',
        contentType: form,
        body: 'method=GET&num_before=3',
      },
    ],
    ['with a wrong method', { method: 'DELETE', path: '/samples' }],
    [
      'with a wrong method in its form',
      {
        method: 'POST',
        path: '/samples',
        contentType: form,
        body: 'method=PUT',
      },
    ],
    ['to an unknown path', { method: 'GET', path: '/nothing' }],
    ['with an id that is none', { method: 'PATCH', path: '/samples/x', role: 'administrator' }],
    ['to a fixed path beside a placeholder', { method: 'GET', path: '/samples/me' }],
    ['with escapes in its path', { method: 'GET', path: '/samples/%C3%BC%2F%40x/name' }],
    ['whose answer is not as declared', { method: 'POST', path: '/fail?how=undeclared' }],
    ['that is refused', { method: 'POST', path: '/fail?how=refuse' }],
    ['that fails', { method: 'POST', path: '/fail?how=bug' }],
    ['while a store is away', { method: 'POST', path: '/fail?how=store' }],
  ])('%s', async (_what, asked) => {
    expect(await overLink(asked)).toEqual(await byHttp(asked));
  });

  it('that is left aborts its signal', async () => {
    const signal = new RequestSignal();
    const answered = overLink({ method: 'GET', path: '/held' }, signal);
    await expect.poll(() => hangUps).toEqual(['waiting']);
    signal.abort();
    await answered;
    expect(hangUps).toEqual(['waiting', 'hung up']);
  });
});

describe('what has to come by HTTP', () => {
  const shared = { access: { authentication: 'none' }, parameters: [] } as const;

  it('is what only reads and has a very long answer', async () => {
    const letters = (length: number): string => 'l'.repeat(length);
    const textOf = (bytes: number): string => {
      const around = JSON.stringify({ result: 'success', msg: '', word: '' }).length;
      return JSON.stringify({ result: 'success', msg: '', word: letters(bytes - around) });
    };
    const lengths = new Map([
      ['/fits', readAnswerMaxBytes],
      ['/long', readAnswerMaxBytes + 1],
    ]);
    const endpoints = [...lengths].flatMap(([path, bytes]) =>
      (['GET', 'PUT'] as const).map((method) =>
        defineEndpoint({
          ...shared,
          path,
          name: `${method}-${path}`,
          method,
          summary: 'A long word',
          response: { type: 'object', properties: { word: { type: 'string' } } },
          handler: () => preserialized(textOf(bytes)),
        }),
      ),
    );
    const app = createDirectApp({ ...options, endpoints });
    const statusOf = async (method: string, path: string): Promise<number> =>
      (await overLink({ method, path }, undefined, app)).status;
    expect(await statusOf('GET', '/fits')).toBe(200);
    expect(await statusOf('GET', '/long')).toBe(notOverLinksStatus);
    expect(await statusOf('HEAD', '/long')).toBe(notOverLinksStatus);
    // It may not be done twice.
    expect(await statusOf('PUT', '/long')).toBe(200);
  });

  it('is still named where a path has other methods', async () => {
    const endpoints = [
      defineEndpoint({
        ...shared,
        path: '/picture',
        name: 'show-picture',
        method: 'GET',
        summary: 'Events',
        response: {},
        rawResponse: { contentType: 'text/event-stream', description: 'Events', event: {} },
        handler: () => ({}),
      }),
      defineEndpoint({
        ...shared,
        path: '/picture',
        name: 'delete-picture',
        method: 'DELETE',
        summary: 'A change',
        response: {},
        handler: () => ({}),
      }),
    ];
    const app = createDirectApp({ ...options, endpoints });
    const ofPicture = (method: string, body = ''): Promise<{ status: number; json: unknown }> =>
      overLink({ method, path: '/picture', contentType: form, body }, undefined, app);
    expect((await ofPicture('DELETE')).status).toBe(200);
    expect(await ofPicture('PATCH')).toMatchObject({
      status: 405,
      json: { allowed_methods: ['GET', 'DELETE', 'HEAD'] },
    });
    expect((await ofPicture('POST', 'method=GET')).status).toBe(notOverLinksStatus);
  });
});

it('links are not for webhooks, whose methods and paths are their own', async () => {
  const webhook = sampleEndpoints.find(({ method }) => method === 'ANY');
  expect(webhook && isForLinks(webhook)).toBe(false);
  expect((await overLink({ method: 'POST', path: '/external/sample' })).status).toBe(404);
});
