import { checkListRoom, lockAdministrator } from '@parley/store/access';
import { limits, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import type { Client } from '@parley/database';
import { linkifierJson } from '@parley/store/objects';
import { deleteLinkifier, insertLinkifier, listLinkifiers, lockLinkifiers } from '@parley/store';
import type { StoredLinkifier } from '@parley/store';

import { entryForEveryone, toEveryone } from '../accounts/account-events.ts';
import type { PeopleContext } from '../people-context.ts';
import { checkLinkifier } from './linkifier-rules.ts';

/** Changes of the list of linkifiers: administrators make them, and everybody gets the whole list (reference facts, people 12). */

async function changeList<Result>(
  context: PeopleContext,
  caller: Caller,
  work: (client: Client, list: readonly StoredLinkifier[]) => Promise<Result>,
): Promise<Result> {
  return context.eventLog.transaction(async (client) => {
    const actor = await lockAdministrator(client, caller);
    const before = await lockLinkifiers(client);
    const result = await work(client, before);
    const after = await listLinkifiers(client);
    await checkListRoom(client, context.lists, actor, {
      texts: { linkifiers: { before: before.flatMap(textsOf), after: after.flatMap(textsOf) } },
    });
    const event = toEveryone({ type: 'realm_filters', realm_filters: after.map(linkifierJson) });
    return { result, append: { entries: [entryForEveryone([event])] } };
  });
}

function textsOf({ pattern, urlFormat }: StoredLinkifier): string[] {
  return [pattern, urlFormat];
}

/**
 * @returns the id of the new linkifier
 * @throws ApiError without code and with `errors` for an invalid linkifier
 */
export async function addLinkifier(
  context: PeopleContext,
  caller: Caller,
  given: { readonly pattern: string; readonly urlFormat: string },
): Promise<number> {
  const linkifier = { pattern: given.pattern.trim(), urlFormat: given.urlFormat.trim() };
  // Before any lock, because compiling takes time.
  const known = await listLinkifiers(context.pool);
  const isTaken = (list: readonly StoredLinkifier[]): boolean =>
    list.some(({ pattern }) => pattern === linkifier.pattern);
  checkLinkifier(linkifier, isTaken(known));
  return changeList(context, caller, async (client, list) => {
    if (isTaken(list)) checkLinkifier(linkifier, true);
    if (list.length >= limits.linkifiersMax)
      throw withoutCode(`There may be at most ${limits.linkifiersMax} filters.`);
    return insertLinkifier(client, linkifier);
  });
}

/** @throws ApiError without a code if no linkifier has this id */
export async function removeLinkifier(
  context: PeopleContext,
  caller: Caller,
  linkifierId: number,
): Promise<void> {
  await changeList(context, caller, async (client, list) => {
    if (!list.some(({ id }) => id === linkifierId)) throw withoutCode('Filter not found');
    await deleteLinkifier(client, linkifierId);
  });
}
