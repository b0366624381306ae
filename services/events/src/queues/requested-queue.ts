import type { Queryable } from '@parley/database';
import { findStreamById, getRealm, getUser, hidesEmails } from '@parley/store';
import type { User } from '@parley/store';

import type { QueueDescriptor } from './queue-descriptor.ts';
import { parseQueueNarrow } from './queue-descriptor.ts';

type RequestedQueue = {
  readonly apply_markdown: boolean;
  readonly client_gravatar: boolean;
  readonly all_public_streams: boolean | null;
  readonly include_subscribers: boolean;
  readonly event_types: readonly string[] | null;
  readonly narrow: readonly unknown[] | undefined;
};

/** @returns the name of the stream to which a bot's queues are narrowed by default; undefined if it is gone */
async function defaultRegisterStreamName(
  database: Queryable,
  user: User,
): Promise<string | undefined> {
  if (user.defaultEventsRegisterStreamId === null) return undefined;
  const stream = await findStreamById(database, user.defaultEventsRegisterStreamId);
  return stream?.isDeactivated === false ? stream.name : undefined;
}

/**
 * Combines a request with the account's defaults, which bots have.
 *
 * @throws ApiError BAD_REQUEST for a narrow that queues do not know
 */
export async function readDescriptor(
  database: Queryable,
  userId: number,
  requested: RequestedQueue,
): Promise<QueueDescriptor> {
  const [account, realm] = await Promise.all([getUser(database, userId), getRealm(database)]);
  const byDefault = await defaultRegisterStreamName(database, account);
  const narrow = requested.narrow ?? (byDefault === undefined ? [] : [['stream', byDefault]]);
  // Where addresses are hidden, clients cannot make Gravatar URLs (reference facts, people 7.7).
  const emailsHidden = hidesEmails(realm.settings);
  return {
    eventTypes: requested.event_types,
    narrow: parseQueueNarrow(narrow),
    applyMarkdown: requested.apply_markdown,
    clientGravatar: requested.client_gravatar && !emailsHidden,
    allPublicStreams: requested.all_public_streams ?? account.defaultAllPublicStreams,
    includeSubscribers: requested.include_subscribers,
  };
}
