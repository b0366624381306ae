/** A request over a link gets the same answer as by HTTP. */
import { declareEndpoint, isLinked } from '@parley/api';
import { object, text } from '@parley/api/schema';
import { RequestSignal, notOverLinksStatus, readAnswerMaxBytes } from '@parley/links';
import type { LinkAnswer, LinkedHeaders } from '@parley/links';
import { createLogger } from '@parley/logging';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createLinkApp } from './sample-apps.ts';
import { implement, preserialized } from '../src/implement.ts';
import type { LinkHandler } from '../src/link-adapter.ts';
import { identityHeaders, member, sampleEndpoints, startSampleServer } from './sample-app.ts';
import type { SampleServer } from './sample-app.ts';

const form = 'application/x-www-form-urlencoded';
const multipart =
  '--b\r\nContent-Disposition: form-data; name="topic"\r\n\r\nfrom a part\r\n--b--\r\n';

let sample: SampleServer;
let directApp: LinkHandler;
const hangUps: string[] = [];
const options = {
  implementations: sampleEndpoints,
  context: { hangUps },
  identitySecrets: [],
  log: createLogger({ service: 'sample', nodeId: 'direct', level: 'fatal' }),
  checkAnswers: true,
};

beforeAll(async () => {
  sample = await startSampleServer();
  directApp = createLinkApp(options);
});

afterAll(async () => {
  await sample.server.stop(0);
});

type SampleRequest = {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
  readonly role?: 'administrator' | 'guest';
};

function headersOf({ contentType }: SampleRequest): LinkedHeaders {
  return {
    'user-agent': 'ParleyTests/1.0',
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
  };
}

type Answer = {
  readonly status: number;
  readonly json: unknown;
  /** The accounts that it names as changed to the gateway. */
  readonly changed: string | undefined;
};

const accountsHeader = 'x-parley-accounts-changed';

async function byHttp(request: SampleRequest): Promise<Answer> {
  const response = await fetch(sample.url + request.path, {
    method: request.method,
    headers: { ...headersOf(request), ...identityHeaders({ role: request.role ?? 'member' }) },
    ...(request.body === undefined ? {} : { body: request.body }),
  });
  return {
    status: response.status,
    json: await response.json(),
    changed: response.headers.get(accountsHeader) ?? undefined,
  };
}

async function overLink(
  request: SampleRequest,
  signal = new RequestSignal(),
  app = directApp,
): Promise<Answer> {
  const { status, headers, shared, own } = await new Promise<LinkAnswer>((resolve) => {
    app(
      {
        requestId: 'request-1',
        method: request.method,
        address: `/api/v1${request.path}`,
        caller: { ...member, role: request.role ?? 'member' },
        headers: headersOf(request),
        body: Buffer.from(request.body ?? ''),
        signal,
        link: { backlogBytes: 0 },
      },
      resolve,
    );
  });
  return { status, json: JSON.parse(shared.toString() + own), changed: headers[accountsHeader] };
}

describe('a request', () => {
  it.each<[string, SampleRequest]>([
    ['with a query', { method: 'GET', path: '/samples?num_before=3&anchor=-1' }],
    ['without a required parameter', { method: 'GET', path: '/samples' }],
    [
      'with a form',
      { method: 'POST', path: '/samples', contentType: form, body: 'topic=a+%C3%BC' },
    ],
    [
      'with two names of one parameter',
      {
        method: 'POST',
        path: '/samples?subject=b',
        contentType: form,
        body: 'topic=a',
      },
    ],
    [
      'with a multipart form',
      {
        method: 'POST',
        path: '/samples',
        contentType: 'multipart/form-data; boundary=b',
        body: multipart,
      },
    ],
    [
      'with an incomplete multipart form',
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
  ])('%s', async (_what, request) => {
    expect(await overLink(request)).toEqual(await byHttp(request));
  });

  it('that changes accounts names them for the gateway, even if it is refused after that', async () => {
    const change = {
      method: 'PATCH',
      path: '/samples/5',
      contentType: form,
      body: 'full_name=a',
      role: 'administrator',
    } as const;
    const fail = { method: 'POST', path: '/fail?how=change' } as const;
    for (const ask of [byHttp, overLink]) {
      expect(await ask(change)).toMatchObject({ status: 200, changed: '5,8' });
      expect(await ask(fail)).toMatchObject({ status: 500, changed: '3' });
      expect((await ask({ ...change, role: 'guest' })).changed).toBeUndefined();
    }
  });

  it('that is abandoned aborts its signal', async () => {
    const signal = new RequestSignal();
    const answered = overLink({ method: 'GET', path: '/held' }, signal);
    await expect.poll(() => hangUps).toEqual(['waiting']);
    signal.abort();
    await answered;
    expect(hangUps).toEqual(['waiting', 'hung up']);
  });
});

describe('must use HTTP', () => {
  const shared = {
    service: 'messages',
    tag: 'Server',
    access: { authentication: 'none' },
    parameters: [],
  } as const;

  it('applies to reads with a very long answer', async () => {
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
        implement(
          declareEndpoint({
            ...shared,
            path,
            name: `${method}-${path}`,
            method,
            summary: 'A long word',
            success: object({ word: text }),
          }),
          () => preserialized<{ word: string }>(textOf(bytes)),
        ),
      ),
    );
    const app = createLinkApp({ ...options, implementations: endpoints });
    const statusOf = async (method: string, path: string): Promise<number> =>
      (await overLink({ method, path }, undefined, app)).status;
    expect(await statusOf('GET', '/fits')).toBe(200);
    expect(await statusOf('GET', '/long')).toBe(notOverLinksStatus);
    expect(await statusOf('HEAD', '/long')).toBe(notOverLinksStatus);
    // It must not be done twice.
    expect(await statusOf('PUT', '/long')).toBe(200);
  });

  it('and is still listed among the methods of its path', async () => {
    const endpoints = [
      implement(
        declareEndpoint({
          ...shared,
          path: '/picture',
          name: 'set-picture',
          method: 'PUT',
          summary: 'An upload',
          success: object({}),
          takesFile: true,
        }),
        () => ({}),
      ),
      implement(
        declareEndpoint({
          ...shared,
          path: '/picture',
          name: 'delete-picture',
          method: 'DELETE',
          summary: 'A change',
          success: object({}),
        }),
        () => ({}),
      ),
    ];
    const app = createLinkApp({ ...options, implementations: endpoints });
    const ofPicture = (method: string, body = ''): Promise<Answer> =>
      overLink({ method, path: '/picture', contentType: form, body }, undefined, app);
    expect((await ofPicture('DELETE')).status).toBe(200);
    expect(await ofPicture('PATCH')).toMatchObject({
      status: 405,
      json: { allowed_methods: ['PUT', 'DELETE'] },
    });
    expect((await ofPicture('POST', 'method=PUT')).status).toBe(notOverLinksStatus);
  });
});

it('links do not carry webhooks, which have their own methods and paths', async () => {
  const webhook = sampleEndpoints.find(({ endpoint }) => endpoint.method === 'ANY');
  expect(webhook && isLinked(webhook.endpoint)).toBe(false);
  expect((await overLink({ method: 'POST', path: '/external/sample' })).status).toBe(
    notOverLinksStatus,
  );
});
