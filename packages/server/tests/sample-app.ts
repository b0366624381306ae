import {
  badRequest,
  booleanParameter,
  customParameter,
  declareEndpoint,
  integerListParameter,
  jsonBody,
  jsonOrTextParameter,
  jsonParameter,
  numberParameter,
  pathInteger,
  pathText,
  textListParameter,
  textParameter,
} from '@parley/api';
import {
  anything,
  boolean,
  each,
  integer,
  integerOrNull,
  listOf,
  nullable,
  object,
  optional,
  text,
  textOrNull,
  texts,
} from '@parley/api/schema';
import { MovedClock } from '@parley/clock';
import { createLogger } from '@parley/telemetry/logging';
import { Type } from 'typebox';

import { createLinkApp } from './sample-apps.ts';
import { implement, noContent, preserialized } from '../src/implement.ts';
import { noteAccountChanges } from '../src/account-changes.ts';
import type { Implementation } from '../src/implement.ts';
import type { LinkHandler } from '../src/link-adapter.ts';

export type SampleContext = { readonly hangUps: string[] };

const listSamples = implement(
  declareEndpoint({
    name: 'list-samples',
    method: 'GET',
    path: '/samples',
    service: 'messages',
    tag: 'Server',
    summary: 'Echoes what it was asked',
    access: { authentication: 'required' },
    parameters: [
      numberParameter('num_before', { description: 'How many', required: true }),
      numberParameter('anchor', { description: 'Where', allowNegative: true }),
      booleanParameter('client_gravatar', { description: 'Whether', default: false }),
      textListParameter('event_types', { description: 'Which', default: null }),
    ],
    success: object({
      num_before: integer,
      client: text,
      ...optional({
        anchor: integerOrNull,
        client_gravatar: boolean,
        event_types: nullable(texts),
        user_id: integer,
      }),
    }),
  }),
  (_context: SampleContext, request) => ({
    ...request.parameters,
    anchor: request.parameters.anchor ?? null,
    client: request.clientName,
    user_id: request.caller.userId,
  }),
);

const subscriptionSchema = Type.Object({
  name: text,
  color: Type.Optional(Type.Unsafe<string>({ type: 'string', format: 'hex-color' })),
});

const addSample = implement(
  declareEndpoint({
    name: 'add-sample',
    method: 'POST',
    path: '/samples',
    service: 'messages',
    tag: 'Server',
    summary: 'Echoes its parameters',
    access: { authentication: 'required', incomingWebhookBots: 'allowed' },
    parameters: [
      textParameter('topic', { description: 'About what', aliases: ['subject'] }),
      textParameter('content', { description: 'The text', nul: 'handled', default: '' }),
      integerListParameter('messages', { description: 'Ids', default: [] }),
      jsonParameter('subscriptions', listOf(subscriptionSchema), { description: 'Streams' }),
      customParameter('to', { description: 'Whom', encoding: 'text', schema: {} }, (raw) =>
        raw.split(','),
      ),
    ],
    success: object(
      optional(each(['topic', 'content', 'messages', 'subscriptions', 'to'], anything)),
    ),
  }),
  (_context: SampleContext, request) => ({ ...request.parameters }),
);

const changeSample = implement(
  declareEndpoint({
    name: 'change-sample',
    method: 'PATCH',
    path: '/samples/{sample_id}',
    service: 'messages',
    tag: 'Server',
    summary: 'Changes a sample',
    access: {
      authentication: 'required',
      administratorsOnly: true,
      guests: 'refused',
      bots: 'refused',
    },
    parameters: [
      pathInteger('sample_id', { description: 'Which' }),
      jsonOrTextParameter('full_name', { description: 'A name', required: true }),
    ],
    success: object({ sample_id: integer, full_name: text }),
  }),
  async (_context: SampleContext, { parameters }) => {
    await Promise.resolve();
    noteAccountChanges([parameters.sample_id, 8]);
    return { ...parameters };
  },
);

