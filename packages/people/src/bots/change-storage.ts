import { lockOwnAccount } from '@parley/store/access';
import { limits, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import { deleteBotStorage, readBotStorage, writeBotStorage } from '@parley/store';

import type { PeopleContext } from '../people-context.ts';

/** The private storage of an account (reference facts, people 8). There are no events, so there are no log entries. */

/** For all keys and values of one account. */
const storageMaxCharacters = 10_000_000;

function keyDoesNotExist(): Error {
  return withoutCode('Key does not exist.');
}

function checkSize(size: number, max: number, unit: 'keys' | 'characters'): void {
  if (size > max)
    throw withoutCode(
      `Request exceeds storage limit by ${size - max} ${unit}. The limit is ${max} ${unit}.`,
    );
}

/** @returns each key once */
function distinctKeys(keys: readonly string[] | undefined): string[] | undefined {
  if (keys === undefined) return undefined;
  const distinct = [...new Set(keys)];
  // No account has this many.
  if (distinct.length > limits.storageKeysMax) throw keyDoesNotExist();
  return distinct;
}

/** @throws ApiError without code if the account would have too many keys or too much data; then nothing is stored */
export async function writeStorage(
  context: PeopleContext,
  caller: Caller,
  values: ReadonlyMap<string, string>,
): Promise<void> {
  checkSize(values.size, limits.storageKeysMax, 'keys');
  await context.eventLog.transaction(async (client) => {
    const user = await lockOwnAccount(client, caller);
    const stored = await writeBotStorage(client, user.id, values);
    checkSize(stored.keys, limits.storageKeysMax, 'keys');
    checkSize(stored.characters, storageMaxCharacters, 'characters');
    return { result: undefined };
  });
}

/** @throws ApiError without code when a named key is not there */
export async function readStorage(
  context: PeopleContext,
  caller: Caller,
  keys: readonly string[] | undefined,
): Promise<Record<string, string>> {
  const requested = distinctKeys(keys);
  const found = await readBotStorage(context.pool, caller.userId, requested);
  if (requested?.some((key) => !found.has(key)) === true) throw keyDoesNotExist();
  return Object.fromEntries(found);
}

/** @throws ApiError without code when a named key is not there; then nothing is deleted */
export async function deleteStorage(
  context: PeopleContext,
  caller: Caller,
  keys: readonly string[] | undefined,
): Promise<void> {
  const requested = distinctKeys(keys);
  await context.eventLog.transaction(async (client) => {
    const user = await lockOwnAccount(client, caller);
    const deleted = await deleteBotStorage(client, user.id, requested);
    if (requested !== undefined && deleted < requested.length) throw keyDoesNotExist();
    return { result: undefined };
  });
}
