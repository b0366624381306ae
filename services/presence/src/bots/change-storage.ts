import { getActor } from '@parley/access';
import { withoutCode } from '@parley/contracts';
import type { Caller } from '@parley/contracts';
import {
  deleteBotStorage,
  lockUsersForOwnChange,
  readBotStorage,
  writeBotStorage,
} from '@parley/store';

import type { PresenceContext } from '../context.ts';

/** What an account keeps for itself (reference facts, people 8). Nobody else hears of it, so the log does not either. */

/** Of all keys and values of one account. */
const storageMaxCharacters = 10_000_000;

function keyDoesNotExist(): Error {
  return withoutCode('Key does not exist.');
}

/** @throws ApiError without code when the account would keep too much */
export async function writeStorage(
  context: PresenceContext,
  caller: Caller,
  values: ReadonlyMap<string, string>,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const user = getActor(await lockUsersForOwnChange(client, [caller.userId]), caller);
    const characters = await writeBotStorage(client, user.id, values);
    if (characters > storageMaxCharacters) {
      throw withoutCode(
        `Request exceeds storage limit by ${characters - storageMaxCharacters} characters. ` +
          `The limit is ${storageMaxCharacters} characters.`,
      );
    }
    return { result: undefined };
  });
}

/** @throws ApiError without code when a named key is not there */
export async function readStorage(
  context: PresenceContext,
  caller: Caller,
  keys: readonly string[] | undefined,
): Promise<Record<string, string>> {
  const found = await readBotStorage(context.pool, caller.userId, keys);
  if (keys?.some((key) => !found.has(key)) === true) throw keyDoesNotExist();
  return Object.fromEntries(found);
}

/** @throws ApiError without code when a named key is not there; then nothing is deleted */
export async function deleteStorage(
  context: PresenceContext,
  caller: Caller,
  keys: readonly string[] | undefined,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const user = getActor(await lockUsersForOwnChange(client, [caller.userId]), caller);
    const deleted = await deleteBotStorage(client, user.id, keys);
    if (keys !== undefined && deleted < new Set(keys).size) throw keyDoesNotExist();
    return { result: undefined };
  });
}