const ownSample = implement(
  declareEndpoint({
    name: 'get-own-sample',
    method: 'GET',
    path: '/samples/me',
    service: 'messages',
    tag: 'Server',
    summary: 'A fixed path beside one with a placeholder',
    access: { authentication: 'none' },
    parameters: [],
    success: object({ own: boolean }),
  }),
  () => preserialized<{ own: boolean }>('{"result":"success","msg":"","own":true}'),
);

const namedSample = implement(
  declareEndpoint({
    name: 'get-named-sample',
    method: 'GET',
    path: '/samples/{email}/name',
    service: 'messages',
    tag: 'Server',
    summary: 'A text in the path',
    access: { authentication: 'none' },
    parameters: [pathText('email', { description: 'Whose' })],
    success: object(optional({ email: text })),
  }),
  (_context: SampleContext, { parameters }) => ({ email: parameters.email }),
);

const webhook = implement(
  declareEndpoint({
    name: 'receive-sample',
    method: 'ANY',
    path: '/external/sample',
    service: 'messages',
    tag: 'Server',
    matching: 'prefix',
    summary: 'A webhook',
    access: { authentication: 'none' },
    parameters: [
      textParameter('stream', { description: 'Where to' }),
      jsonBody({ description: 'What happened', schema: anything }),
    ],
    success: object({ stream: textOrNull, payload: anything }),
  }),
  (_context: SampleContext, { parameters }) => ({
    stream: parameters.stream ?? null,
    payload: parameters.body,
  }),
);

const admitting = implement(
  declareEndpoint({
    name: 'add-admitted',
    method: 'POST',
    path: '/admitted',
    service: 'messages',
    tag: 'Server',
    summary: 'For those who are admitted at this time',
    access: { authentication: 'required', guests: 'refused' },
    parameters: [textParameter('topic', { description: 'About what', required: true })],
    success: object({}),
  }),
  (_context: SampleContext) => ({}),
  {
    admit: async (_context, caller) => {
      if (caller.role !== 'administrator') throw badRequest('Not now');
    },
  },
);

/** Made without `implement`, with which an undeclared answer would not compile. */
const failing: Implementation<SampleContext> = {
  endpoint: declareEndpoint({
    name: 'fail',
    method: 'POST',
    path: '/fail',
    service: 'messages',
    tag: 'Server',
    summary: 'Fails as asked',
    access: { authentication: 'none' },
    parameters: [textParameter('how', { description: 'In which way', required: true })],
    success: object(optional({ declared: boolean })),
  }),
  admit: undefined,
  handle: (_context, { parameters }) => {
    const { how } = parameters;
    if (how === 'refuse') throw badRequest('Refused');
    if (how === 'change') noteAccountChanges([3]);
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
};

const held = implement(
  declareEndpoint({
    name: 'hold-sample',
    method: 'GET',
    path: '/held',
    service: 'messages',
    tag: 'Server',
    summary: 'Waits for ever',
    eventQueue: 'held',
    access: { authentication: 'none' },
    parameters: [],
    success: object({}),
  }),
  (context: SampleContext, request) =>
    new Promise<never>((_resolve, reject) => {
      context.hangUps.push('waiting');
      request.signal.addEventListener('abort', () => {
        context.hangUps.push('hung up');
        reject(new DOMException('the client hung up', 'AbortError'));
      });
    }),
);

export const sampleEndpoints: readonly Implementation<SampleContext>[] = [
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

/** The time of sample apps, which stands. */
export const sampleClock = new MovedClock();

export type SampleApp = {
  readonly app: LinkHandler;
  readonly context: SampleContext;
  readonly logLines: string[];
};

export function createSampleApp(): SampleApp {
  const context: SampleContext = { hangUps: [] };
  const logLines: string[] = [];
  const log = createLogger(
    { service: 'sample', nodeId: 'sample-1', level: 'debug' },
    { write: (line: string) => logLines.push(line) },
  );
  const app = createLinkApp({
    implementations: sampleEndpoints,
    context,
    clock: sampleClock,
    log,
    checkAnswers: true,
  });
  return { app, context, logLines };
}
