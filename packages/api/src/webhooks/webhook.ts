/**
 * The declaration of an incoming webhook (contract, Incoming webhook; reference facts, people 16): its payloads and their encoding. The
 * answering service turns them into messages.
 */
import { Type } from 'typebox';
import type { TSchema } from 'typebox';

import type { EndpointExample, ExampleValue } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import type { DecodedParameters } from '../declare/endpoint.ts';
import { jsonBody, jsonBodyName, textParameter } from '../declare/parameters.ts';
import type { Parameter } from '../declare/parameters.ts';
import { described, integer, object, optional, text } from '../declare/schema.ts';
import type { ErrorCode } from '../error-catalogue.ts';
import { limits } from '../limits.ts';

const destination = [
  textParameter('stream', {
    nul: 'handled',
    description: 'The stream to send to; without it the owner of the bot gets a private message',
  }),
  textParameter('topic', {
    nul: 'handled',
    description: `The topic; by default chosen by the integration. Cut at ${limits.topicMaxCodePoints} characters`,
  }),
] as const;

type WebhookDeclaration<Name extends string, Parameters extends readonly Parameter[]> = {
  /** In the path, after `/api/v1/external/`. */
  readonly name: Name;
  /** The spelling in its refusals. */
  readonly label: string;
  /** The spelling in the client name of its messages, `ZulipGitHubWebhook`; the label by default. */
  readonly clientLabel?: string;
  readonly description: string;
  /** An example of the service's requests. */
  readonly example: {
    readonly parameters?: Readonly<Record<string, ExampleValue>>;
    readonly payload?: ExampleValue;
    /** The event header. */
    readonly event?: string;
  };
  /** The parameters beside those of the destination. */
  readonly parameters: Parameters;
  /** Identifies one delivery, so that a repeat of it sends nothing twice. */
  readonly deliveryHeader?: string;
  /** The treatment of a message to a stream that does not exist; by default only the owner of the bot is notified. */
  readonly missingStream?: 'owner-notified' | 'refused';
};

/** The encoding of a payload: JSON, which is one parameter, or a form. */
type Transport<Payload extends readonly Parameter[]> = {
  readonly payload: Payload;
  /** The header with the event, if there are several. */
  readonly eventHeader: string | undefined;
};

/** The body as JSON, whatever its Content-Type. */
function payloadOf<Schema extends TSchema>(schema: Schema) {
  const description = 'What happened, as JSON';
  return [jsonBody({ description, schema, malformed: 'handled' })] as const;
}

function errorsOf(
  { payload, eventHeader }: Transport<readonly Parameter[]>,
  missingStream: string | undefined,
) {
  return [
    'INVALID_API_KEY',
    'REQUEST_VARIABLE_MISSING',
    ...(payload.length > 0 ? (['INVALID_JSON'] as const) : []),
    ...(eventHeader === undefined
      ? []
      : (['MISSING_HTTP_EVENT_HEADER', 'UNEXPECTED_WEBHOOK_EVENT_TYPE'] as const)),
    ...(missingStream === 'refused' ? (['STREAM_DOES_NOT_EXIST'] as const) : []),
  ] satisfies ErrorCode[];
}

function exampleOf(
  { parameters, payload, event }: WebhookDeclaration<string, readonly Parameter[]>['example'],
  eventHeader: string | undefined,
): EndpointExample {
  return {
    as: 'incoming-webhook bot',
    parameters: {
      stream: 'general',
      ...parameters,
      ...(payload === undefined ? {} : { [jsonBodyName]: payload }),
    },
    ...(eventHeader === undefined || event === undefined
      ? {}
      : { headers: { [eventHeader]: event } }),
  };
}

function headersOf(
  { deliveryHeader }: Pick<WebhookDeclaration<string, readonly Parameter[]>, 'deliveryHeader'>,
  { eventHeader }: Transport<readonly Parameter[]>,
): readonly string[] {
  return [deliveryHeader, eventHeader, 'idempotency-key']
    .filter((name) => name !== undefined)
    .map((name) => name.toLowerCase());
}

/** ANY external/{name} (contract, Incoming webhook; reference facts, people 16). */
function endpointOf<
  const Name extends string,
  const Parameters extends readonly Parameter[],
  const Payload extends readonly Parameter[],
>(declaration: WebhookDeclaration<Name, Parameters>, transport: Transport<Payload>) {
  const { name, description, parameters, missingStream } = declaration;
  return declareEndpoint({
    name: `receive-${name}`,
    method: 'ANY',
    path: `/external/${name}`,
    matching: 'prefix',
    service: 'messages',
    tag: 'Incoming webhooks',
    summary: `Receive a webhook of ${name}`,
    description,
    access: {
      authentication: 'required',
      incomingWebhookBots: 'allowed',
      keyParameter: 'preferred',
    },
    limits: { bodyMaxBytes: limits.webhookBodyMaxBytes, turns: 'none' },
    afterLoss: 'keyed-send',
    takesHeaders: headersOf(declaration, transport),
    parameters: [...destination, ...parameters, ...transport.payload],
    success: object(
      optional({
        full_name: described(text, 'Of the account, where that was asked'),
        email: text,
        id: integer,
      }),
    ),
    errors: errorsOf(transport, missingStream),
  });
}

