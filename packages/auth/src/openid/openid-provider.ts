/** A relying party of OpenID Connect, with the authorization code flow, PKCE, state and nonce (decision 0051). */
import { deadline } from '@parley/clock';
import type { Clock } from '@parley/clock';
import type { IdentityProviderConfig } from '@parley/config';
import * as openid from 'openid-client';

import { findUnavailable, ProviderAnswerFault, ProviderUnavailable } from './provider-faults.ts';
import { ProviderLine } from './provider-line.ts';

/** Descriptions and keys of providers have a few kilobytes. */
const answerMaxBytes = 1024 * 1024;

async function readBounded(answer: Response): Promise<Blob> {
  const parts: BlobPart[] = [];
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.byteLength;
    if (bytes > answerMaxBytes) throw new ProviderUnavailable('an answer is too large');
    parts.push(part);
  }
  return new Blob(parts);
}

/**
 * Sends a request to a provider, whose address the operator chose, and reads its whole answer. No redirect is followed.
 *
 * @param options.signal bounds the time of both
 * @throws ProviderUnavailable if there is no answer, or one that is too large or says that the server has a fault
 */
async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const { host } = new URL(url);
  try {
    const answer = await fetch(url, { ...options, redirect: 'manual' });
    if (answer.status >= 500) {
      await answer.body?.cancel();
      throw new ProviderUnavailable(`it answered ${answer.status}`);
    }
    const hasBody = ![204, 205, 304].includes(answer.status);
    const body = await readBounded(answer);
    return new Response(hasBody ? body : null, { status: answer.status, headers: answer.headers });
  } catch (error) {
    throw new ProviderUnavailable(`${host} gave no answer`, { cause: error });
  }
}

/** What only the browser that begins a sign-in can know. */
export type SignInAttempt = {
  /** Where the provider sends the browser back. */
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636). */
  readonly codeVerifier: string;
};

export type Answer = SignInAttempt & {
  /** The query with which the browser came back, without its question mark. */
  readonly query: string;
};

/** Whom a provider signed in. */
export type ProvidedIdentity = {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
  /** The provider's own word. */
  readonly isEmailVerified: boolean;
  readonly fullName: string | undefined;
  /** Names of groups; empty if it named none, or none are asked for. */
  readonly groups: readonly string[];
  /** Shown to the provider again when the person signs out. */
  readonly idToken: string;
};

/** The longest wait for one answer of a provider. */
const answerTimeoutMs = 4_000;
const workTimeoutMs = 10_000;
const atOnceMax = 16;
const waitingMax = 200;
/** For how long a provider's description of itself is used. */
const describedForMs = 3_600_000;
/** A provider that did not describe itself is left alone for this time. */
const leftAloneMs = 5_000;
const clockToleranceSecs = 30;
/** The length is of OpenID Connect Core 1.0, 2. The database stores no NUL, and would take two broken texts for the same one. */
const subjectForm = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

type Claims = Readonly<Record<string, unknown>>;

