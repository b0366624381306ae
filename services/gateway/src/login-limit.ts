/**
 * Limits of failed logins per account name, in sliding windows that all gateways share in Redis. Wrong passwords and wrong keys are
 * counted apart. A password is judged only while there is room for its failure: whoever is over the limit is refused without learning
 * whether the guess was right. A right key always passes, as nobody guesses one; only the answer to a wrong one changes. A key without a
 * name counts for its client address. While Redis is away logins pass uncounted.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import type { RateLimit } from '@parley/config';
import { rateLimitExceeded } from '@parley/api';
import type { ApiError } from '@parley/api';
import { keyNames } from '@parley/redis';
import type { Redis } from '@parley/redis';

const script = readFileSync(new URL('login-limit.lua', import.meta.url), 'utf8');

/** The command that a connection learns; ioredis sends the script's hash, and the text only where Redis does not know it. */
const commandName = 'parleyCountLogin';

type Outcome = [outcome: number, rule: number, waitMicros: number, clearMicros: number];

type CountLogin = (keyCount: number, ...keysAndArguments: (string | number)[]) => Promise<Outcome>;

/** What is guessed; each has counts of its own. */
export type LoginKind = 'password' | 'key';

/** Who tries to log in, as far as it is known before anything is believed. Names of accounts are folded. */
export type PasswordLogin = {
  readonly kind: 'password';
  readonly account: string;
  readonly requestId: string;
};

export type KeyLogin = {
  readonly kind: 'key';
  /** Undefined for a key without a name. */
  readonly account: string | undefined;
  readonly address: string;
  readonly requestId: string;
};

type Login = PasswordLogin | KeyLogin;

/** A login that may be judged now: it has a place until it is told how it ended. */
export type Attempt = { readonly end: (outcome: 'failed' | 'not-failed') => Promise<void> };

export type LoginLimiterOptions = {
  readonly redis: Redis;
  readonly keyPrefix: string;
  /** Empty: no limit. */
  readonly limits: readonly RateLimit[];
  /** Longer than any attempt takes: a gateway that dies leaves its attempts under way for so long. */
  readonly attemptMaxMs: number;
  readonly onFailed: (kind: LoginKind) => void;
  readonly onRefused: (kind: LoginKind) => void;
  /** Called for a login that passed uncounted because Redis was away, or refused to count. */
  readonly onUncounted: (error: unknown) => void;
};

const uncounted: Attempt = { end: () => Promise.resolve() };

export class LoginLimiter {
  readonly #options: LoginLimiterOptions;
  readonly #countLogin: CountLogin;

  constructor(options: LoginLimiterOptions) {
    this.#options = options;
    options.redis.defineCommand(commandName, { lua: script });
    const commands = options.redis as unknown as Record<typeof commandName, CountLogin>;
    this.#countLogin = (...given) => commands[commandName](...given);
  }

  /**
   * Takes a place for a password before it is judged.
   *
   * @returns undefined where the failures do not reach the limit by themselves, but might with the logins that are being judged at this
   *   moment: then one may ask again
   * @throws ApiError 429 with `retry-after`
   */
  async begin(login: PasswordLogin): Promise<Attempt | undefined> {
    const { limits, onUncounted } = this.#options;
    if (limits.length === 0) return uncounted;
    let outcome: Outcome;
    try {
      outcome = await this.#run('begin', login);
    } catch (error) {
      // The command may have come through, and only its answer not.
      this.#run('release', login).catch(() => undefined);
      onUncounted(error);
      return uncounted;
    }
    const [kind] = outcome;
    if (kind === 0) throw this.#refuse(login.kind, outcome);
    return kind === 2 ? undefined : { end: (ended) => this.#end(login, ended) };
  }

  /**
   * Counts a key that is wrong. One with a name is counted, and refused, for that name. For its address it is counted as well, so that
   * nobody fills Redis with invented names: beyond the limit of an address, wrong keys leave nothing there, and are told what they are.
   *
   * @throws ApiError 429 with `retry-after`, to be told in place of the failure
   */
  async countFailure(login: KeyLogin): Promise<void> {
    if (this.#options.limits.length === 0) return;
    let outcome: Outcome;
    try {
      outcome = await this.#run('fail', login);
    } catch (error) {
      this.#options.onUncounted(error);
      return;
    }
    if (outcome[0] !== 1) throw this.#refuse(login.kind, outcome);
    this.#options.onFailed(login.kind);
  }

  async #end(login: PasswordLogin, outcome: 'failed' | 'not-failed'): Promise<void> {
    if (outcome === 'failed') this.#options.onFailed(login.kind);
    try {
      await this.#run(outcome === 'failed' ? 'settle' : 'release', login);
    } catch (error) {
      this.#options.onUncounted(error);
    }
  }

  #run(mode: 'begin' | 'fail' | 'settle' | 'release', login: Login): Promise<Outcome> {
    const { redis, keyPrefix, limits, attemptMaxMs } = this.#options;
    const names = keyNames(keyPrefix, redis);
    const keys = subjectsOf(login).flatMap((subject) => [
      names.loginsUnderway(login.kind, subject),
      ...limits.map(({ windowSecs }) => names.failedLogins(login.kind, subject, windowSecs)),
    ]);
    const rules = limits.flatMap(({ windowSecs, requestsMax }) => [windowSecs, requestsMax]);
    const attemptMaxSecs = Math.ceil(attemptMaxMs / 1000);
    return this.#countLogin(keys.length, ...keys, mode, login.requestId, attemptMaxSecs, ...rules);
  }

  #refuse(kind: LoginKind, [, rule, waitMicros, clearMicros]: Outcome): ApiError {
    this.#options.onRefused(kind);
    return rateLimitExceeded(waitMicros / 1_000_000, {
      'X-RateLimit-Limit': String(this.#options.limits[rule - 1]?.requestsMax),
      'X-RateLimit-Reset': String(Math.ceil((Date.now() * 1000 + clearMicros) / 1_000_000)),
    });
  }
}

/** The first one decides; a second one bounds what is counted. */
function subjectsOf(login: Login): readonly string[] {
  const account = login.account === undefined ? [] : [`account:${hashed(login.account)}`];
  return login.kind === 'password' ? account : [...account, `address:${hashed(login.address)}`];
}

/** Redis gets neither addresses nor names, and keys of one length whatever somebody sends as a name. */
function hashed(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
