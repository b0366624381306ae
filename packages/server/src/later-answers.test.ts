/** Answers in every form, and those that come later. */
import { Writable } from 'node:stream';

import {
  badEventQueueId,
  declareEndpoint,
  numberParameter,
  serviceUnavailable,
  textParameter,
} from '@parley/api';
import type { Caller } from '@parley/api';
import { object, text } from '@parley/api/schema';
import { MovedClock } from '@parley/clock';
import { textOf } from './links/index.ts';
import type { LinkAnswer, ReceivedRequest } from './links/index.ts';
import { createLogger } from '@parley/telemetry/logging';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createLinkApp, member as caller, requestOf } from '../tests/sample-apps.ts';
import type { AppOptions } from '../tests/sample-apps.ts';
import { undeclaredAnswer } from './answer-record.ts';
import { LaterAnswer, partlyShared, preserialized } from './implement.ts';
import type { EndpointAnswer, Implementation, MaybePromise, Settle } from './implement.ts';
import { serveLinks } from './link-adapter.ts';
import { createMetrics } from './metrics.ts';
import { Pipeline } from './pipeline.ts';

type Context = { readonly answer: () => MaybePromise<EndpointAnswer> };

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
    eventQueue: 'held',
  }),
  admit: undefined,
  handle: (context) => context.answer(),
};

const word = '{"result":"success","msg":"","word":"yes"}';

const clock = new MovedClock();
let logged: string;
let answer: () => MaybePromise<EndpointAnswer>;
let options: AppOptions<Context>;

beforeEach(() => {
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
    clock,
    log: createLogger({ service: 'test', nodeId: 'test', level: 'info' }, destination),
    metrics: createMetrics(),
    checkAnswers: true,
    answerHeaders: { 'x-parley-node': 'here' },
  };
});

afterEach(() => {
  options.metrics?.registry.clear();
});

type Asked = { status: number; headers: Readonly<Record<string, string>>; text: string };

function requestFor(query: Readonly<Record<string, string>>, by = caller): ReceivedRequest {
  return requestOf({ endpoint: 'wait-for-word', query, caller: by });
}

async function ask(query: Readonly<Record<string, string>>, by = caller): Promise<Asked> {
  const app = createLinkApp(options);
  const { status, headers, shared, own } = await new Promise<LinkAnswer>((resolve) =>
    app(requestFor(query, by), resolve),
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

const answers: readonly (readonly [
  what: string,
  make: () => EndpointAnswer,
  query: Readonly<Record<string, string>>,
  by: Caller,
  status: number,
  text: string,
])[] = [
  ['an object', () => ({ word: 'yes' }), { name: 'x' }, caller, 200, word],
  ['a text', () => preserialized(word), { name: 'x' }, caller, 200, word],
  [
    'bytes',
    () => preserialized([Buffer.from(word.slice(0, 5)), Buffer.from(word.slice(5))]),
    { name: 'x' },
    caller,
    200,
    word,
  ],
  [
    'a shared beginning',
    () => partlyShared(word.slice(0, 9), word.slice(9)),
    { name: 'x' },
    caller,
    200,
    word,
  ],
  [
    'later, at once',
    later((settle) => settle.answer(preserialized(word))),
    { name: 'x' },
    caller,
    200,
    word,
  ],
  [
    'later',
    later((settle) => setImmediate(() => settle.answer(partlyShared(word, '')))),
    { name: 'x' },
    caller,
    200,
    word,
  ],
  [
    'a refusal that comes later',
    later((settle) => setImmediate(() => settle.fail(badEventQueueId('q')))),
    { name: 'x' },
    caller,
    400,
    '{"result":"error","msg":"Bad event queue id: q","code":"BAD_EVENT_QUEUE_ID","queue_id":"q"}',
  ],
  [
    'a fault that comes later',
    later((settle) => settle.fail(new Error('secret'))),
    { name: 'x' },
    caller,
    500,
    '{"result":"error","msg":"Internal server error"}',
  ],
  [
    'a parameter that is missing',
    () => ({ word: 'yes' }),
    { x: 'y' },
    caller,
    400,
    `{"result":"error","msg":"Missing 'name' argument","code":"REQUEST_VARIABLE_MISSING","var_name":"name"}`,
  ],
  [
    'who may not call',
    () => ({ word: 'yes' }),
    { name: 'x' },
    { ...caller, botType: 1, botOwnerId: 7 },
    400,
    '{"result":"error","msg":"This endpoint does not accept bot requests."}',
  ],
];

describe('a request', () => {
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
    const given = await ask({ name: 'x' });
    expect(given.status).toBe(500);
    expect(logged).toContain(undeclaredAnswer);
    await expect.poll(inFlight).toBe(0);
  });

  it('a refusal has a retry time', async () => {
    answer = later((settle) => settle.fail(serviceUnavailable()));
    const given = await ask({ name: 'x' });
    const headers = new Headers(given.headers);
    expect([given.status, headers.get('retry-after')]).toEqual([503, expect.any(String)]);
  });
});

describe('equal answers', () => {
  it('keep the identical string of the shared beginning, and the identical headers object', async () => {
    const shared = word.slice(0, 20);
    answer = () => partlyShared(shared, word.slice(20));
    const app = createLinkApp(options);
    const given: LinkAnswer[] = [];
    for (let asked = 0; asked < 2; asked += 1)
      app(requestFor({ name: 'x' }), (each) => given.push(each));
    await expect.poll(() => given.length).toBe(2);
    expect(given.map((each) => each.shared)).toEqual([shared, shared]);
    expect(given[0]?.headers).toBe(given[1]?.headers);
  });
});

it('a service is idle while polls wait, and not while requests are handled or answered', async () => {
  const pipeline = new Pipeline(options);
  const app = serveLinks(pipeline);
  const answered: number[] = [];
  const begin = (): void => app(requestFor({ name: 'x' }), ({ status }) => answered.push(status));
  const handled = Promise.withResolvers<EndpointAnswer>();
  answer = () => handled.promise;
  begin();
  expect(pipeline.isIdle).toBe(false);
  handled.resolve({ word: 'yes' });
  await expect.poll(() => [answered, pipeline.isIdle]).toEqual([[200], true]);
  let poll: Settle | undefined;
  answer = later((settle) => {
    poll = settle;
  });
  begin();
  await expect.poll(() => [poll !== undefined, pipeline.isIdle]).toEqual([true, true]);
  poll?.answer(preserialized(word));
  expect([answered, pipeline.isIdle]).toEqual([[200, 200], true]);
});
