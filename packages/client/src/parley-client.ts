import { pause, pauseAfter } from './back-off.ts';
import { encodeRequest, rootOf } from './encode-request.ts';
import { ApiError, NoAnswerError } from './errors.ts';
import { EventStream } from './event-stream.ts';
import type { EventsOptions } from './event-stream.ts';
import type {
  AnswerOf,
  AnyRefusal,
  OperationName,
  ParametersOf,
  RefusalOf,
} from './operation-types.ts';
import type { RequestArguments, RequestOptions, Requests } from './request-options.ts';

/** The differences between a page in a browser and a separate program. */

function pageOrigin(): string | undefined {
  const { location } = globalThis as { readonly location?: { readonly origin?: unknown } };
  return typeof location?.origin === 'string' ? location.origin : undefined;
}

/** Browsers set their own name, and ask the server before they send a header of a page. */
function isInBrowser(): boolean {
  return pageOrigin() !== undefined;
}

/** Whether requests to the server go to another origin, which accepts no further headers from a page. */
function isOtherOrigin(root: string): boolean {
  const origin = pageOrigin();
  return origin !== undefined && origin !== new URL(root).origin;
}

export type ClientOptions = {
  /** The address of the server, for example `https://chat.example.com`. */
  readonly site: string;
  /** With `apiKey` the credentials; without them requests have no account. */
  readonly email?: string;
  readonly apiKey?: string;
  /** The beginning of the `User-Agent`, from which the server takes the client name of a message. Browsers send their own. */
  readonly userAgent?: string;
  /** The time limit of one attempt, in milliseconds (default 30 s). */
  readonly timeoutMs?: number;
  /** The most repeats of a request that may be repeated (default 4). */
  readonly repeatsMax?: number;
  /** Replaces the runtime's `fetch`. */
  readonly fetch?: typeof fetch;
};

const defaultTimeoutMs = 30_000;
const defaultRepeatsMax = 4;

/** Nothing is repeated later, as after a sleep of the machine: the server forgets keys after a day. */
const repeatedWithinMs = 3_600_000;

/** Statuses of proxies between client and server, which did not pass the request on: it may be repeated. */
const gatewayFaults: ReadonlySet<number> = new Set([502, 503, 504]);

/** Half of each number, and at least one message where there was to be one. */
function withFewerMessages(
  parameters: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const half = (name: string): number => Math.ceil(Number(parameters[name]) / 2);
  return { ...parameters, num_before: half('num_before'), num_after: half('num_after') };
}

function isRefusal(body: unknown): body is AnyRefusal {
  return (
    typeof body === 'object' &&
    body !== null &&
    'result' in body &&
    body.result === 'error' &&
    'msg' in body &&
    typeof body.msg === 'string'
  );
}

function isAnswer(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'result' in body && body.result === 'success';
}

function retryAfterOf(response: Response, body: unknown): number | undefined {
  const header = Number(response.headers.get('retry-after') ?? Number.NaN);
  // Pages of other origins cannot read the header.
  const member =
    typeof body === 'object' && body !== null && 'retry-after' in body
      ? Number(body['retry-after'])
      : Number.NaN;
  return [member, header].find((secs) => Number.isFinite(secs) && secs >= 0);
}

function encodeBase64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}

/** A caller of a Parley server. It calls all operations of the interface by their names, see {@link ParleyClient.request}. */
export class ParleyClient implements Requests {
  readonly #root: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #options: ClientOptions;

