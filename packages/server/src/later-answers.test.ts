/** Answers that come later: over HTTP, and to direct requests. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';

import {
  badEventQueueId,
  declareEndpoint,
  identityHeaderName,
  numberParameter,
  serviceUnavailable,
  textParameter,
} from '@parley/api';
import type { Caller } from '@parley/api';
import { object, text } from '@parley/api/schema';
import { signIdentity } from '@parley/identity';
import { RequestSignal, textOf } from '@parley/links';
import type { LinkAnswer, ReceivedRequest } from '@parley/links';
import { createLogger } from '@parley/logging';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createHttpApp, createLinkApp } from '../tests/sample-apps.ts';
import type { AppOptions } from '../tests/sample-apps.ts';
import { undeclaredAnswer } from './answer-record.ts';
import { LaterAnswer, partlyShared, preserialized } from './implement.ts';
import type { EndpointAnswer, Implementation } from './implement.ts';
import { createMetrics } from './metrics.ts';

type Context = { readonly answer: () => EndpointAnswer };

/** Made without `implement`, with which an undeclared answer would not compile. */
const implementation: Implementation<Context> = {
  endpoint: declareEndpoint({
    name: 'wait-for-word',
    method: 'GET',
    path: '/word',
    service: 'messages',
    tag: 'Server',
    summary: 'A word',
    access: { authentication: 'required', bots: 'refused' },
    parameters: [
      textParameter('name', { required: true, description: 'Whose' }),
      numberParameter('times', { default: 1, description: 'How often' }),
    ],
    success: object({ word: text }),
    errors: ['BAD_EVENT_QUEUE_ID'],
    longPoll: true,
  }),
  admit: undefined,
  handle: (context) => context.answer(),
};

const secret = 'i'.repeat(40);
const caller: Caller = {
  userId: 7,
  email: 'a@example.com',
  role: 'member',
  botType: null,
  botOwnerId: null,
};
const word = '{"result":"success","msg":"","word":"yes"}';

let logged: string;
let answer: () => EndpointAnswer;
let options: AppOptions<Context>;
let server: Server;

beforeEach(async () => {
  logged = '';
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      logged += chunk.toString();
      done();
    },
  });
  options = {
    implementations: [implementation],
    context: { answer: () => answer() },
    identitySecrets: [secret],
    log: createLogger({ service: 'test', nodeId: 'test', level: 'info' }, destination),
    metrics: createMetrics('test'),
    checkAnswers: true,
    answerHeaders: { 'x-parley-node': 'here' },
  };
  server = createServer(createHttpApp(options));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});