function textIn(claims: Claims, name: string): string | undefined {
  const value = claims[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Some providers write the answer as a text or a number. */
function isYes(value: unknown): boolean {
  return value === true || value === 'true' || value === 1 || value === '1';
}

function groupsIn(claims: Claims, name: string | undefined): string[] {
  const value = name === undefined ? undefined : claims[name];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((group) => typeof group === 'string');
}

export class OpenIdProvider {
  readonly config: IdentityProviderConfig;
  readonly #clock: Clock;
  readonly #line: ProviderLine;
  #described: { readonly client: openid.Configuration; readonly atMs: number } | undefined;
  #describing: Promise<openid.Configuration> | undefined;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(config: IdentityProviderConfig, clock: Clock) {
    this.config = config;
    this.#clock = clock;
    this.#line = new ProviderLine(atOnceMax, waitingMax, clock);
  }

  /**
   * The address where a person signs in.
   *
   * @throws ProviderUnavailable
   */
  async addressFor(attempt: SignInAttempt): Promise<string> {
    return this.#run(async (client) => {
      const url = openid.buildAuthorizationUrl(client, {
        redirect_uri: attempt.redirectUri,
        scope: this.config.scopes,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(attempt.codeVerifier),
        code_challenge_method: 'S256',
      });
      return url.href;
    });
  }

  /**
   * Finds out whom the provider signed in. The code in the answer works once.
   *
   * @throws ProviderUnavailable, or ProviderAnswerFault if the answer is a refusal, is not for this attempt, or is not signed by the provider
   */
  async identify(answer: Answer): Promise<ProvidedIdentity> {
    return this.#run(async (client) => {
      const url = new URL(answer.redirectUri);
      url.search = answer.query;
      const tokens = await openid.authorizationCodeGrant(client, url, {
        pkceCodeVerifier: answer.codeVerifier,
        expectedState: answer.state,
        expectedNonce: answer.nonce,
        idTokenExpected: true,
      });
      const signed = tokens.claims();
      const { id_token: idToken } = tokens;
      if (signed === undefined || idToken === undefined)
        throw new ProviderAnswerFault('there is no identity in the answer');
      // The library admits all tenants of one service under its common address.
      if (signed.iss !== client.serverMetadata().issuer)
        throw new ProviderAnswerFault('the identity is by another issuer');
      if (!subjectForm.test(signed.sub))
        throw new ProviderAnswerFault('the subject is too long, empty, or no text');
      const claims = this.#isComplete(signed)
        ? signed
        : await this.#withUserInfo(client, tokens.access_token, signed);
      return this.#identityIn(signed, claims, idToken);
    });
  }

  /**
   * The address where a browser ends its session with the provider.
   *
   * @param idToken by which the session began
   * @returns undefined if the provider has none
   * @throws ProviderUnavailable
   */
  async addressForSignOut(idToken: string, returnTo: string): Promise<string | undefined> {
    return this.#run((client) =>
      Promise.resolve(
        client.serverMetadata().end_session_endpoint === undefined
          ? undefined
          : openid.buildEndSessionUrl(client, {
              id_token_hint: idToken,
              post_logout_redirect_uri: returnTo,
            }).href,
      ),
    );
  }

  /**
   * Asks the provider to describe itself, as `parley check` does.
   *
   * @returns whether people can be signed out there too
   * @throws ProviderUnavailable
   */
  async describe(): Promise<{ readonly canSignOut: boolean }> {
    return this.#run((client) =>
      Promise.resolve({ canSignOut: client.serverMetadata().end_session_endpoint !== undefined }),
    );
  }

  /** Many providers put into the signed token only what identifies the person. */
  #isComplete(claims: Claims): boolean {
    const { emailVerifiedClaim, groupsClaim } = this.config;
    return [
      'email',
      emailVerifiedClaim,
      'name',
      ...(groupsClaim === undefined ? [] : [groupsClaim]),
    ].every((name) => claims[name] !== undefined);
  }

  async #withUserInfo(
    client: openid.Configuration,
    accessToken: string,
    signed: openid.IDToken,
  ): Promise<Claims> {
    if (client.serverMetadata().userinfo_endpoint === undefined) return signed;
    const more = await openid.fetchUserInfo(client, accessToken, signed.sub);
    return { ...more, ...signed };
  }

  #identityIn(signed: openid.IDToken, claims: Claims, idToken: string): ProvidedIdentity {
    return {
      issuer: signed.iss,
      subject: signed.sub,
      email: textIn(claims, 'email'),
      isEmailVerified: isYes(claims[this.config.emailVerifiedClaim]),
      fullName: textIn(claims, 'name') ?? textIn(claims, 'preferred_username'),
      groups: groupsIn(claims, this.config.groupsClaim),
      idToken,
    };
  }

  async #run<Result>(work: (client: openid.Configuration) => Promise<Result>): Promise<Result> {
    try {
      return await this.#line.run(workTimeoutMs, async () => work(await this.#client()));
    } catch (error) {
      if (error instanceof ProviderAnswerFault) throw error;
      throw (
        findUnavailable(error) ?? new ProviderAnswerFault('the answer is refused', { cause: error })
      );
    }
  }

  /** Everybody waits for one description, and for a while for none after a failure. */
  #client(): Promise<openid.Configuration> {
    const nowMs = this.#clock.elapsedMs();
    const described = this.#described;
    const isFresh = described !== undefined && nowMs - described.atMs < describedForMs;
    if (isFresh) return Promise.resolve(described.client);
    if (nowMs - this.#failedAtMs < leftAloneMs) {
      if (described !== undefined) return Promise.resolve(described.client);
      throw new ProviderUnavailable('it did not describe itself a moment ago');
    }
    this.#describing ??= this.#discover().finally(() => {
      this.#describing = undefined;
    });
    return this.#describing;
  }

  async #discover(): Promise<openid.Configuration> {
    const { issuer, clientId } = this.config;
    const isPlain = issuer.startsWith('http:');
    try {
      const client = await openid.discovery(
        new URL(issuer),
        clientId,
        { [openid.clockTolerance]: clockToleranceSecs },
        this.#clientAuthentication(),
        {
          // The library's own time limit is longer, and by another clock.
          [openid.customFetch]: (url, options) =>
            boundedFetch(url, {
              ...(options as RequestInit),
              signal: deadline(this.#clock, answerTimeoutMs),
            }),
          execute: [
            openid.enableNonRepudiationChecks,
            ...(isPlain ? [openid.allowInsecureRequests] : []),
          ],
        },
      );
      // The library takes an address with and without a slash for the same; identities are stored under one of them.
      if (client.serverMetadata().issuer !== issuer)
        throw new ProviderUnavailable('it writes its issuer in another way than the settings');
      this.#described = { client, atMs: this.#clock.elapsedMs() };
      return client;
    } catch (error) {
      this.#failedAtMs = this.#clock.elapsedMs();
      if (this.#described !== undefined) return this.#described.client;
      throw (
        findUnavailable(error) ??
        new ProviderUnavailable('it does not describe itself as OpenID Connect requires', {
          cause: error,
        })
      );
    }
  }

  /** By the method that the provider takes; by the specification that is Basic if it names none. */
  #clientAuthentication(): openid.ClientAuth {
    const secret = this.config.clientSecret?.reveal();
    if (secret === undefined) return openid.None();
    const [basic, post] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
    return (server, ...rest) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
    };
  }
}
