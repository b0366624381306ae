import { Agent, request as startRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

import { checkAnswer } from './answer-checks.ts';
import type { JsonObject } from './answer-checks.ts';
import { answerDocument } from './answer-document.ts';
import { isWatched } from './watched-ports.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Parameters of a request: strings are sent unchanged, undefined is omitted, all other values are sent as JSON. */
export type Parameters = Readonly<Record<string, unknown>>;

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
};

export type RawAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

export type RequestOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The time limit of the whole answer (default 75 s: a held poll is answered within 55 s). */
  readonly deadlineMs?: number;
};

/** The server refused a request; `body` is its answer. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly status: number;
  readonly body: JsonObject;

  constructor(method: Method, path: string, answer: Answer) {
    super(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    this.status = answer.status;
    this.body = answer.body;
  }

  get code(): unknown {
    return this.body['code'];
  }
}

// One pool of connections for all clients of a process; polls occupy theirs, so their number has no bound.
const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 1_000 });

const requestDeadlineMs = 75_000;

/**
 * A caller of the interface: Basic authentication, form encoding, and checks of every answer with the OpenAPI document
 * (`answer-document.ts`) and with the rules that it cannot express (`answer-checks.ts`). Requests use the given gateways in turn.
 */
export class ApiClient {
  readonly email: string | undefined;
  readonly apiKey: string | undefined;
  readonly urls: readonly string[];
  readonly #userAgent: string;
  #turn = 0;

  /**
   * @param options.urls base addresses of gateways, without `/api/v1`
   * @param options.email with `apiKey` the credentials; without them requests have no account
   */
  constructor(options: {
    readonly urls: readonly string[];
    readonly email?: string;
    readonly apiKey?: string;
    readonly userAgent?: string;
  }) {
    if (options.urls.length === 0) throw new Error('a client needs the address of a gateway');
    this.urls = options.urls;
    this.email = options.email;
    this.apiKey = options.apiKey;
    this.#userAgent = options.userAgent ?? 'ParleyTest/1.0';
  }

  /**
   * Makes a request and checks its answer, success or refusal.
   *
   * @param path below `/api/v1`, with or without a leading slash
   * @throws BadAnswer if the answer breaks a rule for all answers
   * @throws Error if there is no answer
   */
  async request(
    method: Method,
    path: string,
    parameters: Parameters = {},
    options: RequestOptions = {},
  ): Promise<Answer> {
    const answer = await this.#send(method, path, parameters, options);
    const { status, headers, text } = answer;
    const place = `${method} ${path}: ${status} ${text.slice(0, 500)}`;
    if (!(headers['content-type'] ?? '').startsWith('application/json'))
      throw new Error(`content type ${headers['content-type']} of ${place}`);
    let body: unknown;
    try {
      body = JSON.parse(text);
      this.#checkAgainstDocument(method, path, parameters, answer);
      checkAnswer(status, body);
    } catch (error) {
      throw new Error(`bad answer to ${place}: ${(error as Error).message}`, { cause: error });
    }
    return { status, headers, body };
  }

  /**
   * Makes a request that must succeed.
   *
   * @returns the answer's object
   * @throws RefusedRequest if the server refuses it; see `request` for the rest
   */
  async call(
    method: Method,
    path: string,
    parameters: Parameters = {},
    options: RequestOptions = {},
  ): Promise<JsonObject> {
    const answer = await this.request(method, path, parameters, options);
    if (answer.body['result'] !== 'success') throw new RefusedRequest(method, path, answer);
    return answer.body;
  }

  get(path: string, parameters: Parameters = {}, options?: RequestOptions): Promise<JsonObject> {
    return this.call('GET', path, parameters, options);
  }

  post(path: string, parameters: Parameters = {}, options?: RequestOptions): Promise<JsonObject> {
    return this.call('POST', path, parameters, options);
  }

  patch(path: string, parameters: Parameters = {}, options?: RequestOptions): Promise<JsonObject> {
    return this.call('PATCH', path, parameters, options);
  }

  put(path: string, parameters: Parameters = {}, options?: RequestOptions): Promise<JsonObject> {
    return this.call('PUT', path, parameters, options);
  }