afterEach(async () => {
  options.metrics?.registry.clear();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

type Asked = { status: number; headers: Readonly<Record<string, string>>; text: string };

async function overHttp(query: string, by = caller): Promise<Asked> {
  const { port } = server.address() as AddressInfo;
  const identity = signIdentity(secret, by, { requestId: 'a'.repeat(32), nowMs: Date.now() });
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/word${query}`, {
    headers: { [identityHeaderName]: identity },
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  };
}

function requestFor(query: string, by = caller): ReceivedRequest {
  return {
    requestId: 'a'.repeat(32),
    method: 'GET',
    address: `/api/v1/word${query}`,
    caller: by,
    headers: {},
    body: Buffer.alloc(0),
    signal: new RequestSignal(),
    link: { backlogBytes: 0 },
  };
}

async function directly(query: string, by = caller): Promise<Asked> {
  const ask = createLinkApp(options);
  const { status, headers, shared, own } = await new Promise<LinkAnswer>((resolve) =>
    ask(requestFor(query, by), resolve),
  );
  return { status, headers, text: textOf(shared) + own };
}

const later =
  (begin: LaterAnswer['begin']): (() => EndpointAnswer) =>
  () =>
    new LaterAnswer(begin);

async function inFlight(): Promise<number | undefined> {
  return (await options.metrics?.requestsInFlight.get())?.values[0]?.value;
}

/** The parts of an answer, for any transport. */
const answers: readonly (readonly [
  what: string,
  make: () => EndpointAnswer,
  query: string,
  by: Caller,
  status: number,
  text: string,
])[] = [
  ['an object', () => ({ word: 'yes' }), '?name=x', caller, 200, word],
  ['a text', () => preserialized(word), '?name=x', caller, 200, word],
  [
    'bytes',
    () => preserialized([Buffer.from(word.slice(0, 5)), Buffer.from(word.slice(5))]),
    '?name=x',
    caller,
    200,
    word,
  ],
  [
    'a shared beginning',
    () => partlyShared(word.slice(0, 9), word.slice(9)),
    '?name=x',
    caller,
    200,
    word,
  ],
  [
    'later, at once',
    later((settle) => settle.answer(preserialized(word))),
    '?name=x',
    caller,
    200,
    word,
  ],
  [
    'later',
    later((settle) => setImmediate(() => settle.answer(partlyShared(word, '')))),
    '?name=x',
    caller,
    200,
    word,
  ],
  [
    'a refusal that comes later',
    later((settle) => setImmediate(() => settle.fail(badEventQueueId('q')))),
    '?name=x',
    caller,
    400,
    '{"result":"error","msg":"Bad event queue id: q","code":"BAD_EVENT_QUEUE_ID","queue_id":"q"}',
  ],
  [
    'a fault that comes later',
    later((settle) => settle.fail(new Error('secret'))),
    '?name=x',
    caller,
    500,
    '{"result":"error","msg":"Internal server error"}',
  ],
  [
    'a parameter that is missing',
    () => ({ word: 'yes' }),
    '?x=y',
    caller,
    400,
    `{"result":"error","msg":"Missing 'name' argument","code":"REQUEST_VARIABLE_MISSING","var_name":"name"}`,
  ],
  [
    'who may not call',
    () => ({ word: 'yes' }),
    '?name=x',
    { ...caller, botType: 1, botOwnerId: 7 },
    400,
    '{"result":"error","msg":"This endpoint does not accept bot requests."}',
  ],
];

describe.each([
  ['over HTTP', overHttp],
  ['directly', directly],
])('%s', (_way, ask) => {
  it.each(answers)('%s', async (_what, make, query, by, status, expected) => {
    answer = make;
    const given = await ask(query, by);
    expect([given.status, JSON.parse(given.text)]).toEqual([status, JSON.parse(expected)]);
    expect(given.headers['x-parley-node']).toBe('here');
    expect(logged).not.toContain(undeclaredAnswer);
    await expect.poll(inFlight).toBe(0);
  });

  it('an answer that differs from its declaration is logged as a fault', async () => {
    answer = later((settle) => settle.answer(preserialized('{"result":"success","msg":""}')));
    const given = await ask('?name=x');
    expect(given.status).toBe(500);
    expect(logged).toContain(undeclaredAnswer);
    await expect.poll(inFlight).toBe(0);
  });

  it('a refusal has a retry time', async () => {
    answer = later((settle) => settle.fail(serviceUnavailable()));
    const given = await ask('?name=x');
    const headers = new Headers(given.headers);
    expect([given.status, headers.get('retry-after')]).toEqual([503, expect.any(String)]);
  });
});

describe('direct requests', () => {
  it('keep the identical string of the shared beginning, and the identical headers object', async () => {
    const shared = word.slice(0, 20);
    answer = () => partlyShared(shared, word.slice(20));
    const ask = createLinkApp(options);
    const given: LinkAnswer[] = [];
    for (let asked = 0; asked < 2; asked += 1)
      ask(requestFor('?name=x'), (each) => given.push(each));
    await expect.poll(() => given.length).toBe(2);
    expect(given.map((each) => each.shared)).toEqual([shared, shared]);
    expect(given[0]?.headers).toBe(given[1]?.headers);
  });
});
