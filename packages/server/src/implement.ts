import type { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';

import type {
  Caller,
  DecodedParameters,
  DeclaredSuccess,
  Endpoint,
  EndpointAccess,
  HangUpSignal,
  Parameter,
  RawResponse,
} from '@parley/api';
import type { Value } from '@parley/api/schema';
import { joined, textOf } from '@parley/links';
import type { LinkBody } from '@parley/links';
import type { TObject } from 'typebox';

import type { FormFile } from './form-files.ts';
import type { ReceiveFile } from './receive-file.ts';

/** What a handler gets of a request beside its parameters and its caller. */
export type RequestFacts = {
  /** The name of the sending client (reference facts, messages 3.6), at most 30 code points. */
  readonly clientName: string;
  readonly requestId: string;
  /** Aborted when the client hangs up, and when the server must close the connection. */
  readonly signal: HangUpSignal;
  /** The text of any parameter as it came, declared or not; the body wins over the query, the last value counts. */
  readonly rawText: (name: string) => string | undefined;
  /** Whether the client takes an answer as gzip; known where the endpoint declares `compresses`. */
  readonly takesGzip: boolean;
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
};

export type EndpointRequest<
  Parameters extends readonly Parameter[],
  Access extends EndpointAccess,
> = RequestFacts & {
  readonly parameters: DecodedParameters<Parameters>;
} & (Access extends { readonly authentication: 'required' }
    ? { readonly caller: Caller }
    : { readonly caller?: never });

/** A request whose parameters were decoded by the endpoint's own list. */
export type UntypedRequest = RequestFacts & {
  readonly caller: Caller | undefined;
  readonly parameters: Readonly<Record<string, unknown>>;
};

/**
 * What those may do with an answer who pass it on: compress it; nothing, because a key stands in it; or nothing, because it is gzip already.
 */
export type Passage = 'any' | 'untouched' | 'gzip';

/** A complete JSON text of an answer, envelope included, written as it is; for hot paths. A test compares it with the schema. */
export class Preserialized<Answer = unknown> {
  /** What the answers to other requests begin with too; empty where that is not known. */
  readonly shared: string;
  readonly own: LinkBody;
  readonly passage: Passage;
  /** Only a type: what the text says. */
  declare readonly answer: Answer;

  constructor(shared: string, own: LinkBody, passage: Passage = 'any') {
    this.shared = shared;
    this.own = own;
    this.passage = passage;
  }

  /** What goes to whoever asked. */
  get body(): LinkBody {
    return this.shared === '' ? this.own : this.shared + textOf(this.own);
  }

  /** The JSON text. */
  get text(): string {
    return this.passage === 'gzip'
      ? gunzipSync(typeof this.own === 'string' ? this.own : joined(this.own)).toString()
      : textOf(this.body);
  }
}

/**
 * @param text the whole answer, `{"result":"success","msg":"",…}`, or its bytes, which must not be changed any more
 * @param passage `gzip` where these are compressed, which only who takes gzip may get
 */
export function preserialized<Answer>(
  text: LinkBody,
  passage: Passage = 'any',
): Preserialized<Answer> {
  return new Preserialized('', text, passage);
}

/**
 * An answer of which a part is the same for many requests of one moment.
 *
 * @param shared the beginning, the same string for all of them
 * @param own the rest
 */
export function partlyShared<Answer>(
  shared: string,
  own: string,
  passage: Passage = 'any',
): Preserialized<Answer> {
  return new Preserialized(shared, own, passage);
}

/** What becomes of an answer that comes later: one of both, once. */
export type Settle<Answer = unknown> = {
  readonly answer: (answer: Preserialized<Answer>) => void;
  readonly fail: (error: unknown) => void;
};

/**
 * An answer that is waited for. A handler that returns it is over, so that a request that is held costs what it keeps by itself
 * and no suspended calls, of which V8 moves every one to its old space.
 */
export class LaterAnswer<Answer = unknown> {
  /** Called once; may settle at once. */
  readonly begin: (settle: Settle<Answer>) => void;

  constructor(begin: (settle: Settle<Answer>) => void) {
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

/** What a handler may return for what is declared of its success. */
export type HandlerAnswer<Success extends DeclaredSuccess> = Success extends TObject
  ? Value<Success> | Preserialized<Value<Success>> | LaterAnswer<Value<Success>>
  : Success extends readonly RawResponse[]
    ? RawAnswer | typeof noContent
    : never;

/** What a handler returns, when its type is known no more. */
export type EndpointAnswer =
  | Readonly<Record<string, unknown>>
  | Preserialized
  | RawAnswer
  | LaterAnswer
  | typeof noContent;

export type MaybePromise<Given> = Given | Promise<Given>;

/** A declared endpoint with its handler, as the pipeline uses it. */
export type Implementation<in Context, out Name extends string = string> = {
  readonly endpoint: Endpoint & { readonly name: Name };
  readonly admit: ((context: Context, caller: Caller) => Promise<void>) | undefined;
  readonly handle: (context: Context, request: UntypedRequest) => MaybePromise<EndpointAnswer>;
};

type KeysOf<Wanted> = Wanted extends unknown ? keyof Wanted : never;

type MemberOf<Wanted, Key> = Wanted extends unknown
  ? Key extends keyof Wanted
    ? Wanted[Key]
    : never
  : never;

type ItemOf<Wanted> = Wanted extends readonly (infer Item)[] ? Item : never;

/**
 * The given type, in which members that are not declared, at any depth, have no value: so an answer with a misspelt member does not
 * compile, though TypeScript lets whatever has all that is wanted have more.
 */
type Exactly<Given, Wanted> = unknown extends Wanted
  ? Given
  : Given extends Preserialized | LaterAnswer | RawAnswer | symbol
    ? Given
    : Given extends readonly unknown[]
      ? { readonly [Key in keyof Given]: Exactly<Given[Key], ItemOf<Wanted>> }
      : Given extends object
        ? {
            readonly [Key in keyof Given]: Key extends KeysOf<Wanted>
              ? Exactly<Given[Key], MemberOf<Wanted, Key>>
              : never;
          }
        : Given;

type Members<Success extends DeclaredSuccess> = Success extends TObject ? Value<Success> : unknown;

/**
 * Implements a declared endpoint. Annotate the handler's `context`; everything else is inferred.
 *
 * @param options.admit refuses callers by what the organization says now, before any parameter is read. It may say something else a
 *   moment later, so what has to hold is checked where the change is made.
 */
export function implement<
  Context,
  Name extends string,
  Parameters extends readonly Parameter[],
  Access extends EndpointAccess,
  Success extends DeclaredSuccess,
  Given extends HandlerAnswer<Success>,
>(
  endpoint: Endpoint<Parameters, Access, Success> & { readonly name: Name },
  handler: (
    context: Context,
    request: EndpointRequest<Parameters, Access>,
  ) => MaybePromise<Given & Exactly<Given, Members<Success>>>,
  options: { readonly admit?: (context: Context, caller: Caller) => Promise<void> } = {},
): Implementation<Context, Name> {
  return {
    endpoint,
    admit: options.admit,
    // The parameters were decoded by this very list and the caller checked by this very access.
    handle: (context, request) =>
      handler(context, request as unknown as EndpointRequest<Parameters, Access>),
  };
}
