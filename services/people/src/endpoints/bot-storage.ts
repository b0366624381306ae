import {
  deleteBotStorageEndpoint,
  readBotStorageEndpoint,
  writeBotStorageEndpoint,
} from '@parley/api/people';
import { deleteStorage, readStorage, writeStorage } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';

/** PUT bot_storage (reference facts, people 8). */
export const writeBotStorageHandler = implement(
  writeBotStorageEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await writeStorage(context, caller, new Map(Object.entries(parameters.storage)));
    return {};
  },
);

/** GET bot_storage (reference facts, people 8). */
export const readBotStorageHandler = implement(
  readBotStorageEndpoint,
  async (context: PeopleContext, { caller, parameters }) => ({
    storage: await readStorage(context, caller, parameters.keys),
  }),
);

/** DELETE bot_storage (reference facts, people 8). */
export const deleteBotStorageHandler = implement(
  deleteBotStorageEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await deleteStorage(context, caller, parameters.keys);
    return {};
  },
);
