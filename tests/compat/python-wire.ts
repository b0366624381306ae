/** Requests byte for byte like those of the Python client and of programs that use it (reference facts, clients 2). */
import { checkAnswer, isJsonObject } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';

import { sendRaw } from '../support/send-raw.ts';

/** The output of Python's `json.dumps`: spaces after commas and colons, and only ASCII. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${pythonJson(name)}: ${pythonJson(member)}`,
    );
    return `{${members.join(', ')}}`;
  }
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The output of Python's `urllib.parse.quote_plus`. */
function quotePlus(text: string): string {
  return encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Strings are unchanged, all other values are JSON, and `undefined` (Python's `None`) is omitted. */
export function pythonForm(parameters: JsonObject): string {
  return Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : pythonJson(value);
      return `${quotePlus(name)}=${quotePlus(text)}`;
    })
    .join('&');
}

export type WireAnswer = { readonly status: number; readonly body: JsonObject };

export type WireMethod = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export class PythonWire {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param options.client the first part of the `User-Agent`, `ZulipPython/0.9.1` unless it is another program */
  constructor(options: {
    readonly url: string;
    readonly email?: string;
    readonly apiKey?: string;
    readonly client?: string;
  }) {
    const { url, email, apiKey, client } = options;
    this.#url = url;
    this.#headers = {
      'User-Agent': `${client ?? 'ZulipPython/0.9.1'} (Debian GNU/Linux; 12)`,
      'Accept-Encoding': 'gzip, deflate',
      Accept: '*/*',
      Connection: 'keep-alive',
      ...(email !== undefined && {
        Authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`,
      }),
    };
  }

  get authorization(): string {
    return this.#headers['Authorization'] ?? '';
  }

  /**
   * Sends a request and checks its answer by the rules for all answers.
   *
   * @param path below `/api/v1/`, as on the wire: addresses in it are not encoded
   */
  async send(method: WireMethod, path: string, parameters: JsonObject = {}): Promise<WireAnswer> {
    const form = pythonForm(parameters);
    if (method === 'GET') {
      const query = form === '' ? '' : `?${form}`;
      return this.#exchange(method, `/api/v1/${path}${query}`, {}, undefined);
    }
    const type = form === '' ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' };
    return this.#exchange(method, `/api/v1/${path}`, type, Buffer.from(form, 'latin1'));
  }

  /** Sends a file, in a part that is named after its path. */
  async upload(path: string, filePath: string, content: string): Promise<WireAnswer> {
    const boundary = '3b5d5a1cb1a24d7fb3bd5a3e1e2a9f4c';
    const fileName = filePath.split('/').at(-1);
    const body = `--${boundary}\r\nContent-Disposition: form-data; name="${filePath}"; filename="${fileName}"\r\n\r\n${content}\r\n--${boundary}--\r\n`;
    return this.#exchange(
      'POST',
      `/api/v1/${path}`,
      { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
      Buffer.from(body, 'latin1'),
    );
  }

  /** @throws Error if the request is refused */
  async call(method: WireMethod, path: string, parameters: JsonObject = {}): Promise<JsonObject> {
    const { body } = await this.send(method, path, parameters);
    if (body['result'] !== 'success') throw new Error(`${method} ${path}: ${String(body['msg'])}`);
    return body;
  }

  async #exchange(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer | undefined,
  ): Promise<WireAnswer> {
    const answer = await sendRaw(this.#url, {
      method,
      path,
      headers: { ...this.#headers, ...headers },
      body,
    });
    if (!(answer.headers['content-type'] ?? '').startsWith('application/json'))
      throw new Error(`${method} ${path} answers ${answer.headers['content-type']}`);
    const parsed: unknown = JSON.parse(answer.text);
    checkAnswer(answer.status, parsed);
    return { status: answer.status, body: parsed };
  }
}

/** The loop of `call_on_each_event` (reference facts, clients 3.3), one step at a time. */
export class PythonLoop {
  readonly #wire: PythonWire;
  readonly #register: JsonObject;
  /** The answer to the newest `register`. */
  state: JsonObject = {};
  /** The events of the callback. */
  readonly events: JsonObject[] = [];
  registrations = 0;
  #queueId: string | undefined;
  #lastEventId = -1;

  /** @param register parameters of `register`; without types only those of the caller */
  constructor(wire: PythonWire, register: JsonObject) {
    this.#wire = wire;
    this.#register = register;
  }

  /** Registers if there is no queue, otherwise polls once. */
  async step(): Promise<void> {
    if (this.#queueId === undefined) {
      const state = await this.#wire.call('POST', 'register', this.#register);
      this.state = state;
      this.#queueId = stringAt(state, 'queue_id');
      this.#lastEventId = integerAt(state, 'last_event_id');
      this.registrations += 1;
      return;
    }
    const { body } = await this.#wire.send('GET', 'events', {
      queue_id: this.#queueId,
      last_event_id: this.#lastEventId,
    });
    if (body['result'] === 'error') {
      if (body['code'] === 'BAD_EVENT_QUEUE_ID') this.#queueId = undefined;
      return;
    }
    for (const event of listAt(body, 'events')) {
      this.#lastEventId = Math.max(this.#lastEventId, integerAt(event, 'id'));
      if (stringAt(event, 'type') !== 'heartbeat') this.events.push(event as JsonObject);
    }
  }

  /** @returns the oldest event of a type that was not returned yet, polling until there is one; skips others */
  async next(type: string): Promise<JsonObject> {
    for (;;) {
      const event = this.events.shift();
      if (event === undefined) await this.step();
      else if (event['type'] === type) return event;
    }
  }

  get queueId(): string {
    if (this.#queueId === undefined) throw new Error('there is no queue');
    return this.#queueId;
  }
}

/** Python's error for a missing key. */
class KeyError extends Error {
  override readonly name = 'KeyError';
}

/** Indexes like Python. */
export function at(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`not an object, of which ${key} is asked`);
  if (!Object.hasOwn(value, key)) throw new KeyError(key);
  return (value as JsonObject)[key];
}

function typed<Type>(value: unknown, key: string, isIt: (found: unknown) => found is Type): Type {
  const found = at(value, key);
  if (!isIt(found)) throw new TypeError(`${key} is ${JSON.stringify(found)}`);
  return found;
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

export function stringAt(value: unknown, key: string): string {
  return typed(value, key, (found) => typeof found === 'string');
}

export function integerAt(value: unknown, key: string): number {
  return typed(value, key, isInteger);
}

export function listAt(value: unknown, key: string): readonly unknown[] {
  return typed(value, key, (found): found is unknown[] => Array.isArray(found));
}

export function objectAt(value: unknown, key: string): JsonObject {
  return typed(value, key, isJsonObject);
}
