import type { Caller } from '@parley/contracts';
import { badRequest } from '@parley/contracts';
import { signIdentity } from '@parley/identity';
import { createLogger } from '@parley/logging';

import { createApiApp } from '../src/api-app.ts';
import { listen } from '../src/graceful-server.ts';
import {
  convertedNumber,
  custom,
  defineEndpoint,
  json,
  jsonBody,
  jsonBoolean,
  jsonIntegerList,
  jsonOrText,
  jsonStringList,
  noContent,
  pathInteger,
  pathText,
  preserialized,
  text,
} from '../src/index.ts';
import type { Endpoint, GracefulServer } from '../src/index.ts';

export type SampleContext = { readonly hangUps: string[] };

export const sampleSecret = 'a secret of the sample app, long enough';

const listSamples = defineEndpoint({
  name: 'list-samples',
  method: 'GET',
  path: '/samples',
  summary: 'Echoes what it was asked',
  access: { authentication: 'required' },
  parameters: [
    convertedNumber('num_before', { description: 'How many', required: true }),
    convertedNumber('anchor', { description: 'Where', allowNegative: true }),
    jsonBoolean('client_gravatar', { description: 'Whether', default: false }),
    jsonStringList('event_types', { description: 'Which', default: null }),
  ],
  response: {
    type: 'object',
    properties: {
      num_before: { type: 'integer' },
      anchor: { type: ['integer', 'null'] },
      client_gravatar: { type: 'boolean' },
      event_types: { type: ['array', 'null'], items: { type: 'string' } },
      client: { type: 'string' },
      user_id: { type: 'integer' },
    },
    required: ['num_before', 'client'],
  },
  handler: (_context: SampleContext, request) => ({
    ...request.parameters,
    anchor: request.parameters.anchor ?? null,
    client: request.clientName,
    user_id: request.caller.userId,
  }),
});

const addSample = defineEndpoint({
  name: 'add-sample',
  method: 'POST',
  path: '/samples',
  summary: 'Echoes what it was told',
  access: { authentication: 'required', incomingWebhookBots: 'allowed' },
  parameters: [
    text('topic', { description: 'About what', aliases: ['subject'] }),
    text('content', { description: 'The text', nul: 'handled', default: '' }),
    jsonIntegerList('messages', { description: 'Ids', default: [] }),
    json(
      'subscriptions',
      {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: { type: 'string' }, color: { type: 'string', format: 'hex-color' } },
          required: ['name'],
        },
      },
      { description: 'Streams' },
    ),
    custom('to', { description: 'Whom', encoding: 'text', schema: {} }, (raw) => raw.split(',')),
  ],
  response: { type: 'object', additionalProperties: true },
  handler: (_context: SampleContext, request) => ({ ...request.parameters }),
});

const changeSample = defineEndpoint({
  name: 'change-sample',
  method: 'PATCH',
  path: '/samples/:sample_id',
  summary: 'Changes a sample',
  access: {
    authentication: 'required',
    administratorsOnly: true,
    guests: 'refused',
    bots: 'refused',
  },
  parameters: [
    pathInteger('sample_id', { description: 'Which' }),
    jsonOrText('full_name', { description: 'A name', required: true }),
  ],
  response: {
    type: 'object',
    properties: { sample_id: { type: 'integer' }, full_name: { type: 'string' } },
    required: ['sample_id', 'full_name'],
  },
  handler: (_context: SampleContext, { parameters }) => ({ ...parameters }),
});

const ownSample = defineEndpoint({
  name: 'get-own-sample',
  method: 'GET',
  path: '/samples/me',
  summary: 'A fixed path beside one with a placeholder',
  access: { authentication: 'none' },
  parameters: [],
  response: { type: 'object', properties: { own: { type: 'boolean' } } },
  handler: () => preserialized('{"result":"success","msg":"","own":true}'),
});

const namedSample = defineEndpoint({
  name: 'get-named-sample',
  method: 'GET',
  path: '/samples/:email/name',
  summary: 'A text in the path',
  access: { authentication: 'none' },
  parameters: [pathText('email', { description: 'Whose' })],
  response: { type: 'object', properties: { email: { type: 'string' } } },
  handler: (_context: SampleContext, { parameters }) => ({ email: parameters.email }),
});

