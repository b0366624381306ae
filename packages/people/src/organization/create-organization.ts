import { withoutCode } from '@parley/api';
import { isUniqueViolation } from '@parley/database';
import { composeWelcome } from '@parley/composing';
import type { SendItem } from '@parley/event-log';
import type { Client } from '@parley/database';
import { createOrganizationRows, createStream, setRealmNotificationStreams } from '@parley/store';
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

const firstStream = {
  name: 'general',
  description: 'For everybody: what concerns all of us, and what has no stream of its own',
};

/**
 * Creates the stream that everybody joins, where new streams are announced. Without it people could only write privately.
 *
 * @returns what is said in it first
 */
async function createFirstStream(
  client: Client,
  {
    clock,
    publicUrl,
    renderProfileText,
  }: Pick<PeopleContext, 'clock' | 'publicUrl' | 'renderProfileText'>,
): Promise<SendItem[]> {
  const stream = await createStream(client, {
    ...firstStream,
    renderedDescription: renderProfileText(firstStream.description),
    isDefault: true,
    creatorId: null,
  });
  if (stream === undefined) throw new Error('an installation without organization has a stream');
  await setRealmNotificationStreams(client, {
    notificationsStreamId: stream.id,
    signupNotificationsStreamId: null,
  });
  return composeWelcome(client, stream, publicUrl, clock);
}

/**
 * Creates the organization with the bots that send its notices, and the stream `general`, which whoever is added joins. It has no people yet.
 *
 * @throws ApiError when there is one already, or with the rules for settings (reference facts, people 14.1); then nothing has changed
 */
export async function createOrganization(
  context: Pick<
    PeopleContext,
    'clock' | 'eventLog' | 'keySecrets' | 'publicUrl' | 'renderProfileText'
  >,
  organization: NewOrganization,
): Promise<void> {
  const { eventLog, keySecrets } = context;
  checkRealmRequest(organization);
  try {
    await eventLog.transaction(async (client) => {
      const changeId = await eventLog.drawChangeId(client);
      const bots = await createOrganizationRows(client, keySecrets, organization, changeId);
      const messages = await createFirstStream(client, context);
      return {
        result: undefined,
        append: {
          entries: [entryForEveryone([], bots.map(accountEffect))],
          messages,
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
