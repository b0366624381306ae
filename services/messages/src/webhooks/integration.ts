/**
 * Turns a webhook's payload into messages (reference facts, people 16 and 17). `@parley/api/webhooks` declares the payload;
 * `webhook-endpoint.ts` has everything that all webhooks share.
 */
import { badRequest, makeCheck, unexpectedWebhookEventType, withoutCode } from '@parley/api';
import type { DecodedParameters, Parameter } from '@parley/api';
import type { Value } from '@parley/api/schema';
import type {
  EventWebhook,
  JsonWebhook,
  PayloadSchema,
  Payloads,
  Webhook,
} from '@parley/api/webhooks';

/** One message that a payload becomes, in markdown. */
export type WebhookMessage = {
  readonly topic: string;
  readonly content: string;
  /** The stream, if the integration decides it; the request's stream and topic are then ignored. */
  readonly stream?: string;
};

/** Messages to send, none for an event that is ignored on purpose; or `account` to answer with the account of the key. */
export type WebhookOutcome = readonly WebhookMessage[] | 'account';

/** Success without a message, for events of no interest. */
export const ignored: WebhookOutcome = [];

export type WebhookRequest<Values = Readonly<Record<string, unknown>>> = {
  /** The webhook's own parameters. */
  readonly parameters: Values;
  readonly stream: string | undefined;
  readonly topic: string | undefined;
};

type Handling = {
  /** The payload contains a message that somebody wrote for this place, so its mentions count. */
  readonly keepsMentions: boolean;
  /** Notifies the owner of a body that is not JSON (reference facts, people 16.3). */
  readonly reportsMalformedJson: boolean;
  /** Notifies the owner of a payload with missing members, in place of a detailed refusal. */
  readonly reportsInvalidPayload: boolean;
};

export type Integration<Name extends string = string> = Handling & {
  readonly webhook: Webhook<Name>;
  /**
   * Makes messages from a payload.
   *
   * @param event the value of the event header
   * @throws ApiError 400 for a payload without a needed member, and for events that are not handled
   */
  readonly read: (
    payload: unknown,
    event: string | undefined,
    request: WebhookRequest,
  ) => WebhookOutcome;
};

const defaults: Handling = {
  keepsMentions: false,
  reportsMalformedJson: true,
  reportsInvalidPayload: false,
};

type ToMessages<Payload, Values> = (
  payload: Payload,
  request: WebhookRequest<Values>,
) => WebhookOutcome;

/** A request with the parameters of a webhook, which were decoded by the declared list. */
function asRequestOf<Parameters extends readonly Parameter[]>(
  request: WebhookRequest,
): WebhookRequest<DecodedParameters<Parameters>> {
  return request as WebhookRequest<DecodedParameters<Parameters>>;
}

/**
 * Checks a payload before it is read; names of missing members begin with `payload`.
 *
 * @throws ApiError 400 that names the key
 */
function checked<Schema extends PayloadSchema, Values>(
  schema: Schema,
  toMessages: ToMessages<Value<Schema>, Values>,
): ToMessages<unknown, Values> {
  const check = makeCheck(schema);
  return (payload, request) =>
    // A checked value has the schema's type.
    toMessages(check({ '': payload }, 'payload') as Value<Schema>, request);
}

/** Reads the payload of a webhook whose JSON body has one form. */
export function readJson<
  Name extends string,
  Payload extends PayloadSchema,
  Parameters extends readonly Parameter[],
>(
  webhook: JsonWebhook<Name, Payload, Parameters>,
  toMessages: ToMessages<Value<Payload>, DecodedParameters<Parameters>>,
  handling: Partial<Handling> = {},
): Integration<Name> {
  const read = checked(webhook.payload, toMessages);
  return {
    ...defaults,
    ...handling,
    webhook,
    read: (payload, _event, request) => read(payload, asRequestOf<Parameters>(request)),
  };
}

/** Reads the parameters of a webhook that posts a form. */
export function readForm<Name extends string, Parameters extends readonly Parameter[]>(
  webhook: Webhook<Name, Parameters>,
  toMessages: (request: WebhookRequest<DecodedParameters<Parameters>>) => WebhookOutcome,
): Integration<Name> {
  return {
    ...defaults,
    webhook,
    read: (_payload, _event, request) => toMessages(asRequestOf<Parameters>(request)),
  };
}

/** The readers of payloads, by kind. */
export type Readers<Schemas extends Payloads, Values = Readonly<Record<string, unknown>>> = {
  readonly [Kind in keyof Schemas]: ToMessages<Value<Schemas[Kind]>, Values>;
};

/** @returns the reader of a kind, which checks the payload; undefined for a kind without a reader */
export function readersByKind<Schemas extends Payloads, Values>(
  schemas: Schemas,
  readers: Readers<Schemas, Values>,
): (kind: string) => ToMessages<unknown, Values> | undefined {
  const kinds: readonly (keyof Schemas & string)[] = Object.keys(schemas);
  const byKind = new Map<string, ToMessages<unknown, Values>>(
    kinds.map((kind) => [kind, checked(schemas[kind], readers[kind])]),
  );
  return (kind) => byKind.get(kind);
}

/** An event of a handled type, but in a form that is not handled; thrown by readers of events. */
export class UnexpectedCase extends Error {
  /** The event in the refusal, with its distinguishing detail. */
  readonly eventType: string;

  constructor(eventType: string) {
    super(eventType);
    this.eventType = eventType;
  }
}

/** Reads the events of a webhook whose header names one of several. */
export function readEvents<
  Name extends string,
  Events extends Payloads,
  Parameters extends readonly Parameter[],
>(
  webhook: EventWebhook<Name, Events, Parameters>,
  readers: Readers<Events, DecodedParameters<Parameters>>,
): Integration<Name> {
  const { label, ignoredEvents, payloads } = webhook;
  const readerOf = readersByKind(payloads, readers);
  return {
    ...defaults,
    webhook,
    read: (payload, kind, request) => {
      if (kind !== undefined && ignoredEvents.includes(kind)) return ignored;
      const reader = kind === undefined ? undefined : readerOf(kind);
      if (reader === undefined) throw unexpectedWebhookEventType(label, kind ?? null);
      try {
        return reader(payload, asRequestOf<Parameters>(request));
      } catch (error) {
        if (error instanceof UnexpectedCase)
          throw unexpectedWebhookEventType(label, error.eventType);
        throw error;
      }
    },
  };
}

/** A blank text in a required place (reference facts, people 17.4: without a code). */
export function checkNotBlank(text: string | undefined, what: string): string {
  if (text === undefined || text.trim() === '') throw withoutCode(`${what} can't be empty`);
  return text;
}

/** A request that would become more messages than permitted. */
export function tooManyMessages(max: number): Error {
  return badRequest(`A request may become at most ${max} messages`);
}
