import { randomBytes } from 'node:crypto';

/** A key prefix that no other suite of any run uses, for `PARLEY_REDIS_PREFIX`. */
export function createRedisPrefix(): string {
  return `parley-test-${randomBytes(6).toString('hex')}`;
}
