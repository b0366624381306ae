/** What is the same for every integration (reference facts, people 16): who may call, where a message goes, and what is refused. */
import {
  ApiError,
  badRequest,
  invalidJson,
  limits,
  missingHttpEventHeader,
  withoutCode,
} from '@parley/contracts';
import type { Caller, ErrorCode } from '@parley/contracts';
import { defineEndpoint, jsonBody, text } from '@parley/http';
import type { Endpoint, EndpointExample, Parameter, UntypedRequest } from '@parley/http';
import { findUserById } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { asCode } from '../sending/bot-owner-notices.ts';
import type { NewMessage } from '../sending/check-message.ts';
import type { Integration, WebhookMessage, WebhookOutcome } from './integration.ts';
import { withoutMentions } from './quiet-text.ts';

const destination = [
  text('stream', {
    nul: 'handled',
    description: 'The stream to send to; without it the owner of the bot gets a private message',
  }),
  text('topic', {
    nul: 'handled',
    description: 'The topic; by default what the integration says. Cut at 60 characters',
  }),
] as const;

const payloadName = 'payload_body';

function checkStreamName(name: string): string {
  const trimmed = name.trim();
  const isTooLong = Array.from(trimmed).length > limits.streamNameMaxCodePoints;
  if (trimmed === '' || isTooLong || trimmed.includes('\0'))
    throw badRequest(`Invalid stream name '${name.replaceAll('\0', '\ufffd')}'`);
  return trimmed;
}

/** What a payload made longer than any message is cut here, before the rest of the way has to carry it. */
const composedMaxUnits = 2 * limits.contentMaxCodePoints + 2;

function composedContent({ isWrittenForUs }: Integration, content: string): string {
  const cut = content.slice(0, composedMaxUnits);
  return isWrittenForUs ? cut : withoutMentions(cut);
}

/** Where one message goes. */
type Addressed = { readonly content: string } & (
  | { readonly type: 'stream'; readonly stream: string; readonly topic: string }
  | { readonly type: 'private'; readonly ownerId: number }
);

function address(
  integration: Integration,
  message: WebhookMessage,
  caller: Caller,
  asked: { readonly stream: string | undefined; readonly topic: string | undefined },
): Addressed {
  const content = composedContent(integration, message.content);
  const stream = message.stream ?? asked.stream;
  if (stream === undefined) {
    if (caller.botOwnerId === null)
      throw badRequest('This account has no owner to send to: name a stream');
    return { type: 'private', ownerId: caller.botOwnerId, content };
  }
  const askedTopic = message.stream === undefined ? asked.topic : undefined;
  return {
    type: 'stream',
    stream: checkStreamName(stream),
    // A topic is one line, whatever a payload says; one that was asked for is what a send of that topic would make of it.
    topic: askedTopic ?? message.topic.replaceAll(/\s+/g, ' '),
    content,
  };
}

type Receipt = {
  readonly context: MessagesContext;
  readonly integration: Integration;
  readonly caller: Caller;
  readonly request: UntypedRequest;
};

/** Names a delivery together with what becomes of it: an event may come to several streams, by one name. */
function deliveryKey({ integration, request }: Receipt, message: Addressed): string | undefined {
  const { deliveryHeader, name } = integration;
  const delivery =
    (deliveryHeader === undefined ? undefined : request.header(deliveryHeader.toLowerCase())) ??
    request.header('idempotency-key');
  return delivery === undefined || delivery === ''
    ? undefined
    : JSON.stringify([name, delivery, message]);
}

function newMessage({ caller }: Receipt, message: Addressed): NewMessage {
  const { content } = message;
  const senderId = caller.userId;
  return message.type === 'stream'
    ? {
        senderId,
        type: 'stream',
        to: { kind: 'names', names: [message.stream] },
        topic: message.topic,
        content,
      }
    : {
        senderId,
        type: 'private',
        to: { kind: 'ids', ids: [message.ownerId] },
        topic: undefined,
        content,
      };
}

async function send(receipt: Receipt, message: Addressed, index: number): Promise<void> {
  const { context, integration, request } = receipt;
  await context.sender.send({
    ...newMessage(receipt, message),
    clientName: `Zulip${integration.label}Webhook`,
    // A gateway repeats a request under its id, and then each of its messages is sent once.
    requestId: index === 0 ? request.requestId : `${request.requestId}:${index}`,
    idempotencyKey: deliveryKey(receipt, message),
    queueId: undefined,
    localId: undefined,
  });
}

/** One after another, so that what fires and what is resolved stay in the order of the payload; none where one is refused. */
async function sendAll(receipt: Receipt, messages: readonly Addressed[]): Promise<void> {
  const { context, integration } = receipt;
  try {
    if (messages.length > 1)
      for (const message of messages) await context.sender.check(newMessage(receipt, message));
    for (const [index, message] of messages.entries()) await send(receipt, message, index);
  } catch (error) {
    const isMissing = error instanceof ApiError && error.code === 'STREAM_DOES_NOT_EXIST';
    if (!isMissing || integration.missingStream === 'refused') throw error;
    // The sender of a webhook can do nothing about it: the owner is told.
  }
}

