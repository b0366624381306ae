import type { Readable } from 'node:stream';

import type { Caller, ErrorCode } from '@parley/contracts';
import { textOf } from '@parley/links';
import type { LinkBody } from '@parley/links';

import type { EndpointExample } from './endpoint-example.ts';
import type { FormFile } from './form-files.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Parameter } from './parameters.ts';
import type { ReceiveFile } from './receive-file.ts';
import { answerCheck } from './validate.ts';

/**
 * The declaration of an endpoint: from it come the route, the decoding and validation of parameters, the access
 * check, the error texts and the OpenAPI document.
 */

/** `ANY` is for webhooks, which dispatch every method (reference facts, people 16.1). GET implies HEAD. */
export type EndpointMethod = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'ANY';

/** Who may call. Refusals come in the order of the reference facts, people 2.1, before any parameter is read. */
export type EndpointAccess =
  | { readonly authentication: 'none' }
  | {
      readonly authentication: 'required';
      readonly administratorsOnly?: boolean;
      readonly guests?: 'allowed' | 'refused';
      readonly bots?: 'allowed' | 'refused';
      /** Incoming-webhook bots are refused with 401 unless allowed. */
      readonly incomingWebhookBots?: 'allowed' | 'refused';
      /** The gateway takes the key as the parameter `api_key` too (reference facts, people 16.1). */
      readonly keyParameter?: 'accepted';
    };

/** The values by name, typed by the declared list. */
export type DecodedParameters<Parameters extends readonly Parameter[]> = {
  readonly [Item in Parameters[number] as Item['name']]: ReturnType<Item['decode']>;
};

/** Says that nobody waits for the answer any more: what an AbortSignal says, which costs more than a poll can afford. */
export type HangUpSignal = {
  readonly aborted: boolean;
  readonly addEventListener: (type: 'abort', listener: () => void) => void;
  readonly removeEventListener: (type: 'abort', listener: () => void) => void;
};

export type EndpointRequest<
  Parameters extends readonly Parameter[],
  Access extends EndpointAccess,
> = {
  readonly parameters: DecodedParameters<Parameters>;
  /** The name of the sending client (reference facts, messages 3.6), at most 30 code points. */
  readonly clientName: string;
  readonly requestId: string;
  /** Aborted when the client hangs up, and when the server must close the connection. */
  readonly signal: HangUpSignal;
  /** The text of any parameter as it came, declared or not; the body wins over the query, the last value counts. */
  readonly rawText: (name: string) => string | undefined;
  /** A request header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** The query as it came, without the question mark. */
  readonly query: string;
  /** Reads the small files of a multipart body beside its fields; not for endpoints that declare `takesFile`. */
  readonly formFiles: () => Promise<FormFile[]>;
  /**
   * To be called with the bytes that a file has before it is opened: some ways of an answer carry small ones only, and then the request
   * comes again another way.
   */
  readonly admitFile: (bytes: number) => void;
  /** Receives the one file of the body; only for endpoints that declare `takesFile`. */
  readonly receiveFile: ReceiveFile;
} & (Access extends { readonly authentication: 'required' }
  ? { readonly caller: Caller }
  : { readonly caller?: never });

/** A complete JSON text, envelope included, written as it is; for hot paths. */
export class Preserialized {
  /** What the answers to other requests begin with too; empty where that is not known. */
  readonly shared: string;
  readonly own: LinkBody;

  constructor(shared: string, own: LinkBody) {
    this.shared = shared;
    this.own = own;
  }

  get text(): LinkBody {
    return this.shared === '' ? this.own : this.shared + textOf(this.own);
  }
}

/** @param text the whole answer, `{"result":"success","msg":"",…}`, or its bytes, which must not be changed any more */
export function preserialized(text: LinkBody): Preserialized {
  return new Preserialized('', text);
}

/**
 * An answer of which a part is the same for many requests of one moment.
 *
 * @param shared the beginning, the same string for all of them
 * @param own the rest
 */
export function partlyShared(shared: string, own: string): Preserialized {
  return new Preserialized(shared, own);
}

