/** A page of the server in a browser that signs in by OpenID providers: it has a jar of several cookies, and comes to each gateway in turn. */
import type { JsonObject } from '@parley/test-kit';

import { Browser } from './browser.ts';
import type { BrowserAnswer, BrowserRequestOptions } from './browser.ts';
import type { OpenIdServer } from './openid-server.ts';

/** Of the clusters of tests. */
export const publicUrl = 'http://127.0.0.1:9991';

export function redirectUriOf(providerId: string): string {
  return `${publicUrl}/sso/${providerId}/callback`;
}

export class SignOnBrowser {
  readonly #urls: readonly string[];
  readonly #jar: Map<string, string>;
  #turn = 0;

  constructor(urls: readonly string[], cookies = '') {
    this.#urls = urls;
    this.#jar = new Map(
      cookies
        .split('; ')
        .filter((pair) => pair !== '')
        .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    );
  }

  /** As the header `Cookie`. */
  get cookies(): string {
    return Array.from(this.#jar, ([name, value]) => `${name}=${value}`).join('; ');
  }

  async call(
    method: string,
    path: string,
    options: BrowserRequestOptions = {},
  ): Promise<BrowserAnswer> {
    this.#turn += 1;
    const { cookies } = this;
    const url = this.#urls[this.#turn % this.#urls.length] ?? '';
    const browser = new Browser(url, cookies === '' ? undefined : cookies);
    const answer = await browser.call(method, path, options);
    for (const cookie of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (cookie.includes('Max-Age=0')) this.#jar.delete(name);
      else this.#jar.set(name, value);
    }
    return answer;
  }

  /** @param token of a link to join */
  begin(
    provider: string,
    headers: BrowserRequestOptions['headers'] = {},
    token?: string,
  ): Promise<BrowserAnswer> {
    const form = { provider, ...(token !== undefined && { token }) };
    return this.call('POST', 'sso/start', { form, headers });
  }

  finish(
    provider: string,
    answer: string,
    headers: BrowserRequestOptions['headers'] = {},
  ): Promise<BrowserAnswer> {
    return this.call('POST', 'sso/finish', { form: { provider, answer }, headers });
  }

  /**
   * Signs in as a person at a provider; the last answer is the one of the server.
   *
   * @param token of a link to join
   */
  async signInAt(
    server: OpenIdServer,
    provider: string,
    person: string | null,
    token?: string,
  ): Promise<{ readonly status: number; readonly body: JsonObject }> {
    const begun = await this.begin(provider, {}, token);
    if (begun.status !== 200) return begun;
    server.person = person;
    const returned = await server.visit(String(begun.body['url']));
    return this.finish(provider, returned.search.slice(1));
  }
}
