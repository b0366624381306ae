/**
 * Limits failed logins per account name, and for each place where the account signed in before, in sliding windows that all gateways share in
 * Redis. Wrong passwords and wrong keys are counted
 * separately. A password is judged only while its failure would stay within the limit; above the limit a client is refused without learning
 * whether its guess was right. A right key always passes, because nobody can guess one; only the answer to a wrong key changes. A key
 * without a name counts for its client address. While Redis is down logins pass uncounted.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import type { RateLimit } from '@parley/config';
import { rateLimitExceeded } from '@parley/api';
import type { ApiError } from '@parley/api';
import type { Clock } from '@parley/clock';
import { keyNames } from '@parley/cluster/redis';
import type { Redis } from '@parley/cluster/redis';

const script = readFileSync(new URL('login-limit.lua', import.meta.url), 'utf8');

/** The command that a connection defines. ioredis sends the script's hash, and its text only if Redis does not know it. */
const commandName = 'parleyCountLogin';

type Outcome = [outcome: number, rule: number, waitMicros: number, clearMicros: number];

type CountLogin = (keyCount: number, ...keysAndArguments: (string | number)[]) => Promise<Outcome>;

/** The guessed secret; each kind is counted separately. */
export type LoginKind = 'password' | 'key';

/** The unverified name and request of a login. Account names are folded. */
export type PasswordLogin = {
  readonly kind: 'password';
  readonly account: string;
  /** Where the account signed in before, which has a limit of its own; undefined for strangers, who share one. */
  readonly place?: string | undefined;
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

/** A login that may be judged now. It holds a slot until `end` is called with its outcome. */
export type LoginAttempt = { readonly end: (outcome: 'failed' | 'not-failed') => Promise<void> };

export type LoginLimiterOptions = {
  readonly clock: Clock;
  readonly redis: Redis;
  readonly keyPrefix: string;
  /** Empty: no limit. */
  readonly limits: readonly RateLimit[];
  /** Longer than any attempt takes. If a gateway dies, the slots of its attempts stay taken for this time. */
  readonly attemptMaxMs: number;
  readonly onFailed: (kind: LoginKind) => void;
  readonly onRefused: (kind: LoginKind) => void;
  /** Called for a login that passed uncounted because Redis was down or refused to count. */
  readonly onUncounted: (error: unknown) => void;
};

const uncounted: LoginAttempt = { end: () => Promise.resolve() };

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
   * Takes a slot for a password before it is judged.
   *
   * @returns undefined if the failures alone do not reach the limit, but together with the logins that are being judged they might: then
   *   call again later
   * @throws ApiError 429 with `retry-after`
   */
  async begin(login: PasswordLogin): Promise<LoginAttempt | undefined> {
    const { limits, onUncounted } = this.#options;
    if (limits.length === 0) return uncounted;
    let outcome: Outcome;
    try {
      outcome = await this.#run('begin', login);
    } catch (error) {
      // Redis may have run the command although its answer was lost.
      this.#run('release', login).catch(() => undefined);
      onUncounted(error);
      return uncounted;
    }
    const [kind] = outcome;
    if (kind === 0) throw this.#refuse(login.kind, outcome);
    return kind === 2 ? undefined : { end: (ended) => this.#end(login, ended) };
  }

  /**
   * Counts a wrong key. A key with a name is counted, and refused, for that name. It is also counted for its address, so that nobody can
   * fill Redis with invented names: above the limit of an address, wrong keys are not stored, and get the answer that they are wrong.
   *
   * @throws ApiError 429 with `retry-after`, to be sent instead of the failure
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
    const { clock, redis, keyPrefix, limits, attemptMaxMs } = this.#options;
    const names = keyNames(keyPrefix, redis);
    const keys = subjectsOf(login).flatMap((subject) => [
      names.loginsUnderway(login.kind, subject),
      ...limits.map(({ windowSecs }) => names.failedLogins(login.kind, subject, windowSecs)),
    ]);
    const rules = limits.flatMap(({ windowSecs, requestsMax }) => [windowSecs, requestsMax]);
    const attemptMaxSecs = Math.ceil(attemptMaxMs / 1000);
    const timeMicros = clock.runs ? '' : clock.nowMs() * 1000;
    return this.#countLogin(
      keys.length,
      ...keys,
      mode,
      login.requestId,
      attemptMaxSecs,
      timeMicros,
      ...rules,
    );
  }

  #refuse(kind: LoginKind, [, rule, waitMicros, clearMicros]: Outcome): ApiError {
    const { clock, limits, onRefused } = this.#options;
    onRefused(kind);
    return rateLimitExceeded(waitMicros / 1_000_000, {
      'X-RateLimit-Limit': String(limits[rule - 1]?.requestsMax),
      'X-RateLimit-Reset': String(Math.ceil((clock.nowMs() * 1000 + clearMicros) / 1_000_000)),
    });
  }
}

/** The first subject decides; the second only bounds what is counted. */
function subjectsOf(login: Login): readonly string[] {
  const account = login.account === undefined ? [] : [`account:${hashed(login.account)}`];
  if (login.kind === 'key') return [...account, `address:${hashed(login.address)}`];
  return login.place === undefined
    ? account
    : [`account:${hashed(`${login.account} ${login.place}`)}`];
}

/** Redis gets no addresses or names, and its keys have the same length for any name that a client sends. */
function hashed(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