/** What a request brings, as far as it is the same for all. */
function readRequest(receipt: Receipt): WebhookOutcome {
  const { context, integration, caller, request } = receipt;
  const { name, eventHeader } = integration;
  const { parameters } = request;
  const payload = parameters[payloadName];
  const tellOwner = (what: string): void =>
    context.sender.tellOwnerOfBot(
      caller.userId,
      `received a request at \`/api/v1/external/${name}\` ${what}`,
    );
  if (integration.body === 'json' && payload === undefined) {
    if (integration.tellsOfMalformedJson)
      tellOwner('whose body is not JSON. Its sender may have to be configured to send JSON.');
    throw invalidJson();
  }
  const event = eventHeader === undefined ? undefined : request.header(eventHeader.toLowerCase());
  if (eventHeader !== undefined && (event === undefined || event === '')) {
    tellOwner(`without the header ${asCode(eventHeader)}, which says what happened.`);
    throw missingHttpEventHeader(eventHeader.toUpperCase().replaceAll('-', '_'));
  }
  try {
    return integration.read(payload, event, {
      parameters,
      // Declared for every integration.
      stream: parameters['stream'] as string | undefined,
      topic: parameters['topic'] as string | undefined,
    });
  } catch (error) {
    if (!integration.tellsOfInvalidPayload || !(error instanceof ApiError)) throw error;
    tellOwner(`that could not be read: ${asCode(error.message)}.`);
    throw withoutCode('Invalid payload');
  }
}

async function describeAccount({ context, caller }: Receipt): Promise<Record<string, unknown>> {
  const account = await findUserById(context.pool, caller.userId);
  if (account === undefined) throw badRequest('Account is deactivated');
  return { full_name: account.fullName, email: account.email, id: account.id };
}

async function receive(receipt: Receipt): Promise<Record<string, unknown>> {
  const outcome = readRequest(receipt);
  if (outcome === 'account') return describeAccount(receipt);
  const { integration, caller, request } = receipt;
  const asked = {
    stream: request.parameters['stream'] as string | undefined,
    topic: request.parameters['topic'] as string | undefined,
  };
  await sendAll(
    receipt,
    outcome.map((message) => address(integration, message, caller, asked)),
  );
  return {};
}

function errorsOf({ eventHeader, body, missingStream }: Integration): ErrorCode[] {
  return [
    'INVALID_API_KEY',
    'REQUEST_VARIABLE_MISSING',
    ...(body === 'json' ? (['INVALID_JSON'] as const) : []),
    ...(eventHeader === undefined
      ? []
      : (['MISSING_HTTP_EVENT_HEADER', 'UNEXPECTED_WEBHOOK_EVENT_TYPE'] as const)),
    ...(missingStream === 'refused' ? (['STREAM_DOES_NOT_EXIST'] as const) : []),
  ];
}

function exampleOf({ eventHeader, example }: Integration): EndpointExample {
  const { parameters, payload, event } = example;
  return {
    as: 'incoming-webhook bot',
    parameters: {
      stream: 'general',
      ...parameters,
      ...(payload === undefined ? {} : { [payloadName]: payload }),
    },
    ...(eventHeader === undefined || event === undefined
      ? {}
      : { headers: { [eventHeader]: event } }),
  };
}

/** POST external/{name} (contract, Incoming webhook; reference facts, people 16). */
export function webhookEndpoint(integration: Integration): Endpoint<MessagesContext> {
  const { name, about, body, payloadSchema, parameters } = integration;
  const declared: readonly Parameter[] = [
    ...destination,
    ...parameters,
    ...(body === 'json'
      ? [
          jsonBody(payloadName, {
            description: 'What happened, as JSON',
            schema: payloadSchema,
            malformed: 'handled',
          }),
        ]
      : []),
  ];
  return defineEndpoint({
    name: `receive-${name}`,
    method: 'ANY',
    path: `/external/${name}`,
    matching: 'prefix',
    summary: `Receive a webhook of ${name}`,
    description: about,
    example: exampleOf(integration),
    access: {
      authentication: 'required',
      incomingWebhookBots: 'allowed',
      keyParameter: 'accepted',
    },
    parameters: declared,
    response: {
      type: 'object',
      properties: {
        full_name: { type: 'string', description: 'Of the account, where that was asked' },
        email: { type: 'string' },
        id: { type: 'integer' },
      },
    },
    errors: errorsOf(integration),
    handler: (context: MessagesContext, request) =>
      receive({ context, integration, caller: request.caller, request }),
  });
}
