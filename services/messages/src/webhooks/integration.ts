/**
 * What an integration is: its name, what it reads, and how that becomes messages (reference facts, people 16 and 17). Everything else
 * is the same for all of them and stands in `receive-webhook.ts`.
 */
import { badRequest, unexpectedWebhookEventType, withoutCode } from '@parley/contracts';
import { compileCheck } from '@parley/http';
import type {
  DecodedParameters,
  ExampleValue,
  FromSchema,
  JsonSchema,
  Parameter,
} from '@parley/http';

/** One message that a payload becomes, in markdown. */
export type WebhookMessage = {
  readonly topic: string;
  readonly content: string;
  /** Where the integration itself says where to; the stream and topic of the request are not asked then. */
  readonly stream?: string;
};

/** Messages to send, none for what is ignored on purpose; or `account` for the question who the key belongs to. */
export type WebhookOutcome = readonly WebhookMessage[] | 'account';

/** What nobody wants to read of: success without a message. */
export const ignored: WebhookOutcome = [];

export type WebhookRequest<Values = Readonly<Record<string, unknown>>> = {
  /** The integration's own parameters. */
  readonly parameters: Values;
  readonly stream: string | undefined;
  readonly topic: string | undefined;
};

type Reader = (payload: unknown, request: WebhookRequest) => WebhookOutcome;

export type Integration = {
  /** In the path, after `/api/v1/external/`. */
  readonly name: string;
  /** As the client of its messages and its refusals spell it: `ZulipGitHubWebhook`. */
  readonly label: string;
  /** What it is, in the documentation. */
  readonly about: string;
  /** What the service may send. */
  readonly example: {
    readonly parameters?: Readonly<Record<string, ExampleValue>>;
    readonly payload?: ExampleValue;
    /** Of the event header. */
    readonly event?: string;
  };
  /** `json`: the body, whatever its Content-Type; `form`: only parameters. */
  readonly body: 'json' | 'form';
  /** What the document of the interface says of a JSON body. */
  readonly payloadSchema: JsonSchema;
  readonly parameters: readonly Parameter[];
  /** Names of the events that become messages, as the event header says them; empty without such a header. */
  readonly events: readonly string[];
  readonly eventHeader: string | undefined;
  /** Names one delivery, so that a repeat of it sends nothing twice. */
  readonly deliveryHeader: string | undefined;
  /** The payload holds a message that somebody wrote for this place: its mentions count. */
  readonly isWrittenForUs: boolean;
  /** The owner hears of a body that is no JSON (reference facts, people 16.3). */
  readonly tellsOfMalformedJson: boolean;
  /** The owner hears of a payload that lacks something, and the sender nothing but that. */
  readonly tellsOfInvalidPayload: boolean;
  readonly missingStream: 'told-to-owner' | 'refused';
  /**
   * Makes messages of a payload.
   *
   * @param event what the event header says
   * @throws ApiError 400 for a payload that lacks what is read, and for events that are not handled
   */
  readonly read: (
    payload: unknown,
    event: string | undefined,
    request: WebhookRequest,
  ) => WebhookOutcome;
};

type Common = Pick<Integration, 'name' | 'label' | 'about' | 'example'> &
  Partial<
    Pick<
      Integration,
      'isWrittenForUs' | 'tellsOfMalformedJson' | 'tellsOfInvalidPayload' | 'missingStream'
    >
  >;

const defaults = {
  eventHeader: undefined,
  deliveryHeader: undefined,
  events: [],
  parameters: [],
  isWrittenForUs: false,
  tellsOfMalformedJson: true,
  tellsOfInvalidPayload: false,
  missingStream: 'told-to-owner',
} as const;

/**
 * Checks a payload before it is read; the names of what is missing begin with `payload`.
 *
 * @throws ApiError 400 that names the key
 */
function checked<const Schema extends JsonSchema, Values>(
  schema: Schema,
  toMessages: (payload: FromSchema<Schema>, request: WebhookRequest<Values>) => WebhookOutcome,
): Reader {
  const check = compileCheck(schema);
  return (payload, request) =>
    toMessages(
      // What passed the check has the schema's type, and the parameters were decoded by the declared list.
      check({ '': payload }, 'payload') as FromSchema<Schema>,
      request as WebhookRequest<Values>,
    );
}

