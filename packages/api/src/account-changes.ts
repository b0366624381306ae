/** How a service tells the gateway, in its answer, whose accounts the request changed. */

/** The header of an answer that names them. It ends at the gateway. */
export const accountChangesHeaderName = 'x-parley-accounts-changed';

/** Ids of users; `all` where they are too many to be named. */
export type ChangedAccounts = readonly number[] | 'all';

/** A person with every bot that one may own is far below; the whole organization may be far above. */
const namedMax = 500;

/** @returns the value of the header */
export function accountChangesText(userIds: readonly number[]): string {
  return userIds.length > namedMax ? 'all' : userIds.join(',');
}

/** @param text as {@link accountChangesText} makes it */
export function parseAccountChanges(text: string): ChangedAccounts {
  return text === 'all' ? 'all' : text.split(',').map(Number);
}
