/** A real OpenID provider, at which a test chooses who signs in, and which it can make fail. */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

import { Provider } from 'oidc-provider';
import type { AccountClaims, ClientMetadata } from 'oidc-provider';

export const openIdClient = { id: 'parley', secret: 'the secret of the client at the provider' };

export type OpenIdServerOptions = {
  readonly redirectUris: readonly string[];
  readonly returnTo: string;
};

type Claims = Omit<AccountClaims, 'sub'>;

function clientOf({ redirectUris, returnTo }: OpenIdServerOptions): ClientMetadata {
  return {
    client_id: openIdClient.id,
    client_secret: openIdClient.secret,
    redirect_uris: [...redirectUris],
    post_logout_redirect_uris: [returnTo],
  };
}

export class OpenIdServer {
  /** Who signs in next, by the name that the provider gives them; null for somebody who declines. */
  person: string | null = 'nobody';
  /** What the provider says of people. */
  readonly claims = new Map<string, Claims>();
  /** Answers a request instead of the provider, if it returns true. May be replaced at any time. */
  atRequest: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  /** Paths that were requested. */
  readonly requests: string[] = [];
  readonly issuer: string;
  readonly #server: Server;
  readonly #provider: Provider;

  private constructor(server: Server, options: OpenIdServerOptions) {
    const { port } = server.address() as AddressInfo;
    this.#server = server;
    this.issuer = `http://127.0.0.1:${port}`;
    this.#provider = new Provider(this.issuer, {
      clients: [clientOf(options)],
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['name'],
        groups: ['groups'],
      },
      cookies: { keys: ['a key of cookies'] },
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: {
          // The library's own page loads a font from elsewhere.
          logoutSource: (ctx, form) => {
            ctx.body = `<!doctype html><title>Sign out</title>${form}
              <button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>`;
          },
        },
      },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      pkce: { required: () => true },
      findAccount: (_ctx, sub) => ({
        accountId: sub,
        claims: () => ({ sub, ...this.claims.get(sub) }),
      }),
    });
    const answer = this.#provider.callback();
    server.on('request', (request, response) => {
      const path = request.url ?? '';
      this.requests.push(path);
      if (this.atRequest(request, response)) return;
      if (path.startsWith('/interaction/')) void this.#interact(request, response);
      else void answer(request, response);
    });
  }

  static async start(options: OpenIdServerOptions): Promise<OpenIdServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new OpenIdServer(server, options);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Follows a browser through the provider. @returns the address where it sends the browser back */
  async visit(address: string): Promise<URL> {
    const cookies = new Map<string, string>();
    let url = new URL(address);
    while (url.origin === this.issuer) {
      const answer = await fetch(url, {
        redirect: 'manual',
        headers: { cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ') },
      });
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      const location = answer.headers.get('location');
      if (location === null)
        throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
      url = new URL(location, url);
    }
    return url;
  }

  /** Everybody signs in and consents at once. */
  async #interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { person } = this;
    if (person === null) {
      await this.#provider.interactionFinished(request, response, {
        error: 'access_denied',
        error_description: 'the person declined',
      });
      return;
    }
    const { params } = await this.#provider.interactionDetails(request, response);
    const grant = new this.#provider.Grant({
      accountId: person,
      clientId: String(params['client_id']),
    });
    grant.addOIDCScope(String(params['scope']));
    await this.#provider.interactionFinished(request, response, {
      login: { accountId: person },
      consent: { grantId: await grant.save() },
    });
  }
}
