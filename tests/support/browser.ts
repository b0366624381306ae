import { request as sendRequest } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import type { JsonObject } from '@parley/test-kit';

export type BrowserAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: JsonObject;
};

export type BrowserRequestOptions = {
  readonly form?: Readonly<Record<string, string>>;
  /** Besides those of a page of the server; undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
};

/** Posts what asks for a sign-in of a moment ago, at a development server. */
export async function postFreshly(
  url: string,
  email: string,
  path: string,
  form: Readonly<Record<string, string>> = {},
): Promise<JsonObject> {
  const browser = new Browser(url);
  await browser.signIn(email);
  const { status, body, text } = await browser.call('POST', path, { form });
  if (status !== 200) throw new Error(`${path}: ${text}`);
  return body;
}

/** A page of the server in a browser, with the cookie jar of the server's host. */
export class Browser {
  /** The address of a gateway; a browser may come to another one with each request. */
  url: string;
  /** What the browser sends as `Cookie`; undefined if it has none. */
  cookie: string | undefined;
  /** By which it is known where it signed somebody in. */
  #device: string | undefined;
  /** The last `Set-Cookie` of a session, or of a sign-in that began. */
  setCookie: string | undefined;

  constructor(url: string, cookie?: string) {
    this.url = url;
    this.cookie = cookie;
  }

  /** Calls the interface, or with a leading slash any path. */
  async call(
    method: string,
    path: string,
    options: BrowserRequestOptions = {},
  ): Promise<BrowserAnswer> {
    const answer = await this.open(method, path, options);
    answer.setEncoding('utf8');
    let text = '';
    for await (const part of answer) text += String(part);
    const isJson = answer.headers['content-type'] === 'application/json' && text !== '';
    return {
      status: answer.statusCode ?? 0,
      headers: answer.headers,
      text,
      body: isJson ? (JSON.parse(text) as JsonObject) : {},
    };
  }

  /** Sends a request whose answer is read by the caller. */
  async open(
    method: string,
    path: string,
    { form, headers = {} }: BrowserRequestOptions = {},
  ): Promise<IncomingMessage> {
    const body = form === undefined ? '' : new URLSearchParams(form).toString();
    const cookies = [this.cookie, this.#device].filter((cookie) => cookie !== undefined);
    const all = {
      'sec-fetch-site': 'same-origin',
      ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
      ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(method !== 'GET' && { 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    };
    const sent = sendRequest(new URL(path.startsWith('/') ? path : `/api/v1/${path}`, this.url), {
      method,
      agent: false,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
    });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.end(body);
    const answer = await promise;
    for (const cookie of answer.headers['set-cookie'] ?? []) this.#keepCookie(cookie);
    return answer;
  }

  /** Signs in. A development server needs no password. */
  async signIn(username: string, password?: string): Promise<BrowserAnswer> {
    return this.call('POST', 'sessions', {
      form: { username, ...(password !== undefined && { password }) },
    });
  }

  #keepCookie(setCookie: string): void {
    if (setCookie.includes('parley-device')) {
      [this.#device] = setCookie.split(';');
      return;
    }
    this.setCookie = setCookie;
    this.cookie = setCookie.includes('Max-Age=0') ? undefined : setCookie.split(';')[0];
  }
}
