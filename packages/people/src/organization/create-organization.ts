import { withoutCode } from '@parley/api';
import { isUniqueViolation } from '@parley/database';
import { createOrganizationRows } from '@parley/store';
import type { RealmSettings } from '@parley/api/organization';

import { accountEffect, entryForEveryone } from '../accounts/account-events.ts';
import type { PeopleContext } from '../people-context.ts';
import { checkRealmRequest } from './realm-settings.ts';

export type NewOrganization = {
  readonly name: string;
  readonly stringId: string;
  readonly description: string;
  readonly settings: Partial<RealmSettings>;
};

/**
 * Creates the organization with the bots that send its notices. It has no people yet.
 *
 * @throws ApiError when there is one already, or with the rules for settings (reference facts, people 14.1); then nothing has changed
 */
export async function createOrganization(
  { eventLog, keySecrets }: Pick<PeopleContext, 'eventLog' | 'keySecrets'>,
  organization: NewOrganization,
): Promise<void> {
  checkRealmRequest(organization);
  try {
    await eventLog.transaction(async (client) => {
      const changeId = await eventLog.drawChangeId(client);
      const bots = await createOrganizationRows(client, keySecrets, organization, changeId);
      return {
        result: undefined,
        append: {
          entries: [entryForEveryone([], bots.map(accountEffect))],
          changeId,
          accountUserIds: bots.map(({ id }) => id),
        },
      };
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw withoutCode('There is an organization already');
    throw error;
  }
}
