import type { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';

import type {
  Caller,
  DecodedParameters,
  DeclaredSuccess,
  Endpoint,
  EndpointAccess,
  FormValues,
  HangUpSignal,
  Parameter,
  RawResponse,
} from '@parley/api';
import type { Value } from '@parley/api/schema';
import { joined, textOf } from './links/index.ts';
import type { LinkBody } from './links/index.ts';
import type { TObject } from 'typebox';

import type { FormFile } from './form-files.ts';
import type { ReceiveFile } from './receive-file.ts';

/** The parts of a request that a handler gets besides parameters and caller. */
export type RequestFacts = {
  /** The name of the sending client (reference facts, messages 3.6), at most 30 code points. */
  readonly clientName: string;
  readonly requestId: string;
  /** Aborted when the client hangs up, and when the server must close the connection. */
  readonly signal: HangUpSignal;
  /** The raw text of any parameter, declared or not; the body wins over the query, and the last value counts. */
  readonly rawText: (name: string) => string | undefined;
  /** Whether the client accepts gzip; known only if the endpoint declares `compresses`. */
  readonly takesGzip: boolean;
  /** Whether the client gets headers alone (HEAD). */
  readonly isHead: boolean;
  /** A request header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** Adds headers to the answer. */
  readonly addHeaders: (headers: Readonly<Record<string, string>>) => void;
  /** For an endpoint that opens a session: the caller by the session that the browser sent, which the new one replaces. */
  readonly replacedCaller: Caller | undefined;
  /** The fields of the query, declared or not. */
  readonly query: FormValues;
  /** Reads the small files of a multipart body besides its fields; not for endpoints whose file is streamed. */
  readonly formFiles: () => Promise<FormFile[]>;
  /** Receives the one file of the body; only for endpoints whose file is streamed. */
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

/** What intermediaries may do with an answer: compress it; nothing, because it contains a key; or nothing, because it is already gzip. */
export type Passage = 'any' | 'untouched' | 'gzip';

/** A complete JSON text of an answer with its envelope, written unchanged, for hot paths. A test compares it with the schema. */
export class Preserialized<Answer = unknown> {
  /** The beginning that answers to other requests share; empty if unknown. */
  readonly shared: string;
  readonly own: LinkBody;
  readonly passage: Passage;
  /** The type of the text's value; it has no value at run time. */
  declare readonly answer: Answer;

  constructor(shared: string, own: LinkBody, passage: Passage = 'any') {
    this.shared = shared;
    this.own = own;
    this.passage = passage;
  }

  /** The body for the client. */
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
 * @param text the whole answer, `{"result":"success","msg":"",…}`, or its bytes, which must not change afterwards
 * @param passage `gzip` if the bytes are compressed; only clients that accept gzip may get them
 */
export function preserialized<Answer>(
  text: LinkBody,
  passage: Passage = 'any',
): Preserialized<Answer> {
  return new Preserialized('', text, passage);
}

/**
 * An answer with a part that many requests of one moment share.
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

/** Settles a later answer: one of the two is called, once. */
export type Settle<Answer = unknown> = {
  readonly answer: (answer: Preserialized<Answer>) => void;
  readonly fail: (error: unknown) => void;
};

/**
 * An answer that comes later. The handler that returns it has ended, so a held request costs no suspended calls, each of which V8 would
 * move to its old space.
 */
export class LaterAnswer<Answer = unknown> {
  /** Called once; may settle at once. */
  readonly begin: (settle: Settle<Answer>) => void;

  constructor(begin: (settle: Settle<Answer>) => void) {
    this.begin = begin;
  }
}

/** Receives the parts of a streamed answer. */
export type StreamWriter = {
  /**
   * Sends a part.
   *
   * @param text the same string for all streams that get the same
   * @param isFull whether more is waiting already; it must wait until the client has taken this part
   * @param onTaken called once when the client has taken this part, if this returned false
   * @returns whether the next part may come at once; otherwise it may come when `onTaken` is called
   */
  readonly write: (text: string, isFull: boolean, onTaken: () => void) => boolean;
  /** Ends the answer. Called once, also if the client is gone. */
  readonly end: (lastWords: string) => void;
};

/** An answer that continues until either side ends it. Its handler has ended, as for a `LaterAnswer`. */
export class StreamedAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** Called once; the first part may come at once. */
  readonly begin: (writer: StreamWriter) => void;

  /** @param headers with the Content-Type */
  constructor(headers: Readonly<Record<string, string>>, begin: (writer: StreamWriter) => void) {
    this.headers = headers;
    this.begin = begin;
  }
}

/** The result of a handler for an answer without a body, status 204. */
export const noContent: unique symbol = Symbol('no content');

/** An answer that is not JSON: a file, a page, a redirect. A HEAD request gets only its headers. */
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
 * @param headers with the Content-Type and, for a stream, its length, so that a broken answer is noticed
 * @param body a stream is destroyed when the client hangs up, and when it is not sent
 */
export function rawAnswer(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Readable = '',
): RawAnswer {
  return new RawAnswer(status, headers, body);
}

/** The permitted results of a handler for its declared success. */
export type HandlerAnswer<Success extends DeclaredSuccess> = Success extends TObject
  ? Value<Success> | Preserialized<Value<Success>> | LaterAnswer<Value<Success>>
  : Success extends readonly RawResponse[]
    ? RawAnswer | StreamedAnswer | typeof noContent
    : never;

/** The result of a handler whose type is no longer known. */
export type EndpointAnswer =
  | Readonly<Record<string, unknown>>
  | Preserialized
  | RawAnswer
  | LaterAnswer
  | StreamedAnswer
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
 * The given type, but undeclared members at any depth have type never. So an answer with a misspelt member does not compile, although
 * TypeScript normally permits additional members.
 */
type Exactly<Given, Wanted> = unknown extends Wanted
  ? Given
  : Given extends Preserialized | LaterAnswer | RawAnswer | StreamedAnswer | symbol
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
 * @param options.admit refuses callers by the organization's current settings, before any parameter is read. Settings may change a moment
 *   later, so anything that must hold is checked again where the change is made.
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
    // The parameters were decoded by this list and the caller checked by this access.
    handle: (context, request) =>
      handler(context, request as unknown as EndpointRequest<Parameters, Access>),
  };
}