/** An integration whose JSON body has one form. */
export function jsonIntegration<
  const Schema extends JsonSchema,
  const Parameters extends readonly Parameter[] = readonly [],
>(
  declaration: Common & {
    readonly payload: Schema;
    readonly parameters?: Parameters;
    readonly toMessages: (
      payload: FromSchema<Schema>,
      request: WebhookRequest<DecodedParameters<Parameters>>,
    ) => WebhookOutcome;
  },
): Integration {
  const { payload, toMessages, ...rest } = declaration;
  const read = checked(payload, toMessages);
  return {
    ...defaults,
    ...rest,
    body: 'json',
    payloadSchema: payload,
    read: (value, _event, request) => read(value, request),
  };
}

/** An integration that posts a form: its parameters are the payload. */
export function formIntegration<const Parameters extends readonly Parameter[]>(
  declaration: Common & {
    readonly parameters: Parameters;
    readonly toMessages: (request: WebhookRequest<DecodedParameters<Parameters>>) => WebhookOutcome;
  },
): Integration {
  const { toMessages, ...rest } = declaration;
  return {
    ...defaults,
    ...rest,
    body: 'form',
    payloadSchema: {},
    read: (_payload, _event, request) =>
      // They were decoded by this very list.
      toMessages(request as WebhookRequest<DecodedParameters<Parameters>>),
  };
}

/** How one kind of event is read; the second argument is what the event header says. */
export type EventReader<Values = Readonly<Record<string, unknown>>> = (
  payload: unknown,
  request: WebhookRequest<Values>,
) => WebhookOutcome;

/** Declares one kind of event: the schema of its payload, and what it becomes. */
export function event<const Schema extends JsonSchema, Values = Readonly<Record<string, unknown>>>(
  schema: Schema,
  toMessages: (payload: FromSchema<Schema>, request: WebhookRequest<Values>) => WebhookOutcome,
): EventReader<Values> {
  return checked(schema, toMessages) as EventReader<Values>;
}

/** An event that is handled in general, and not in this particular case; thrown by readers of events. */
export class UnexpectedCase extends Error {
  /** What the refusal names: the event with what makes it another. */
  readonly eventType: string;

  constructor(eventType: string) {
    super(eventType);
    this.eventType = eventType;
  }
}

/** An integration that says in a header which of several events it brings. */
export function eventIntegration<const Parameters extends readonly Parameter[] = readonly []>(
  declaration: Common & {
    readonly eventHeader: string;
    readonly deliveryHeader?: string;
    readonly parameters?: Parameters;
    readonly events: Readonly<Record<string, EventReader<DecodedParameters<Parameters>>>>;
    readonly ignoredEvents?: readonly string[];
  },
): Integration {
  const { events, ignoredEvents = [], ...rest } = declaration;
  const readers = new Map(Object.entries(events));
  return {
    ...defaults,
    ...rest,
    events: [...readers.keys()],
    body: 'json',
    payloadSchema: { type: 'object' },
    read: (payload, kind, request) => {
      if (kind !== undefined && ignoredEvents.includes(kind)) return ignored;
      const reader = kind === undefined ? undefined : readers.get(kind);
      if (reader === undefined) throw unexpectedWebhookEventType(rest.label, kind ?? null);
      try {
        return reader(payload, request as WebhookRequest<DecodedParameters<Parameters>>);
      } catch (error) {
        if (error instanceof UnexpectedCase)
          throw unexpectedWebhookEventType(rest.label, error.eventType);
        throw error;
      }
    },
  };
}

/** A blank text where there must be one (reference facts, people 17.4: without a code). */
export function checkNotBlank(text: string | undefined, what: string): string {
  if (text === undefined || text.trim() === '') throw withoutCode(`${what} can't be empty`);
  return text;
}

/** A request that would become more messages than one request may. */
export function tooManyMessages(max: number): Error {
  return badRequest(`A request may become at most ${max} messages`);
}
