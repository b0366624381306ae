/** Where a person wants to be notified by Web Push (decision 0053). */
import { lockOwnAccount } from '@parley/store/access';
import { createPublicKey } from 'node:crypto';

import { badRequest, limits } from '@parley/api';
import type { Caller } from '@parley/api';
import { transaction } from '@parley/database';
import { insertPushSubscription } from '@parley/store/notifications';
import type { PushTarget } from '@parley/store/notifications';

import type { PeopleContext } from '../people-context.ts';

const publicKeyBytes = 65;
const coordinateBytes = 32;
const authBytes = 16;

/** @throws ApiError coded, unless it is a point of the curve, which encryption needs (RFC 8291) */
function checkPublicKey(text: string): void {
  const bytes = Buffer.from(text, 'base64url');
  const [form] = bytes;
  try {
    if (bytes.length !== publicKeyBytes || form !== 4) throw new Error('no uncompressed point');
    createPublicKey({
      format: 'jwk',
      key: {
        kty: 'EC',
        crv: 'P-256',
        x: bytes.subarray(1, 1 + coordinateBytes).toString('base64url'),
        y: bytes.subarray(1 + coordinateBytes).toString('base64url'),
      },
    });
  } catch {
    throw badRequest('Invalid p256dh');
  }
}

/** @returns the target in the form in which it is stored */
function checkTarget({ endpoint, p256dh, auth }: PushTarget): PushTarget {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isUsable =
    url?.protocol === 'https:' && url.username === '' && url.password === '' && url.hash === '';
  if (!isUsable || endpoint.length > limits.pushEndpointMaxLength)
    throw badRequest('Invalid endpoint');
  checkPublicKey(p256dh);
  if (Buffer.from(auth, 'base64url').length !== authBytes) throw badRequest('Invalid auth');
  return {
    endpoint,
    p256dh: Buffer.from(p256dh, 'base64url').toString('base64url'),
    auth: Buffer.from(auth, 'base64url').toString('base64url'),
  };
}

/**
 * Subscribes the caller's browser or program.
 *
 * @throws ApiError with a code, naming the first invalid value
 */
export async function addPushSubscription(
  { pool }: Pick<PeopleContext, 'pool'>,
  caller: Caller,
  target: PushTarget,
): Promise<number> {
  const checked = checkTarget(target);
  return transaction(pool, async (client) => {
    await lockOwnAccount(client, caller);
    return insertPushSubscription(client, caller.userId, caller.sessionId, checked);
  });
}
