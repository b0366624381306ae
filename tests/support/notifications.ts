/** What the tests of notifications have in common: the steps to wait for, and what changes whether somebody is notified. */
import { randomBytes } from 'node:crypto';

import type { Pool } from '@parley/database';
import { settle, waitUntil } from '@parley/test-kit';
import type { TestAccount, TestOrganization } from '@parley/test-kit';

/** A message to a private stream, sent by an administrator, and the one whom it concerns. */
type SentMessage = {
  readonly messageId: number;
  readonly topic: string;
  readonly stream: { readonly id: number; readonly name: string };
  readonly sender: TestAccount;
  readonly reader: TestAccount;
};

/** The words that concern the reader, by name or together with all others. */
export const concerning = {
  byName: ({ user }: TestAccount): string => `@**${user.fullName}** come`,
  withAll: (): string => '@**all** come',
};

type ChangeThatCancels = {
  /** What the message was, between sending and notifying. */
  readonly what: string;
  readonly words: (reader: TestAccount) => string;
  readonly change: (sent: SentMessage) => Promise<unknown>;
};

/** After each of these nobody is notified of a message any longer, by mail or push. */
const changesThatCancel: readonly ChangeThatCancels[] = [
  {
    what: 'read elsewhere',
    words: concerning.byName,
    change: ({ reader, messageId }) => reader.client.flag([messageId], 'read'),
  },
  {
    what: 'deleted',
    words: concerning.byName,
    change: ({ sender, messageId }) => sender.client.delete(`messages/${messageId}`),
  },
  {
    what: 'deleted with its topic',
    words: concerning.byName,
    change: ({ sender, stream, topic }) =>
      sender.client.post(`streams/${stream.id}/delete_topic`, { topic_name: topic }),
  },
  {
    what: 'edited to concern others',
    words: concerning.byName,
    change: ({ sender, messageId }) =>
      sender.client.patch(`messages/${messageId}`, { content: 'x' }),
  },
  {
    what: 'taken out of reach',
    words: concerning.byName,
    change: ({ sender, reader, stream }) =>
      sender.client.unsubscribe(stream.name, { principals: [reader.id] }),
  },
  {
    what: 'left behind by its reader',
    words: concerning.byName,
    change: ({ reader, stream }) => reader.client.unsubscribe(stream.name),
  },
  {
    what: 'ended with its stream',
    words: concerning.byName,
    change: ({ sender, stream }) => sender.client.delete(`streams/${stream.id}`),
  },
  {
    what: 'ended with its reader',
    words: concerning.byName,
    change: ({ sender, reader }) => sender.client.delete(`users/${reader.id}`),
  },
  {
    what: 'muted with its stream',
    words: concerning.withAll,
    change: ({ reader, stream }) =>
      reader.client.post('users/me/subscriptions/properties', {
        subscription_data: [{ stream_id: stream.id, property: 'is_muted', value: true }],
      }),
  },
  {
    what: 'muted with its topic',
    words: concerning.withAll,
    change: ({ reader, stream, topic }) =>
      reader.client.patch('users/me/subscriptions/muted_topics', {
        stream_id: stream.id,
        topic,
        op: 'add',
      }),
  },
  {
    what: 'moved to a muted topic',
    words: concerning.withAll,
    change: async ({ sender, reader, stream, messageId }) => {
      await reader.client.patch('users/me/subscriptions/muted_topics', {
        stream_id: stream.id,
        topic: 'noise',
        op: 'add',
      });
      await sender.client.patch(`messages/${messageId}`, { topic: 'noise' });
    },
  },
  {
    what: 'for all, of which its reader wants to hear no longer',
    words: concerning.withAll,
    change: ({ reader }) =>
      reader.client.patch('settings/notifications', { wildcard_mentions_notify: false }),
  },
];

/** What becomes of the messages that `changeBeforeNotification` sends; nobody is to be notified of those that are not `unchanged`. */
export const changesBeforeNotification = [
  'unchanged',
  ...changesThatCancel.map(({ what }) => what),
];

/**
 * Sends one message for each change, to a reader and a stream of its own, and makes the changes before anybody is notified.
 *
 * @param options.prepare is called for each reader before the message is sent
 * @param options.untilDue waits until all readers are about to be notified
 * @returns the readers by what changed
 */
export async function changeBeforeNotification(
  organization: TestOrganization,
  options: {
    readonly prepare?: (reader: TestAccount) => Promise<void>;
    readonly untilDue: (readers: readonly TestAccount[]) => Promise<void>;
  },
): Promise<ReadonlyMap<string, TestAccount>> {
  const tag = randomBytes(4).toString('hex');
  const sender = await organization.makeAccount(`Sender ${tag}`, { role: 'administrator' });
  const unchanged = { what: 'unchanged', words: concerning.byName, change: async () => undefined };
  const topic = 'fire';
  const all = await Promise.all(
    [unchanged, ...changesThatCancel].map(async ({ what, words, change }, n) => {
      const reader = await organization.makeAccount(`Reader ${tag} ${n}`);
      await options.prepare?.(reader);
      const stream = await organization.makeStream(`stream ${tag} ${n}`, [sender, reader], {
        inviteOnly: true,
      });
      const message = { type: 'stream', to: stream.id, topic, content: words(reader) };
      const messageId = Number((await sender.client.post('messages', message))['id']);
      return { what, reader, act: () => change({ messageId, topic, stream, sender, reader }) };
    }),
  );
  await options.untilDue(all.map(({ reader }) => reader));
  for (const { act } of all) await act();
  return new Map(all.map(({ what, reader }) => [what, reader]));
}

/** Waits until a system whose time passes by itself has made candidates of everything that was sent. */
export async function untilLookedAt(pool: Pool): Promise<void> {
  await waitUntil('all messages were looked at', async () => {
    const { rows } = await pool.query<{ done: boolean }>(
      `SELECT (SELECT message_id FROM told_upto) >= (SELECT coalesce(max(id), 0) FROM messages)
        AND NOT EXISTS (SELECT 1 FROM mentions_added) AS done`,
    );
    return rows[0]?.done;
  });
}

/** Lets the time come for the mails about all messages that were looked at. */
export async function letTimeForMailsCome(pool: Pool): Promise<void> {
  await pool.query('UPDATE messages_to_mail SET due_at = parley_now() WHERE due_at > parley_now()');
}

/** Lets a person be active, which is stored then. */
export async function becomeActive({ client }: TestAccount): Promise<void> {
  await client.post('users/me/presence', { status: 'active' });
  await settle();
}

/** Lets so much time pass for a person that they count as away. */
export async function becomeAway(pool: Pool, { id }: TestAccount): Promise<void> {
  await pool.query(
    `UPDATE presence SET reported_at = parley_now() - interval '141 s' WHERE user_id = ${id}`,
  );
}

/** Whether all of some waits end when a person who is active now counts as away. */
export function areUntilAway(waits: readonly { readonly secs: number }[]): boolean {
  return waits.length > 0 && waits.every(({ secs }) => secs > 60 && secs < 141);
}