/** What becomes of an answer that comes later: one of both, once. */
export type Settle = {
  readonly answer: (answer: Preserialized) => void;
  readonly fail: (error: unknown) => void;
};

/**
 * An answer that is waited for. A handler that returns it is over, so that a request that is held costs what it keeps by itself
 * and no suspended calls, of which V8 moves every one to its old space.
 */
export class LaterAnswer {
  /** Called once; may settle at once. */
  readonly begin: (settle: Settle) => void;

  constructor(begin: (settle: Settle) => void) {
    this.begin = begin;
  }
}

/** What a handler returns for an answer without a body: status 204. */
export const noContent: unique symbol = Symbol('no content');

/** An answer that is no JSON: a file, a page, a redirect. A HEAD request gets its headers only. */
export class RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;

  constructor(status: number, headers: Readonly<Record<string, string>>, body: string | Readable) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/**
 * @param headers with the Content-Type; a stream's length has to be among them, so that an answer that breaks off is noticed
 * @param body a stream is destroyed when the client hangs up, and when it is not sent
 */
export function rawAnswer(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Readable = '',
): RawAnswer {
  return new RawAnswer(status, headers, body);
}

export type EndpointAnswer =
  | Readonly<Record<string, unknown>>
  | Preserialized
  | RawAnswer
  | LaterAnswer
  | typeof noContent;

/** What an endpoint answers that answers no JSON when it succeeds. */
export type RawResponse = {
  /** 200 unless it says otherwise. */
  readonly status?: number;
  /** An answer without one has no body. */
  readonly contentType?: string;
  readonly description: string;
  /** Headers that it always has, and what they say. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For a stream of Server-Sent Events: what `data:` holds as JSON. */
  readonly event?: JsonSchema;
};

/** A refusal without a `code` that has a status or members of its own. Refusals with status 400 and a text alone may come from everywhere. */
export type Refusal = {
  readonly status: number;
  readonly description: string;
  /** Members beside `result` and `msg`, all of them required. */
  readonly fields?: Readonly<Record<string, JsonSchema>>;
  /** For people who see it where a file should be: a page instead of JSON. */
  readonly contentType?: string;
};

type MaybePromise<Value> = Value | Promise<Value>;

export type EndpointDeclaration<
  Context,
  Parameters extends readonly Parameter[],
  Access extends EndpointAccess,
> = {
  /** verb-noun, unique in a service; the name in logs, metrics and the OpenAPI document. */
  readonly name: string;
  readonly method: EndpointMethod;
  /**
   * Below `/api/v1` (or below the root, see `below`), with a leading slash; a path parameter is written `:name`, and one that
   * takes all segments to the end `*name`.
   */
  readonly path: string;
  /** `root` is for what belongs to clients but not to the interface, such as uploaded files. */
  readonly below?: 'api' | 'root';
  /** `prefix`: the path with a trailing slash, or anything below it, matches too (webhooks). */
  readonly matching?: 'exact' | 'prefix';
  readonly summary: string;
  readonly description?: string;
  /** A call that succeeds; by default one without parameters. */
  readonly example?: EndpointExample<Parameters[number]['name']>;
  readonly access: Access;
  /**
   * Refuses callers by what the organization says now, before any parameter is read. It may say something else a moment later, so
   * what has to hold is checked where the change is made.
   */
  readonly admit?: (context: Context, caller: Caller) => Promise<void>;
  /** In the order in which they are checked. */
  readonly parameters: Parameters;
  /** JSON Schema of the answer's members besides `result` and `msg`; closed unless it says otherwise. */
  readonly response: JsonSchema;
  /** For an endpoint that answers a success with `rawAnswer` or `noContent`; `response` is an empty object then. */
  readonly rawResponse?: RawResponse | readonly RawResponse[];
  /** Codes this endpoint may answer beside those that every endpoint may. */
  readonly errors?: readonly ErrorCode[];
  /** Refusals without a code that not every endpoint may answer. */
  readonly refusals?: readonly Refusal[];
  /**
   * The body is a multipart form with a file, which the handler receives as a stream with `receiveFile`. Parameters come from path
   * and query only, since they are checked before the body is read.
   */
  readonly takesFile?: boolean;
  /** The form may, or has to, bring one small file, which the handler reads with `formFiles`. */
  readonly formFile?: 'optional' | 'required';
  /** Long polls are answered late by design: access log lines at debug level. */
  readonly longPoll?: boolean;
  readonly handler: (
    context: Context,
    request: EndpointRequest<Parameters, Access>,
  ) => MaybePromise<EndpointAnswer>;
};

