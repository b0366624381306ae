import type { TObject, TSchema } from 'typebox';

import type { ErrorCode } from '../error-catalogue.ts';
import { limits } from '../limits.ts';
import type { EndpointExample } from './endpoint-example.ts';
import type { EndpointTag } from './endpoint-tags.ts';
import type { JsonSchema } from './json-schema.ts';
import { jsonBodyName } from './parameters.ts';
import type { Parameter } from './parameters.ts';
import { placeholdersOf } from './path.ts';
import type { Value } from './schema.ts';

/**
 * The declaration of an endpoint, the only place that describes it. From it come the gateway's route, the service's handler, the decoding and
 * validation of parameters, the access check, the error texts, the OpenAPI document and the types of clients.
 */

/** `ANY` is for webhooks, which dispatch every method (reference facts, people 16.1). GET implies HEAD. */
export type EndpointMethod = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'ANY';

export type ServiceName = 'messages' | 'subscriptions' | 'people' | 'presence' | 'events';

/** The permitted callers. Refusals come in the order of the reference facts, people 2.1, before any parameter is read. */
export type EndpointAccess =
  | { readonly authentication: 'none' }
  /** A program that keeps accounts, by a token of the organization (decision 0052). */
  | { readonly authentication: 'scim token' }
  | {
      readonly authentication: 'required';
      readonly administratorsOnly?: boolean;
      readonly guests?: 'allowed' | 'refused';
      readonly bots?: 'allowed' | 'refused';
      /** Incoming-webhook bots are refused with 401 unless allowed. */
      readonly incomingWebhookBots?: 'allowed' | 'refused';
      /**
       * Whether the gateway also takes the key from the parameter `api_key` (reference facts, people 4 and 16.1): `preferred` from query or
       * form, before Basic; `accepted` from the query if there is no Basic.
       */
      readonly keyParameter?: 'preferred' | 'accepted';
    };

/**
 * How the gateway treats a reply that broke off before its headers, or did not come in time. `read`: the request goes to one other replica
 * under the same request id; after a timeout, which would also happen there, it is answered 503. `repeat`: the request is repeated in both
 * cases, because doing it twice has the same effect as once. `keyed-send`: as `repeat`, and the request id is the send's key; its refusal
 * needs a known outcome. `once`: the service makes the change in time or not at all; if it does not say which, the answer is 504.
 * `lapses`: answered 503, because what it may have made ends by itself if nobody uses it.
 */
export type AfterLoss = 'read' | 'repeat' | 'keyed-send' | 'once' | 'lapses';

/** A success of an endpoint that does not answer JSON. */
export type RawResponse = {
  /** 200 by default. */
  readonly status?: number;
  /** Absent for an answer without a body. */
  readonly contentType?: string;
  readonly description: string;
  /** Headers that it always has, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For a stream of Server-Sent Events: the schema of the JSON in `data:`. */
  readonly event?: TSchema;
};

/** A refusal without a `code` that has its own status or members. Any endpoint may make refusals with status 400 and only a text. */
export type Refusal = {
  readonly status: number;
  readonly description: string;
  /** Members beside `result` and `msg`, all of them required. */
  readonly fields?: Readonly<Record<string, TSchema>>;
  /** A page instead of JSON, for people who see it in place of a file. */
  readonly contentType?: string;
};

/** The declared success of an endpoint: the members of a JSON object, or answers that are not JSON. */
export type DeclaredSuccess = TObject | readonly RawResponse[];

/** What bounds the requests of an endpoint. */
export type EndpointLimits = {
  /** A larger body is refused with 413 while it is read, whatever its content. 64 KiB without a login, otherwise 1 MiB. */
  readonly bodyMaxBytes: number;
  /** The longest time that the service lets it wait for its turn, in addition to the time of any answer. */
  readonly waitMaxMs: number;
  /** Which of the caller's rate limits counts it. `files` is apart, because pages show many files at once. */
  readonly rate: 'requests' | 'files';
  /** As how many requests it counts there, because it takes as much work; long answers count in addition. */
  readonly cost: number;
  /**
   * How a request without a caller counts for the client's network. `attempts`: anybody may make it send a mail or try a secret; `sign-ins`:
   * anybody may begin a sign-in by it.
   */
  readonly network: 'uncounted' | 'attempts' | 'sign-ins';
  /**
   * Whose changes it waits for. `none`: any number of one caller's requests is handled at once, because they are gathered with those of others
   * before they take a connection to Postgres.
   */
  readonly turns: 'owner' | 'none';
};

const defaultLimits = {
  bodyMaxBytes: limits.bodyMaxBytes,
  waitMaxMs: 0,
  rate: 'requests',
  cost: 1,
  network: 'uncounted',
  turns: 'owner',
} as const satisfies EndpointLimits;

