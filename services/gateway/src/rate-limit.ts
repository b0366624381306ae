/**
 * Rate limits per user in sliding windows (reference facts, people 6), kept in Redis so that all gateways share them. While Redis
 * is away requests pass: availability wins, and the limit protects against carelessness, not against attack.
 */
import { readFileSync } from 'node:fs';

import type { RateLimit } from '@parley/config';
import { rateLimitExceeded } from '@parley/contracts';
import { keyNames } from '@parley/redis';
import type { Redis } from '@parley/redis';

const script = readFileSync(new URL('rate-limit.lua', import.meta.url), 'utf8');

/** The command that a connection learns; ioredis sends the script's hash, and the text only where Redis does not know it. */
const commandName = 'parleyCountRequest';

type CountRequest = (
  keyCount: number,
  ...keysAndArguments: (string | number)[]
) => Promise<
  [accepted: number, rule: number, remaining: number, waitMicros: number, clearMicros: number]
>;

export type RateLimiterOptions = {
  readonly redis: Redis;
  readonly keyPrefix: string;
  /** Empty: no limit. */
  readonly limits: readonly RateLimit[];
  readonly onRefused: () => void;
  /** Called for a request that passed uncounted because Redis was away, or refused to count. */
  readonly onUncounted: (error: unknown) => void;
};

export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #countRequest: CountRequest;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    options.redis.defineCommand(commandName, { lua: script });
    const commands = options.redis as unknown as Record<typeof commandName, CountRequest>;
    this.#countRequest = (...given) => commands[commandName](...given);
  }

  /**
   * Counts a request of a user.
   *
   * @returns the headers that tell the client where it stands; none without a limit or without Redis
   * @throws ApiError 429 with `retry-after`
   */
  async count(userId: number, requestId: string): Promise<Readonly<Record<string, string>>> {
    const { redis, limits, keyPrefix, onRefused, onUncounted } = this.#options;
    if (limits.length === 0) return {};
    const names = keyNames(keyPrefix, redis);
    const keys = limits.map((limit) => names.rateLimit(userId, limit.windowSecs));
    const rules = limits.flatMap((limit) => [limit.windowSecs, limit.requestsMax]);
    let counted: Awaited<ReturnType<CountRequest>>;
    try {
      counted = await this.#countRequest(keys.length, ...keys, requestId, ...rules);
    } catch (error) {
      onUncounted(error);
      return {};
    }
    const [accepted, rule, remaining, waitMicros, clearMicros] = counted;
    const headers = {
      'X-RateLimit-Limit': String(limits[rule - 1]?.requestsMax),
      'X-RateLimit-Reset': String(Math.ceil((Date.now() * 1000 + clearMicros) / 1_000_000)),
    };
    if (accepted === 1) return { ...headers, 'X-RateLimit-Remaining': String(remaining) };
    onRefused();
    throw rateLimitExceeded(waitMicros / 1_000_000, headers);
  }
}
