/** The part that all integrations share (reference facts, people 16): authentication, destination and refusals. */
import {
  ApiError,
  badRequest,
  invalidJson,
  jsonBodyName,
  limits,
  missingHttpEventHeader,
  withoutCode,
} from '@parley/api';
import type { AnswerOf, Caller } from '@parley/api';
import type { WebhookEndpoint, WebhookParameters } from '@parley/api/webhooks';
import { notice } from '@parley/composing';
import type { Notice } from '@parley/composing';
import { implement } from '@parley/server';
import type { Implementation, RequestFacts } from '@parley/server';
import { findUserById } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import type { NewMessage } from '../sending/check-message.ts';
import type { Integration, WebhookMessage, WebhookOutcome } from './integration.ts';
import { withoutMentions } from './quiet-text.ts';

function checkStreamName(name: string): string {
  const trimmed = name.trim();
  const isTooLong = Array.from(trimmed).length > limits.streamNameMaxCodePoints;
  if (trimmed === '' || isTooLong || trimmed.includes('\0'))
    throw badRequest(`Invalid stream name '${name.replaceAll('\0', '\ufffd')}'`);
  return trimmed;
}

/** A text that is longer than any message is cut here, before later steps have to handle it. */
const composedMaxUnits = 2 * limits.contentMaxCodePoints + 2;

/** The message to send, from the text of an integration. */
export function composedContent({ keepsMentions }: Integration, content: string): string {
  const cut = content.slice(0, composedMaxUnits);
  return keepsMentions ? cut : withoutMentions(cut);
}

/** A topic is one line, whatever a payload contains. */
export function composedTopic(topic: string): string {
  return topic.replaceAll(/\s+/g, ' ');
}

/** The destination of one message. */
type Addressed = { readonly content: string } & (
  | { readonly type: 'stream'; readonly stream: string; readonly topic: string }
  | { readonly type: 'private'; readonly ownerId: number }
);

function address(
  integration: Integration,
  message: WebhookMessage,
  caller: Caller,
  requested: { readonly stream: string | undefined; readonly topic: string | undefined },
): Addressed {
  const content = composedContent(integration, message.content);
  const stream = message.stream ?? requested.stream;
  if (stream === undefined) {
    if (caller.botOwnerId === null)
      throw badRequest('This account has no owner to send to: name a stream');
    return { type: 'private', ownerId: caller.botOwnerId, content };
  }
  const requestedTopic = message.stream === undefined ? requested.topic : undefined;
  return {
    type: 'stream',
    stream: checkStreamName(stream),
    // A requested topic is treated as in a send.
    topic: requestedTopic ?? composedTopic(message.topic),
    content,
  };
}

type Receipt = {
  readonly context: MessagesContext;
  readonly integration: Integration;
  readonly caller: Caller;
  readonly request: RequestFacts & { readonly parameters: WebhookParameters };
};

/** Identifies one message of a delivery: an event may go to several streams under one name. */
function deliveryKey({ integration, request }: Receipt, message: Addressed): string | undefined {
  const { deliveryHeader, name } = integration.webhook;
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
    clientName: `Zulip${integration.webhook.clientLabel}Webhook`,
    // A gateway repeats a request under its id, so each of its messages is sent once.
    requestId: index === 0 ? request.requestId : `${request.requestId}:${index}`,
    idempotencyKey: deliveryKey(receipt, message),
    queueId: undefined,
    localId: undefined,
  });
}

/**
 * One after another, so that alerts and their resolutions stay in the order of the payload. If one is refused, so is the first: what could be
 * refused is the stream, which is the same for all, and no text of an integration with several messages.
 */
async function sendAll(receipt: Receipt, messages: readonly Addressed[]): Promise<void> {
  try {
    for (const [index, message] of messages.entries()) await send(receipt, message, index);
  } catch (error) {
    const isMissing = error instanceof ApiError && error.code === 'STREAM_DOES_NOT_EXIST';
    if (!isMissing || receipt.integration.webhook.missingStream === 'refused') throw error;
    // The sender of a webhook cannot act on it, so the owner is notified.
  }
}

/** Reads the part of a request that all integrations share. */
function readRequest(receipt: Receipt): WebhookOutcome {
  const { context, integration, caller, request } = receipt;
  const { name, body, eventHeader } = integration.webhook;
  const { parameters } = request;
  const payload = parameters[jsonBodyName];
  const notifyOwner = (what: Notice): void =>
    context.sender.notifyBotOwner(
      caller.userId,
      notice`received a request at ${`/api/v1/external/${name}`} ${what}`,
    );
  if (body === 'json' && payload === undefined) {
    if (integration.reportsMalformedJson)
      notifyOwner(
        notice`whose body is not JSON. Its sender may have to be configured to send JSON.`,
      );
    throw invalidJson();
  }
  const event = eventHeader === undefined ? undefined : request.header(eventHeader.toLowerCase());
  if (eventHeader !== undefined && (event === undefined || event === '')) {
    notifyOwner(notice`without the header ${eventHeader}, which says what happened.`);
    throw missingHttpEventHeader(eventHeader.toUpperCase().replaceAll('-', '_'));
  }
  try {
    return integration.read(payload, event, {
      parameters,
      stream: parameters.stream,
      topic: parameters.topic,
    });
  } catch (error) {
    if (!integration.reportsInvalidPayload || !(error instanceof ApiError)) throw error;
    notifyOwner(notice`that could not be read: ${error.message}.`);
    throw withoutCode('Invalid payload');
  }
}

type Answer = AnswerOf<WebhookEndpoint>;

async function describeAccount({ context, caller }: Receipt): Promise<Answer> {
  const account = await findUserById(context.pool, caller.userId);
  if (account === undefined) throw badRequest('Account is deactivated');
  return { full_name: account.fullName, email: account.email, id: account.id };
}

async function receive(receipt: Receipt): Promise<Answer> {
  const outcome = readRequest(receipt);
  if (outcome === 'account') return describeAccount(receipt);
  const { integration, caller, request } = receipt;
  await sendAll(
    receipt,
    outcome.map((message) => address(integration, message, caller, request.parameters)),
  );
  return {};
}

/** ANY external/{name} (contract, Incoming webhook; reference facts, people 16). */
export function webhookHandler<Name extends string>(
  integration: Integration<Name>,
): Implementation<MessagesContext, `receive-${Name}`> {
  return implement(integration.webhook.endpoint, (context: MessagesContext, request) =>
    receive({ context, integration, caller: request.caller, request }),
  );
}
