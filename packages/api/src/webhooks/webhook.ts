/**
 * What is declared of an incoming webhook (contract, Incoming webhook; reference facts, people 16): what its service sends, and how. How
 * that becomes messages is for the service that answers.
 */
import type { TSchema } from 'typebox';

import type { EndpointExample, ExampleValue } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import type { DecodedParameters } from '../declare/endpoint.ts';
import type { JsonSchema } from '../declare/json-schema.ts';
import { jsonBody, textParameter } from '../declare/parameters.ts';
import type { Parameter } from '../declare/parameters.ts';
import { described, integer, object, optional, text } from '../declare/schema.ts';
import type { ErrorCode } from '../error-catalogue.ts';
import { limits } from '../limits.ts';

/** The name that a JSON body has among the parameters. */
export const payloadName = 'payload_body';

const destination = [
  textParameter('stream', {
    nul: 'handled',
    description: 'The stream to send to; without it the owner of the bot gets a private message',
  }),
  textParameter('topic', {
    nul: 'handled',
    description: `The topic; by default what the integration says. Cut at ${limits.topicMaxCodePoints} characters`,
  }),
] as const;

type WebhookDeclaration<Name extends string, Parameters extends readonly Parameter[]> = {
  /** In the path, after `/api/v1/external/`. */
  readonly name: Name;
  /** As its refusals spell it. */
  readonly label: string;
  /** As the client of its messages spells it, `ZulipGitHubWebhook`; the label unless it says otherwise. */
  readonly clientLabel?: string;
  readonly description: string;
  /** What the service may send. */
  readonly example: {
    readonly parameters?: Readonly<Record<string, ExampleValue>>;
    readonly payload?: ExampleValue;
    /** Of the event header. */
    readonly event?: string;
  };
  /** Those that it adds to the destination. */
  readonly parameters: Parameters;
  /** Names one delivery, so that a repeat of it sends nothing twice. */
  readonly deliveryHeader?: string;
  /** What becomes of a message to a stream that does not exist; only the owner of the bot hears of it unless it says otherwise. */
  readonly missingStream?: 'owner-notified' | 'refused';
};

type Body = {
  /** `json`: the body, whatever its Content-Type; `form`: only parameters. */
  readonly body: 'json' | 'form';
  /** What the OpenAPI document says of a JSON body. */
  readonly payload: JsonSchema;
  /** The header that says which of several events it brings. */
  readonly eventHeader: string | undefined;
};

function errorsOf({ body, eventHeader }: Body, missingStream: string | undefined): ErrorCode[] {
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

function exampleOf(
  { parameters, payload, event }: WebhookDeclaration<string, readonly Parameter[]>['example'],
  { eventHeader }: Body,
): EndpointExample {
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

/** ANY external/{name} (contract, Incoming webhook; reference facts, people 16). */
function webhookEndpoint<const Name extends string>(
  declaration: WebhookDeclaration<Name, readonly Parameter[]>,
  body: Body,
) {
  const { name, description, example, parameters, missingStream } = declaration;
  const payload =
    body.body === 'json'
      ? [
          jsonBody(payloadName, {
            description: 'What happened, as JSON',
            schema: body.payload,
            malformed: 'handled',
          }),
        ]
      : [];
  return declareEndpoint({
    name: `receive-${name}`,
    method: 'ANY',
    path: `/external/${name}`,
    matching: 'prefix',
    service: 'messages',
    tag: 'Incoming webhooks',
    summary: `Receive a webhook of ${name}`,
    description,
    example: exampleOf(example, body),
    access: {
      authentication: 'required',
      incomingWebhookBots: 'allowed',
      keyParameter: 'preferred',
    },
    bodyMaxBytes: limits.webhookBodyMaxBytes,
    afterLoss: 'keyed-send',
    manyAtOnce: true,
    parameters: [...destination, ...parameters, ...payload],
    success: object(
      optional({
        full_name: described(text, 'Of the account, where that was asked'),
        email: text,
        id: integer,
      }),
    ),
    errors: errorsOf(body, missingStream),
  });
}

export type WebhookEndpoint<Name extends string = string> = ReturnType<
  typeof webhookEndpoint<Name>
>;

/** The values of what a request brings, the own parameters of its webhook among them. */
export type WebhookParameters = DecodedParameters<WebhookEndpoint['parameters']>;

export type Webhook<
  Name extends string = string,
  Parameters extends readonly Parameter[] = readonly Parameter[],
> = Required<Pick<WebhookDeclaration<Name, Parameters>, 'name' | 'label' | 'clientLabel'>> &
  Pick<Body, 'body' | 'eventHeader'> & {
    /** Those that it adds to the destination. */
    readonly parameters: Parameters;
    /** Names of the events that become messages, as the event header says them; empty without such a header. */
    readonly events: readonly string[];
    readonly deliveryHeader: string | undefined;
    readonly missingStream: 'owner-notified' | 'refused';
    readonly endpoint: WebhookEndpoint<Name>;
  };

function webhook<Name extends string, Parameters extends readonly Parameter[]>(
  declaration: WebhookDeclaration<Name, Parameters>,
  body: Body,
  events: readonly string[] = [],
): Webhook<Name, Parameters> {
  const { name, label, parameters } = declaration;
  return {
    name,
    label,
    clientLabel: declaration.clientLabel ?? label,
    parameters,
    body: body.body,
    eventHeader: body.eventHeader,
    events,
    deliveryHeader: declaration.deliveryHeader,
    missingStream: declaration.missingStream ?? 'owner-notified',
    endpoint: webhookEndpoint(declaration, body),
  };
}

/** One whose JSON body has one form. */
export type JsonWebhook<
  Name extends string,
  Payload extends TSchema,
  Parameters extends readonly Parameter[],
> = Webhook<Name, Parameters> & { readonly payload: Payload };

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
  return { ...webhook(declaration, { body: 'json', payload, eventHeader: undefined }), payload };
}

/** One that posts a form: its parameters are the payload. */
export function declareFormWebhook<
  const Name extends string,
  const Parameters extends readonly Parameter[],
>(declaration: WebhookDeclaration<Name, Parameters>): Webhook<Name, Parameters> {
  return webhook(declaration, { body: 'form', payload: {}, eventHeader: undefined });
}

export type PayloadSchema = TSchema;

/** Schemas of JSON bodies by what kind they are of. */
export type Payloads = Readonly<Record<string, PayloadSchema>>;

/** One that says in a header which of several events it brings. */
export type EventWebhook<
  Name extends string,
  Events extends Payloads,
  Parameters extends readonly Parameter[],
> = Webhook<Name, Parameters> & {
  readonly payloads: Events;
  /** What nobody wants to read of. */
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
  const body = { body: 'json', payload: { type: 'object' }, eventHeader } as const;
  return { ...webhook(declaration, body, Object.keys(payloads)), payloads, ignoredEvents };
}