export type WebhookEndpoint<
  Name extends string = string,
  Parameters extends readonly Parameter[] = readonly Parameter[],
  Payload extends readonly Parameter[] = readonly Parameter[],
> = ReturnType<typeof endpointOf<Name, Parameters, Payload>>;

/** The values of a request's parameters, including the webhook's own ones. */
export type WebhookParameters = DecodedParameters<WebhookEndpoint['parameters']>;

export type Webhook<
  Name extends string = string,
  Parameters extends readonly Parameter[] = readonly Parameter[],
  Payload extends readonly Parameter[] = readonly Parameter[],
> = Required<Pick<WebhookDeclaration<Name, Parameters>, 'name' | 'label' | 'clientLabel'>> &
  Pick<Transport<Payload>, 'eventHeader'> & {
    readonly body: 'json' | 'form';
    /** The parameters beside those of the destination. */
    readonly parameters: Parameters;
    /** Names of the events that become messages, as in the event header; empty without such a header. */
    readonly events: readonly string[];
    readonly deliveryHeader: string | undefined;
    readonly missingStream: 'owner-notified' | 'refused';
    readonly endpoint: WebhookEndpoint<Name, Parameters, Payload>;
  };

function webhook<
  Name extends string,
  Parameters extends readonly Parameter[],
  Payload extends readonly Parameter[],
>(
  declaration: WebhookDeclaration<Name, Parameters>,
  transport: Transport<Payload>,
  events: readonly string[] = [],
): Webhook<Name, Parameters, Payload> {
  const { name, label, parameters } = declaration;
  return {
    name,
    label,
    clientLabel: declaration.clientLabel ?? label,
    parameters,
    body: transport.payload.length > 0 ? 'json' : 'form',
    eventHeader: transport.eventHeader,
    events,
    deliveryHeader: declaration.deliveryHeader,
    missingStream: declaration.missingStream ?? 'owner-notified',
    endpoint: {
      ...endpointOf(declaration, transport),
      example: exampleOf(declaration.example, transport.eventHeader),
    },
  };
}

/** The only parameter of a JSON body. */
type JsonBody<Schema extends TSchema> = ReturnType<typeof payloadOf<Schema>>;

/** A webhook with one form of JSON body. */
export type JsonWebhook<
  Name extends string,
  Payload extends TSchema,
  Parameters extends readonly Parameter[],
> = Webhook<Name, Parameters, JsonBody<Payload>> & { readonly payload: Payload };

export function declareJsonWebhook<
  const Name extends string,
  Payload extends TSchema,
  const Parameters extends readonly Parameter[],
>(
  declaration: WebhookDeclaration<Name, Parameters> & {
    readonly payload: Payload;
  },
): JsonWebhook<Name, Payload, Parameters> {
  const { payload } = declaration;
  const transport = { payload: payloadOf(payload), eventHeader: undefined };
  return { ...webhook(declaration, transport), payload };
}

/** A webhook with a form: its parameters are the payload. */
export function declareFormWebhook<
  const Name extends string,
  const Parameters extends readonly Parameter[],
>(declaration: WebhookDeclaration<Name, Parameters>): Webhook<Name, Parameters, readonly []> {
  return webhook(declaration, { payload: [], eventHeader: undefined });
}

export type PayloadSchema = TSchema;

/** Schemas of JSON bodies by their kind. */
export type Payloads = Readonly<Record<string, PayloadSchema>>;

const anyObject = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' });

/** A webhook with several events, given by a header. */
export type EventWebhook<
  Name extends string,
  Events extends Payloads,
  Parameters extends readonly Parameter[],
> = Webhook<Name, Parameters, JsonBody<typeof anyObject>> & {
  readonly payloads: Events;
  /** Events of no interest. */
  readonly ignoredEvents: readonly string[];
};

export function declareEventWebhook<
  const Name extends string,
  Events extends Payloads,
  const Parameters extends readonly Parameter[],
>(
  declaration: WebhookDeclaration<Name, Parameters> & {
    readonly eventHeader: string;
    readonly payloads: Events;
    readonly ignoredEvents?: readonly string[];
  },
): EventWebhook<Name, Events, Parameters> {
  const { eventHeader, payloads, ignoredEvents = [] } = declaration;
  const transport = { payload: payloadOf(anyObject), eventHeader };
  return { ...webhook(declaration, transport, Object.keys(payloads)), payloads, ignoredEvents };
}
