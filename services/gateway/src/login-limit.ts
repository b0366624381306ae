/**
 * Limits of failed logins, per client address and per account name, in sliding windows that all gateways share in Redis. Wrong
 * passwords and wrong keys are counted apart. A password is judged only while there is room for its failure: whoever is over the
 * limit is refused without learning whether the guess was right. A right key always passes, as nobody guesses one; only the answer
 * to a wrong one changes. While Redis is away logins pass uncounted.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import type { RateLimit } from '@parley/config';
import { rateLimitExceeded } from '@parley/contracts';
import type { ApiError } from '@parley/contracts';
import { keyNames } from '@parley/redis';
import type { Redis } from '@parley/redis';

const script = readFileSync(new URL('login-limit.lua', import.meta.url), 'utf8');

/** The command that a connection learns; ioredis sends the script's hash, and the text only where Redis does not know it. */
const commandName = 'parleyCountLogin';

type Outcome = [outcome: number, rule: number, waitMicros: number, clearMicros: number];

type CountLogin = (keyCount: number, ...keysAndArguments: (string | number)[]) => Promise<Outcome>;

/** What is guessed; each has counts of its own. */
export type LoginKind = 'password' | 'key';

/** Who tries to log in, as far as it is known before anything is believed. */
export type Login = {
  readonly kind: LoginKind;
  readonly address: string;
  /** Folded; undefined where a login names no account. */
  readonly account: string | undefined;
  readonly requestId: string;
};

/** A login that may be judged now: it has a place until it is told how it ended. */
export type Attempt = { readonly end: (outcome: 'failed' | 'not-failed') => Promise<void> };

export type LoginLimiterOptions = {
  readonly redis: Redis;
  readonly keyPrefix: string;
  /** Empty: no limit. */
  readonly limits: readonly RateLimit[];
  /** Longer than any attempt takes: a gateway that dies leaves its attempts under way for so long. */
  readonly attemptMaxMs: number;
  /** How long an attempt waits for the outcome of others that hold the last places; tests have less patience. */
  readonly placeWaitMaxMs?: number;
  readonly onFailed: (kind: LoginKind) => void;
  readonly onRefused: (kind: LoginKind) => void;
  /** Called for a login that passed uncounted because Redis was away, or refused to count. */
  readonly onUncounted: (error: unknown) => void;
};

/** Judging a password takes about a tenth of a second, so places come free quickly; clients give up after 15 seconds. */
const placeWaitMaxDefaultMs = 5_000;
const firstPauseMs = 50;
const longestPauseMs = 400;

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
   * Takes a place for a login before it is judged. Where the failures do not reach the limit by themselves, but might with the
   * logins that are being judged at this moment, it waits for those: many people who log in at once from one address all get in.
   *
   * @param isGone whether the client has hung up, so that nobody waits any more
   * @throws ApiError 429 with `retry-after`
   */
  async begin(login: Login, isGone: () => boolean = () => false): Promise<Attempt> {
    const { limits, placeWaitMaxMs = placeWaitMaxDefaultMs, onUncounted } = this.#options;
    if (limits.length === 0) return uncounted;
    const giveUpAtMs = performance.now() + placeWaitMaxMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
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
      if (kind === 1) break;
      if (kind === 0) throw this.#refuse(login.kind, outcome);
      if (isGone() || performance.now() >= giveUpAtMs) {
        throw this.#refuse(login.kind, [0, 1, 1_000_000, 1_000_000]);
      }
      await pause(pauseMs);
    }
    return { end: (outcome) => this.#end(login, outcome) };
  }

  /**
   * Counts a login that is known to have failed.
   *
   * @throws ApiError 429 with `retry-after`, to be told in place of the failure
   */
  async countFailure(login: Login): Promise<void> {
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

  async #end(login: Login, outcome: 'failed' | 'not-failed'): Promise<void> {
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
    const subjects = [
      `address:${hashed(login.address)}`,
      ...(login.account === undefined ? [] : [`account:${hashed(login.account)}`]),
    ];
    const keys = subjects.flatMap((subject) => [
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

/** Redis gets neither addresses nor names, and keys of one length whatever somebody sends as a name. */
function hashed(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