/** The file in the body of a request, which is a multipart form then. */
export type EndpointFile =
  | 'none'
  /** The handler receives it with `receiveFile`. Parameters come only from path and query, because they are checked before the body is read. */
  | 'streamed'
  /** The form may or must contain one small file, which the handler reads with `formFiles`. */
  | 'optional'
  | 'required';

export type EndpointDeclaration<
  Parameters extends readonly Parameter[],
  Access extends EndpointAccess,
  Success extends DeclaredSuccess,
> = {
  /** verb-noun, unique; the name in logs, metrics and the OpenAPI document. */
  readonly name: string;
  readonly method: EndpointMethod;
  /**
   * Below `/api/v1` (or below the root, see `below`), with a leading slash; `{name}` is a path parameter of one segment, and
   * `{name...}` takes all segments to the end.
   */
  readonly path: string;
  /** `root` is for paths that belong to clients but not to the interface, such as uploaded files. */
  readonly below?: 'api' | 'root';
  /** `prefix`: the path with a trailing slash, or anything below it, also matches (webhooks). */
  readonly matching?: 'exact' | 'prefix';
  readonly service: ServiceName;
  /** The chapter of the reference that contains it. */
  readonly tag: EndpointTag;
  readonly summary: string;
  readonly description?: string;
  /** A successful call; by default one without parameters. */
  readonly example?: EndpointExample<Parameters[number]['name']>;
  readonly access: Access;
  /** In the order of their checks. */
  readonly parameters: Parameters;
  /** The answer's members beside `result` and `msg`, or the answers instead of JSON. */
  readonly success: Success;
  /** Codes that this endpoint may answer beside those of every endpoint. */
  readonly errors?: readonly ErrorCode[];
  /** Refusals without a code that not every endpoint may make. */
  readonly refusals?: readonly Refusal[];
  /**
   * The answer contains an API key, so it is never compressed: its length could reveal the key if others wrote text beside it. Derived from
   * the declared members; an endpoint whose answers only sometimes contain a key sets it.
   */
  readonly answersKey?: boolean;
  /** Its service compresses the answer for clients that accept gzip, because it keeps compressed parts of it. */
  readonly compresses?: boolean;
  /** What differs from the limits of other endpoints. */
  readonly limits?: Partial<EndpointLimits>;
  readonly file?: EndpointFile;
  /** It checks a password: of the account in the request, or of the caller if authenticated. */
  readonly judgesPassword?: boolean;
  /**
   * Its answer sets the cookie of a session. The gateway takes the request only from a page of its own origin, and passes on whose session the
   * browser sent, which the new one replaces.
   */
  readonly opensSession?: boolean;
  /** The headers that its handler reads besides those of every request, in lower case. Its service gets no others. */
  readonly takesHeaders?: readonly string[];
  /**
   * Who has the means to call it. `pages`: only a page of this server, by a cookie that no program has, so there is no example of a call;
   * `development`: a production server refuses it before anything is read.
   */
  readonly clients?: 'all' | 'pages' | 'development';
  /** The form of its refusals: the envelope of the interface, or the errors of SCIM (RFC 7644, 3.12). */
  readonly refusalsAs?: 'envelope' | 'scim';
  /** `read` for a GET, otherwise `once`. */
  readonly afterLoss?: AfterLoss;
  /**
   * Whether it concerns an event queue, given by `queue_id` in query or body: then the request goes to the queue's holder. `held`: the answer
   * may be held until there is an event, so its access log lines are at debug level.
   */
  readonly eventQueue?: 'none' | 'addressed' | 'held';
};

/**
 * The parts of a declaration beside parameters, access and success that the compiler keeps literally. So it knows which handlers a service
 * must have, and which parameters and refusals clients have.
 */
export type EndpointFacts = Pick<
  EndpointDeclaration<readonly Parameter[], EndpointAccess, DeclaredSuccess>,
  'name' | 'method' | 'path' | 'below' | 'service' | 'errors' | 'refusals' | 'file'
>;

/** The defaults of a declaration. */
const defaultFacts = {
  below: 'api',
  errors: [],
  refusals: [],
  file: 'none',
} as const;

/** The facts of a declared endpoint, with its defaults. */
export type AllFacts<Facts> = Omit<typeof defaultFacts, keyof Facts> & Facts;

/** A declared endpoint with all its defaults. The type parameters are the input and output of its handler. */
export type Endpoint<
  Parameters extends readonly Parameter[] = readonly Parameter[],
  Access extends EndpointAccess = EndpointAccess,
  Success extends DeclaredSuccess = DeclaredSuccess,
> = Required<Omit<EndpointDeclaration<Parameters, Access, Success>, 'example' | 'limits'>> & {
  readonly example: EndpointExample;
  readonly limits: EndpointLimits;
};