  delete(path: string, parameters: Parameters = {}, options?: RequestOptions): Promise<JsonObject> {
    return this.call('DELETE', path, parameters, options);
  }

  /**
   * Sends a message to a stream.
   *
   * @returns its id
   */
  async sendToStream(stream: string, topic: string, content: string): Promise<number> {
    const body = await this.post('messages', {
      type: 'stream',
      to: stream,
      subject: topic,
      content,
    });
    return body['id'] as number;
  }

  /**
   * Sends a private message.
   *
   * @returns its id
   */
  async sendPrivately(
    people: readonly string[] | readonly number[],
    content: string,
  ): Promise<number> {
    const body = await this.post('messages', { type: 'private', to: people, content });
    return body['id'] as number;
  }

  /** Subscribes the caller, or the people in the parameters, to a stream, which is created if there is none. */
  subscribe(name: string, parameters: Parameters = {}): Promise<JsonObject> {
    return this.post('users/me/subscriptions', { subscriptions: [{ name }], ...parameters });
  }

  /** Lets the caller, or the people in the parameters, leave a stream. */
  unsubscribe(name: string, parameters: Parameters = {}): Promise<JsonObject> {
    return this.delete('users/me/subscriptions', { subscriptions: [name], ...parameters });
  }

  /** @returns the id of a stream that the caller may know */
  async streamId(name: string): Promise<number> {
    return Number((await this.get('get_stream_id', { stream: name }))['stream_id']);
  }

  /** Adds a flag to messages of the caller, or removes it. */
  flag(
    messages: readonly number[],
    flag: string,
    op: 'add' | 'remove' = 'add',
  ): Promise<JsonObject> {
    return this.post('messages/flags', { messages, op, flag });
  }

  /**
   * Makes a request and compares its answer with the OpenAPI document only.
   *
   * @throws BadAnswer if it deviates from the document
   */
  async withoutChecks(
    method: Method,
    path: string,
    parameters: Parameters = {},
    options: RequestOptions = {},
  ): Promise<RawAnswer> {
    const answer = await this.#send(method, path, parameters, options);
    this.#checkAgainstDocument(method, path, parameters, answer);
    return answer;
  }

  #send(
    method: Method,
    path: string,
    parameters: Parameters,
    options: RequestOptions,
  ): Promise<RawAnswer> {
    const form = encodeForm(parameters);
    const base = this.urls[this.#turn++ % this.urls.length];
    const url = new URL(`/api/v1/${path.replace(/^\//, '')}`, base);
    const hasBody = method !== 'GET';
    if (!hasBody) for (const [name, value] of form) url.searchParams.append(name, value);
    const body = hasBody ? form.toString() : '';
    const deadline = AbortSignal.timeout(options.deadlineMs ?? requestDeadlineMs);
    const signal =
      options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]);
    return new Promise((resolve, reject) => {
      const sent = startRequest(
        url,
        {
          method,
          agent,
          signal,
          headers: {
            'user-agent': this.#userAgent,
            ...this.credentials,
            ...(hasBody
              ? {
                  'content-type': 'application/x-www-form-urlencoded',
                  'content-length': String(Buffer.byteLength(body)),
                }
              : {}),
            ...options.headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  #checkAgainstDocument(
    method: Method,
    path: string,
    parameters: Parameters,
    answer: RawAnswer,
  ): void {
    if (this.urls.every((url) => isWatched(new URL(url)))) return;
    const namedMethod = method === 'POST' ? parameters['method'] : undefined;
    answerDocument().check({
      ...answer,
      method,
      // In the form on the wire, because dots in a path can leave the interface.
      path: new URL(`/api/v1/${path.replace(/^\//, '')}`, 'http://host').pathname,
      ...(typeof namedMethod === 'string' && { namedMethod }),
    });
  }

  /** The headers that say who the caller is. */
  get credentials(): Readonly<Record<string, string>> {
    if (this.email === undefined || this.apiKey === undefined) return {};
    const credentials = Buffer.from(`${this.email}:${this.apiKey}`).toString('base64');
    return { authorization: `Basic ${credentials}` };
  }
}

function encodeForm(parameters: Parameters): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return form;
}
