/** How a service's answer tells the gateway which accounts the request changed. */

/** The header of an answer with their ids. The gateway removes it. */
export const accountChangesHeaderName = 'x-parley-accounts-changed';

/** Ids of users; `all` if there are too many to list. */
export type ChangedAccounts = readonly number[] | 'all';

/** Far above a person with the maximum of bots, and possibly far below the whole organization. */
const namedMax = 500;

/** @returns the value of the header */
export function accountChangesText(userIds: readonly number[]): string {
  return userIds.length > namedMax ? 'all' : userIds.join(',');
}

/** @param text from {@link accountChangesText} */
export function parseAccountChanges(text: string): ChangedAccounts {
  return text === 'all' ? 'all' : text.split(',').map(Number);
}
