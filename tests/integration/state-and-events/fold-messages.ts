/** Events of messages and of one person's flags on them. */
import type { ClientState, Fold } from './client-state.ts';
import type { Item } from './state-item.ts';

function raiseNewest(client: ClientState, id: number): void {
  if (id > (client.state['max_message_id'] as number)) client.state['max_message_id'] = id;
}

/** @returns the other participants of a private message, as in the list of conversations */
function othersOf(client: ClientState, message: Item): number[] {
  return (message['display_recipient'] as Item[])
    .map(({ id }) => id as number)
    .filter((id) => id !== client.reader.userId)
    .toSorted((a, b) => a - b);
}

const message: Fold = (client, event) => {
  const sent = event['message'] as Item;
  const id = sent['id'] as number;
  raiseNewest(client, id);
  client.unread.receive(sent, event['flags'] as string[]);
  if (sent['type'] === 'stream') {
    for (const key of ['streams', 'subscriptions', 'unsubscribed', 'never_subscribed']) {
      const stream = client.findById(key, 'stream_id', sent['stream_id']);
      if (stream?.['first_message_id'] === null) stream['first_message_id'] = id;
    }
    return;
  }
  const userIds = othersOf(client, sent);
  const isSame = (one: Item): boolean => String(one['user_ids']) === String(userIds);
  client.state['recent_private_conversations'] = [
    { max_message_id: id, user_ids: userIds },
    ...client.items('recent_private_conversations').filter((one) => !isSame(one)),
  ];
};

const updateMessage: Fold = (client, event) => {
  const { message_id: id, message_ids: ids, subject, flags } = event;
  if (subject !== undefined) client.unread.move(ids as number[], subject as string);
  client.unread.setFlags(id as number, flags as string[]);
};

const deleteMessage: Fold = (client, event) => {
  const id = event['message_id'] as number;
  client.unread.markRead([id], false);
  client.state['starred_messages'] = (client.state['starred_messages'] as number[]).filter(
    (starred) => starred !== id,
  );
  if (client.state['max_message_id'] === id) client.unreported.maxMessageId = true;
  for (const conversation of client.items('recent_private_conversations'))
    if (conversation['max_message_id'] === id)
      client.unreported.conversations.add(String(conversation['user_ids']));
  for (const key of ['streams', 'subscriptions', 'unsubscribed', 'never_subscribed'])
    for (const stream of client.items(key))
      if (stream['first_message_id'] === id)
        client.unreported.firstMessages.add(stream['stream_id'] as number);
};

const flags: Fold = (client, event) => {
  const ids = event['messages'] as number[];
  const isAdded = event['operation'] === 'add';
  if (event['flag'] === 'read') {
    if (isAdded) client.unread.markRead(ids, event['all'] === true);
    else client.unread.markUnread(ids);
  }
  if (event['flag'] !== 'starred') return;
  // A user who stars a message holds it from then on.
  if (isAdded) for (const id of ids) raiseNewest(client, id);
  const starred = new Set(client.state['starred_messages'] as number[]);
  for (const id of ids) {
    if (isAdded) starred.add(id);
    else starred.delete(id);
  }
  client.state['starred_messages'] = [...starred].toSorted((a, b) => a - b);
};

const reaction: Fold = (client, event) => {
  const user = event['user'] as Item;
  if (user['user_id'] === client.reader.userId && event['op'] === 'add')
    raiseNewest(client, event['message_id'] as number);
};

const scheduledMessages: Fold = (client, event) => {
  const key = 'scheduled_messages';
  if (event['op'] === 'remove')
    client.drop(key, 'scheduled_message_id', event['scheduled_message_id']);
  else for (const item of event[key] as Item[]) client.put(key, 'scheduled_message_id', item);
};

const drafts: Fold = (client, event) => {
  const key = 'drafts';
  if (event['op'] === 'remove') client.drop(key, 'id', event['draft_id']);
  else if (event['op'] === 'update') client.put(key, 'id', event['draft'] as Item);
  else for (const item of event[key] as Item[]) client.put(key, 'id', item);
};

const replaced =
  (key: string): Fold =>
  (client, event) => {
    client.state[key] = event[key];
  };

export const messageFolds: Readonly<Record<string, Fold>> = {
  message,
  update_message: updateMessage,
  delete_message: deleteMessage,
  update_message_flags: flags,
  reaction,
  scheduled_messages: scheduledMessages,
  drafts,
  pointer: replaced('pointer'),
  alert_words: replaced('alert_words'),
  muted_topics: replaced('muted_topics'),
};
