/**
 * Rate limits per user, and per owner with all bots, in sliding windows (reference facts, people 6), stored in Redis so that all gateways
 * share them. While Redis is down requests pass: availability is more important, and the limit protects against carelessness, not against
 * attack.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import type { Clock } from '@parley/clock';
import type { RateLimit } from '@parley/config';
import { ownerIdOf, rateLimitExceeded } from '@parley/api';
import type { Caller } from '@parley/api';
import { keyNames } from '@parley/cluster/redis';
import type { CountedRequests, Redis } from '@parley/cluster/redis';

const script = readFileSync(new URL('rate-limit.lua', import.meta.url), 'utf8');

/** A page of messages shows many pictures, and files are cheaper than other answers. */
const filesPerRequestMax = 5;

/** The command that a connection defines. ioredis sends the script's hash, and its text only if Redis does not know it. */
const commandName = 'parleyCountRequest';

type CountRequest = (
  keyCount: number,
  ...keysAndArguments: (string | number)[]
) => Promise<
  [accepted: number, rule: number, remaining: number, waitMicros: number, clearMicros: number]
>;

/** An answer of this size takes about as much of gateway, service and Postgres as a few ordinary requests together. */
const answerBytesOfRequest = 1_048_576;

/** A request, or after it the work for its answer. */
type Counted = {
  readonly requestId: string;
  readonly cost: number;
  readonly when: 'before' | 'after';
};

export type RateLimiterOptions = {
  readonly clock: Clock;
  readonly redis: Redis;
  readonly keyPrefix: string;
  /** The limits of one user; empty: no limit. */
  readonly limits: readonly RateLimit[];
  /** The limits of one network without an account; by default no limit. */
  readonly strangerLimits?: readonly RateLimit[];
  /** The limits of one network for sign-ins that it begins; by default no limit. */
  readonly singleSignOnLimits?: readonly RateLimit[];
  /** The limits of one token of SCIM; by default no limit. */
  readonly scimLimits?: readonly RateLimit[];
  /** An owner with all bots may use this many times as much. */
  readonly budgetsPerOwnerMax: number;
  readonly onRefused: () => void;
  /** Called for a request that passed uncounted because Redis was down or refused to count. */
  readonly onUncounted: (error: unknown) => void;
};