  /** @throws TypeError if the site is not an address */
  constructor(options: ClientOptions) {
    this.#options = options;
    this.#root = rootOf(options.site);
    const { email, apiKey, userAgent } = options;
    this.#headers = {
      ...(email !== undefined &&
        apiKey !== undefined && { Authorization: `Basic ${encodeBase64(`${email}:${apiKey}`)}` }),
      ...(!isInBrowser() && { 'User-Agent': `${userAgent ?? 'ParleyClient'}/0.1` }),
    };
  }

  /**
   * Creates a client with the API key of an address and a password (contract, Fetch an API key).
   *
   * @throws ApiError if they are wrong, or login by password is not allowed
   * @throws NoAnswerError as for `request`
   */
  static async logIn(
    options: Omit<ClientOptions, 'apiKey' | 'email'> & {
      readonly username: string;
      readonly password: string;
    },
  ): Promise<ParleyClient> {
    const { username, password, ...rest } = options;
    const { email, api_key: apiKey } = await new ParleyClient(rest).request('POST /fetch_api_key', {
      username,
      password,
    });
    return new ParleyClient({ ...rest, email, apiKey });
  }

  /**
   * Calls an operation, for example `request('POST /messages', { type: 'stream', to: 'general', topic: 'x', content: 'hi' })`.
   * Parameters of the path are given with the others, files as `Blob` or `File`.
   *
   * After a refusal for too many requests (429) it waits as long as the server asks for, and repeats the request. If there was no
   * answer, or the server was away (502, 503, 504), it repeats a GET, and any request with an `idempotencyKey`. A repeated `GET /messages`
   * asks for half as many messages, because so many may have been too much for the server; `found_oldest` and `found_newest` say whether
   * there are more.
   *
   * @returns the answer's object; the whole `Response` if an operation's answer is not JSON
   * @throws ApiError if the server refuses
   * @throws NoAnswerError if there is no answer, or an invalid one
   */
  async request<Name extends OperationName>(
    operation: Name,
    ...[parameters, options]: RequestArguments<Name>
  ): Promise<AnswerOf<Name>> {
    const given = { ...options };
    const repeatsMax = given.repeatsMax ?? this.#options.repeatsMax ?? defaultRepeatsMax;
    const idempotencyKey = given.idempotencyKey ?? this.#keyFor(operation);
    const isRepeatable = operation.startsWith('GET ') || idempotencyKey !== undefined;
    let asked: Readonly<Record<string, unknown>> = { ...parameters };
    const beganAtMs = Date.now();
    for (let failures = 1; ; failures += 1) {
      try {
        const request = encodeRequest(this.#root, operation, asked);
        return await this.#attempt(operation, request, { ...given, idempotencyKey });
      } catch (error) {
        given.signal?.throwIfAborted();
        if (!(error instanceof ApiError || error instanceof NoAnswerError)) throw error;
        const wasNotTaken = error.status === 429;
        const isPassing = error.status === undefined || gatewayFaults.has(error.status);
        if (failures > repeatsMax || !(wasNotTaken || (isPassing && isRepeatable))) throw error;
        if (operation === 'GET /messages' && !wasNotTaken) asked = withFewerMessages(asked);
        await pause(pauseAfter(failures, error.retryAfterSecs), given.signal);
        given.signal?.throwIfAborted();
        if (Date.now() - beganAtMs > repeatedWithinMs) throw error;
      }
    }
  }

  /**
   * Calls an operation as `request` does, but returns a refusal as a value: `result` distinguishes it from an answer, and its `code` is one
   * of those that this operation declares or that any operation may answer.
   *
   * @throws NoAnswerError if there is no answer, or an invalid one
   */
  async attempt<Name extends OperationName>(
    operation: Name,
    ...rest: RequestArguments<Name>
  ): Promise<AnswerOf<Name> | RefusalOf<Name>> {
    try {
      return await this.request(operation, ...rest);
    } catch (error) {
      // The refusals of an operation are those of its declaration, as the server's own tests ensure.
      if (error instanceof ApiError) return error.body as RefusalOf<Name>;
      throw error;
    }
  }

  /**
   * Follows events: `for await (const event of client.events({ event_types: ['message'] }))`. See {@link EventStream} for its guarantees.
   *
   * @param parameters those of `register`
   */
  events(
    parameters: ParametersOf<'POST /register'> = {},
    options: EventsOptions = {},
  ): EventStream {
    return new EventStream(this, parameters, options);
  }

  /** A separate key for each send, the same for its repeats (contract, Send a message). */
  #keyFor(operation: OperationName): string | undefined {
    if (operation !== 'POST /messages' || isOtherOrigin(this.#root)) return undefined;
    return crypto.randomUUID();
  }

  async #attempt<Name extends OperationName>(
    operation: Name,
    { url, method, body, contentType }: ReturnType<typeof encodeRequest>,
    options: Omit<RequestOptions, 'idempotencyKey'> & { idempotencyKey: string | undefined },
  ): Promise<AnswerOf<Name>> {
    const deadline = AbortSignal.timeout(
      options.timeoutMs ?? this.#options.timeoutMs ?? defaultTimeoutMs,
    );
    const { signal } = options;
    const send = this.#options.fetch ?? fetch;
    let response: Response;
    let text: string;
    try {
      response = await send(url, {
        method,
        body: body ?? null,
        signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
        headers: {
          ...options.headers,
          ...this.#headers,
          ...(contentType !== undefined && { 'Content-Type': contentType }),
          ...(options.idempotencyKey !== undefined && {
            'Idempotency-Key': options.idempotencyKey,
          }),
        },
      });
      const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
      // The declarations decide which operations answer a success with something other than JSON.
      if (response.ok && !isJson) return response;
      text = await response.text();
    } catch (cause) {
      const wasLate = deadline.aborted && signal?.aborted !== true;
      throw new NoAnswerError(operation, wasLate ? 'no answer in time' : 'no answer', { cause });
    }
    return readAnswer(operation, response, text);
  }
}

function readAnswer<Name extends OperationName>(
  operation: Name,
  response: Response,
  text: string,
): AnswerOf<Name> {
  const { status } = response;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const retryAfterSecs = retryAfterOf(response, body);
  if (isRefusal(body)) throw new ApiError(operation, { status, body, retryAfterSecs });
  if (!response.ok || !isAnswer(body))
    throw new NoAnswerError(operation, `an answer of status ${status} that is not the server's`, {
      status,
      retryAfterSecs,
    });
  // The server's own tests ensure the answer's form.
  return body as AnswerOf<Name>;
}