const webhook = defineEndpoint({
  name: 'receive-sample',
  method: 'ANY',
  path: '/external/sample',
  matching: 'prefix',
  summary: 'A webhook',
  access: { authentication: 'none' },
  parameters: [
    text('stream', { description: 'Where to' }),
    jsonBody('payload', { description: 'What happened' }),
  ],
  response: { type: 'object', additionalProperties: true },
  handler: (_context: SampleContext, { parameters }) => ({
    stream: parameters.stream ?? null,
    payload: parameters.payload,
  }),
});

const admitting = defineEndpoint({
  name: 'add-admitted',
  method: 'POST',
  path: '/admitted',
  summary: 'For those who are admitted at this time',
  access: { authentication: 'required', guests: 'refused' },
  admit: async (_context: SampleContext, caller) => {
    if (caller.role !== 'administrator') throw badRequest('Not now');
  },
  parameters: [text('topic', { description: 'About what', required: true })],
  response: { type: 'object' },
  handler: () => ({}),
});

const failing = defineEndpoint({
  name: 'fail',
  method: 'POST',
  path: '/fail',
  summary: 'Fails as asked',
  access: { authentication: 'none' },
  parameters: [text('how', { description: 'In which way', required: true })],
  response: { type: 'object', properties: { declared: { type: 'boolean' } } },
  handler: (_context: SampleContext, { parameters }) => {
    const { how } = parameters;
    if (how === 'refuse') throw badRequest('Refused');
    if (how === 'store') throw Object.assign(new Error('away'), { code: '57P01' });
    if (how === 'unstorable') throw Object.assign(new Error('out of range'), { code: '22003' });
    if (how === 'cause') {
      throw new Error('outer', {
        cause: Object.assign(new Error('inner'), { code: 'ECONNREFUSED' }),
      });
    }
    if (how === 'bug') throw new Error('the secret inside');
    if (how === 'empty') return noContent;
    return { undeclared: true };
  },
});

const held = defineEndpoint({
  name: 'hold-sample',
  method: 'GET',
  path: '/held',
  summary: 'Waits for ever',
  longPoll: true,
  access: { authentication: 'none' },
  parameters: [],
  response: {},
  handler: (context: SampleContext, request) =>
    new Promise((_resolve, reject) => {
      context.hangUps.push('waiting');
      request.signal.addEventListener('abort', () => {
        context.hangUps.push('hung up');
        reject(new DOMException('the client hung up', 'AbortError'));
      });
    }),
});

export const sampleEndpoints: readonly Endpoint<SampleContext>[] = [
  listSamples,
  addSample,
  changeSample,
  ownSample,
  namedSample,
  webhook,
  admitting,
  failing,
  held,
];

export const member: Caller = {
  userId: 7,
  email: 'iago@example.com',
  role: 'member',
  botType: null,
  botOwnerId: null,
};

/** Headers of a request as the gateway makes them. */
export function identityHeaders(caller: Partial<Caller> = {}): Record<string, string> {
  const value = signIdentity(
    sampleSecret,
    { ...member, ...caller },
    { requestId: 'request-1', nowMs: Date.now() },
  );
  return { 'x-parley-identity': value };
}

export type SampleServer = {
  readonly url: string;
  readonly context: SampleContext;
  readonly logLines: string[];
  readonly server: GracefulServer;
};

/** Starts the sample app on a free port of the loopback address. */
export async function startSampleServer(): Promise<SampleServer> {
  const context: SampleContext = { hangUps: [] };
  const logLines: string[] = [];
  const log = createLogger(
    { service: 'sample', nodeId: 'sample-1', level: 'debug' },
    { write: (line: string) => logLines.push(line) },
  );
  const app = createApiApp({
    endpoints: sampleEndpoints,
    context,
    identitySecrets: [sampleSecret],
    log,
    checkAnswers: true,
  });
  const server = await listen(app, {
    host: '127.0.0.1',
    port: 0,
    requestTimeoutMs: 30_000,
    silenceMaxMs: 30_000,
  });
  return { url: `http://127.0.0.1:${server.port}/api/v1`, context, logLines, server };
}