export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #limits: Readonly<Record<CountedRequests, readonly RateLimit[]>>;
  readonly #countRequest: CountRequest;

  constructor(options: RateLimiterOptions) {
    const { limits, budgetsPerOwnerMax } = options;
    this.#options = options;
    const multiplied = (by: number): RateLimit[] =>
      limits.map(({ windowSecs, requestsMax }) => ({ windowSecs, requestsMax: requestsMax * by }));
    this.#limits = {
      requests: [...limits, ...multiplied(budgetsPerOwnerMax)],
      files: [
        ...multiplied(filesPerRequestMax),
        ...multiplied(filesPerRequestMax * budgetsPerOwnerMax),
      ],
    };
    options.redis.defineCommand(commandName, { lua: script });
    const commands = options.redis as unknown as Record<typeof commandName, CountRequest>;
    this.#countRequest = (...given) => commands[commandName](...given);
  }

  /**
   * Counts a request of a user, and of an owner with all bots.
   *
   * @param kind files have counts of their own, so that pictures take nothing from the rest
   * @param cost as how many requests it counts
   * @returns the headers that tell the client its remaining requests; empty without a limit or without Redis
   * @throws ApiError 429 with `retry-after`
   */
  async count(
    caller: Pick<Caller, 'userId' | 'botOwnerId'>,
    requestId: string,
    {
      kind = 'requests',
      cost = 1,
    }: { readonly kind?: CountedRequests; readonly cost?: number } = {},
  ): Promise<Readonly<Record<string, string>>> {
    return this.#countCaller(caller, kind, { requestId, cost, when: 'before' });
  }

  /** Counts the work for the answer to an accepted request of a user: each whole MiB of it as one more request, which nothing refuses. */
  async countAnswer(
    caller: Pick<Caller, 'userId' | 'botOwnerId'>,
    requestId: string,
    bytes: number,
  ): Promise<void> {
    const cost = Math.floor(bytes / answerBytesOfRequest);
    if (cost > 0) await this.#countCaller(caller, 'requests', { requestId, cost, when: 'after' });
  }

  async #countCaller(
    caller: Pick<Caller, 'userId' | 'botOwnerId'>,
    kind: CountedRequests,
    counted: Counted,
  ): Promise<Readonly<Record<string, string>>> {
    const { redis, limits, keyPrefix } = this.#options;
    if (limits.length === 0) return {};
    const names = keyNames(keyPrefix, redis);
    const limited = { userId: caller.userId, ownerId: ownerIdOf(caller), counted: kind };
    const keys = [
      ...limits.map(({ windowSecs }) => names.rateLimit(limited, windowSecs)),
      ...limits.map(({ windowSecs }) => names.rateLimitOfOwner(limited, windowSecs)),
    ];
    return this.#count(keys, this.#limits[kind], counted);
  }

  /**
   * Counts a request without an account.
   *
   * @param address the network of the client
   * @returns and throws as `count`
   */
  async countStranger(
    address: string,
    requestId: string,
  ): Promise<Readonly<Record<string, string>>> {
    return this.#countNetwork(address, this.#options.strangerLimits ?? [], requestId);
  }

  /** Counts a sign-in that begins. @returns and throws as `countStranger` */
  async countSignIn(address: string, requestId: string): Promise<Readonly<Record<string, string>>> {
    return this.#countNetwork(
      `sign-in ${address}`,
      this.#options.singleSignOnLimits ?? [],
      requestId,
    );
  }

  async #countNetwork(
    counted: string,
    limits: readonly RateLimit[],
    requestId: string,
  ): Promise<Readonly<Record<string, string>>> {
    const { redis, keyPrefix } = this.#options;
    if (limits.length === 0) return {};
    const names = keyNames(keyPrefix, redis);
    // Redis gets no addresses.
    const subject = createHash('sha256').update(counted).digest('base64url').slice(0, 22);
    const keys = limits.map(({ windowSecs }) => names.rateLimitOfStrangers(subject, windowSecs));
    return this.#count(keys, limits, { requestId, cost: 1, when: 'before' });
  }

  /**
   * Counts a request with a token of SCIM.
   *
   * @returns and throws as `count`
   */
  async countScim(tokenId: number, requestId: string): Promise<Readonly<Record<string, string>>> {
    const { redis, scimLimits = [], keyPrefix } = this.#options;
    if (scimLimits.length === 0) return {};
    const names = keyNames(keyPrefix, redis);
    const keys = scimLimits.map(({ windowSecs }) =>
      names.rateLimitOfScimToken(tokenId, windowSecs),
    );
    return this.#count(keys, scimLimits, { requestId, cost: 1, when: 'before' });
  }

  async #count(
    keys: readonly string[],
    limits: readonly RateLimit[],
    { requestId, cost, when }: Counted,
  ): Promise<Readonly<Record<string, string>>> {
    const { clock, onRefused, onUncounted } = this.#options;
    const rules = limits.flatMap((limit) => [limit.windowSecs, limit.requestsMax]);
    let counted: Awaited<ReturnType<CountRequest>>;
    try {
      const timeMicros = clock.runs ? '' : clock.nowMs() * 1_000;
      const given = [requestId, timeMicros, cost, when, ...rules];
      counted = await this.#countRequest(keys.length, ...keys, ...given);
    } catch (error) {
      onUncounted(error);
      return {};
    }
    const [accepted, rule, remaining, waitMicros, clearMicros] = counted;
    const headers = {
      'X-RateLimit-Limit': String(limits[rule - 1]?.requestsMax),
      'X-RateLimit-Reset': String(Math.ceil((clock.nowMs() * 1000 + clearMicros) / 1_000_000)),
    };
    if (accepted === 1) return { ...headers, 'X-RateLimit-Remaining': String(remaining) };
    onRefused();
    throw rateLimitExceeded(waitMicros / 1_000_000, headers);
  }
}