/** The values of parameters by name, typed by the declared list. */
export type DecodedParameters<Parameters extends readonly Parameter[]> = {
  readonly [Item in Parameters[number] as Item['name']]: ReturnType<Item['decode']>;
};

/** The members of a successful JSON answer beside `result` and `msg`. */
export type AnswerOf<Declared extends Endpoint> =
  Declared extends Endpoint<infer _Parameters, infer _Access, infer Success>
    ? Success extends TObject
      ? Value<Success>
      : never
    : never;

/**
 * Declares an endpoint.
 *
 * @throws TypeError if path and parameters contradict each other, which stops the boot
 */
export function declareEndpoint<
  const Facts extends EndpointFacts,
  const Parameters extends readonly Parameter[],
  const Access extends EndpointAccess,
  const Success extends DeclaredSuccess,
>(
  declaration: EndpointDeclaration<Parameters, Access, Success> & {
    readonly [Fact in keyof Facts & keyof EndpointFacts]: Facts[Fact];
  },
): Endpoint<Parameters, Access, Success> & AllFacts<Facts> {
  const { access, name, method, parameters } = declaration;
  const inPath = placeholdersOf(declaration.path);
  const declared = parameters.filter((parameter) => parameter.from === 'path');
  if (
    !declaration.path.startsWith('/') ||
    inPath.length !== declared.length ||
    declared.some((parameter) => !inPath.includes(parameter.name))
  ) {
    throw new TypeError(`endpoint ${name}: path and path parameters differ`);
  }
  const names = parameters.flatMap((parameter) => [parameter.name, ...parameter.aliases]);
  if (new Set(names).size !== names.length) {
    throw new TypeError(`endpoint ${name}: a parameter name occurs twice`);
  }
  // Clients know only from the name what to send as the body.
  if (
    parameters.some((parameter) => parameter.from !== 'body' && parameter.name === jsonBodyName)
  ) {
    throw new TypeError(`endpoint ${name}: only a JSON body is called ${jsonBodyName}`);
  }
  const whole: Endpoint<Parameters, Access, Success> = {
    ...defaultFacts,
    matching: 'exact',
    description: '',
    compresses: false,
    answersKey: !isRaw(declaration.success) && hasKey(declaration.success),
    judgesPassword: false,
    opensSession: false,
    takesHeaders: [],
    clients: 'all',
    refusalsAs: 'envelope',
    afterLoss: method === 'GET' ? 'read' : 'once',
    eventQueue: 'none',
    ...declaration,
    limits: {
      ...defaultLimits,
      ...(access.authentication === 'none' && { bodyMaxBytes: limits.anonymousBodyMaxBytes }),
      ...declaration.limits,
    },
    example: declaration.example ?? {},
  };
  // The compiler does not see that what is spread keeps the literal types of the facts.
  return whole as typeof whole & AllFacts<Facts>;
}

/** Whether a schema declares an API key among its members, at any depth. */
function hasKey(schema: JsonSchema): boolean {
  const { properties = {}, items, prefixItems = [], anyOf = [], oneOf = [] } = schema;
  const { additionalProperties } = schema;
  const inner = [...Object.values(properties), ...prefixItems, ...anyOf, ...oneOf];
  if (items !== undefined) inner.push(items);
  if (typeof additionalProperties === 'object') inner.push(additionalProperties);
  return Object.hasOwn(properties, 'api_key') || inner.some(hasKey);
}

/** Whether the answer is a stream of events, which ends when either side ends it. */
export function isEventStream({ success }: Pick<Endpoint, 'success'>): boolean {
  return Array.isArray(success) && success.some(({ event }) => event !== undefined);
}

/** The declared answers that are not JSON; empty for an endpoint that answers JSON. */
export function rawResponsesOf({ success }: Pick<Endpoint, 'success'>): readonly RawResponse[] {
  return isRaw(success) ? success : [];
}

/** Whether a success is not a JSON object. */
export function isRaw(success: DeclaredSuccess): success is readonly RawResponse[] {
  return Array.isArray(success);
}

/** The headers of a request that its service gets, in lower case. */
export function headersTakenBy({
  compresses,
  takesHeaders,
}: Pick<Endpoint, 'compresses' | 'takesHeaders'>): readonly string[] {
  const ofAll = ['user-agent', 'content-type'];
  return [...ofAll, ...(compresses ? ['accept-encoding'] : []), ...takesHeaders];
}

/** Whether it is a change that waits for earlier ones of the same owner. */
export function takesTurns({
  method,
  file,
  limits: { turns },
}: Pick<Endpoint, 'method' | 'file' | 'limits'>): boolean {
  return method !== 'GET' && file !== 'streamed' && turns === 'owner';
}

/** Whether the body is JSON, which may be labelled as a form (reference facts, people 16.1). */
export function takesJson({ parameters }: Pick<Endpoint, 'parameters'>): boolean {
  return parameters.some(({ from }) => from === 'body');
}