/** A declared endpoint as the app uses it; the types of its parameters are known only inside the declaration. */
export type Endpoint<in Context> = {
  readonly name: string;
  readonly method: EndpointMethod;
  readonly path: string;
  readonly below: 'api' | 'root';
  readonly matching: 'exact' | 'prefix';
  readonly summary: string;
  readonly description: string;
  readonly example: EndpointExample;
  readonly access: EndpointAccess;
  readonly admit: ((context: Context, caller: Caller) => Promise<void>) | undefined;
  readonly parameters: readonly Parameter[];
  readonly response: JsonSchema;
  /** Empty for an endpoint that answers JSON. */
  readonly rawResponses: readonly RawResponse[];
  readonly errors: readonly ErrorCode[];
  readonly refusals: readonly Refusal[];
  readonly takesFile: boolean;
  readonly formFile: 'none' | 'optional' | 'required';
  readonly longPoll: boolean;
  /** Gives the first difference between an answer's members and the declared schema, or undefined. */
  readonly findAnswerFault: (data: unknown) => string | undefined;
  readonly handle: (context: Context, request: UntypedRequest) => MaybePromise<EndpointAnswer>;
};

/** A request whose parameters were decoded by the endpoint's own list. */
export type UntypedRequest = Omit<
  EndpointRequest<readonly Parameter[], EndpointAccess>,
  'caller' | 'parameters'
> & {
  readonly caller: Caller | undefined;
  readonly parameters: Readonly<Record<string, unknown>>;
};

const placeholder = /[:*]([A-Za-z_]\w*)/g;

/**
 * Declares an endpoint. Annotate the handler's `context`; everything else is inferred.
 *
 * @throws TypeError when path, parameters or schemas contradict one another, which stops the boot
 */
export function defineEndpoint<
  Context,
  const Parameters extends readonly Parameter[],
  const Access extends EndpointAccess,
>(declaration: EndpointDeclaration<Context, Parameters, Access>): Endpoint<Context> {
  const inPath = [...declaration.path.matchAll(placeholder)].map((match) => match[1]);
  const declared = declaration.parameters.filter((parameter) => parameter.from === 'path');
  if (
    !declaration.path.startsWith('/') ||
    inPath.length !== declared.length ||
    declared.some((parameter) => !inPath.includes(parameter.name))
  ) {
    throw new TypeError(`endpoint ${declaration.name}: path and path parameters differ`);
  }
  const names = declaration.parameters.flatMap((parameter) => [
    parameter.name,
    ...parameter.aliases,
  ]);
  if (new Set(names).size !== names.length) {
    throw new TypeError(`endpoint ${declaration.name}: a parameter name occurs twice`);
  }
  const response = { properties: {}, ...declaration.response };
  return {
    name: declaration.name,
    method: declaration.method,
    path: declaration.path,
    below: declaration.below ?? 'api',
    matching: declaration.matching ?? 'exact',
    summary: declaration.summary,
    description: declaration.description ?? '',
    example: declaration.example ?? {},
    access: declaration.access,
    admit: declaration.admit,
    parameters: declaration.parameters,
    response,
    rawResponses: [declaration.rawResponse ?? []].flat(),
    errors: declaration.errors ?? [],
    refusals: declaration.refusals ?? [],
    takesFile: declaration.takesFile ?? false,
    formFile: declaration.formFile ?? 'none',
    longPoll: declaration.longPoll ?? false,
    findAnswerFault: answerCheck(response),
    // The parameters were decoded by this very list and the caller checked by this very access.
    handle: (context, request) =>
      declaration.handler(context, request as unknown as EndpointRequest<Parameters, Access>),
  };
}
