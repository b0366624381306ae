/** Events of streams and subscriptions. */
import type { ClientState, Fold } from './client-state.ts';
import type { Item } from './state-item.ts';

const lists = ['subscriptions', 'unsubscribed', 'never_subscribed'] as const;
const streamKeys = [
  'name',
  'stream_id',
  'description',
  'rendered_description',
  'invite_only',
  'is_web_public',
  'is_announcement_only',
  'history_public_to_subscribers',
  'first_message_id',
] as const;

function streamObject(item: Item): Item {
  return Object.fromEntries(streamKeys.map((key) => [key, item[key]]));
}

/** @returns every object in the state for this stream */
function objectsOf(client: ClientState, streamId: number): Item[] {
  const groups = client.items('realm_default_stream_groups');
  return [
    ...['streams', 'realm_default_streams', ...lists].flatMap((key) => client.items(key)),
    ...groups.flatMap((group) => group['streams'] as Item[]),
  ].filter((item) => item['stream_id'] === streamId);
}

/** A stream becomes visible to a user who is not subscribed. */
function reveal(client: ClientState, stream: Item): void {
  if (lists.some((key) => client.findById(key, 'stream_id', stream['stream_id']) !== undefined)) {
    if (stream['invite_only'] === false) client.put('streams', 'stream_id', streamObject(stream));
    return;
  }
  // Private streams arrive with the user's own subscription, except for administrators, who see every stream.
  if (stream['invite_only'] === true && !client.isAdministrator) return;
  if (client.isGuest) return;
  client.put('never_subscribed', 'stream_id', {
    ...stream,
    is_old_stream: false,
    stream_weekly_traffic: null,
    ...(client.reader.includeSubscribers && { subscribers: [] }),
  });
  if (stream['invite_only'] === false) client.put('streams', 'stream_id', { ...stream });
}

/** Whether the client still sees a stream that its user is not in. */
function isInSight(client: ClientState, stream: Item): boolean {
  return client.isAdministrator || (!client.isGuest && stream['invite_only'] === false);
}

/** Removes subscribers and description of a stream that the user left and no longer sees. */
function showAsLeft(client: ClientState, stream: Item): void {
  if (isInSight(client, stream)) {
    if (client.reader.includeSubscribers) stream['subscribers'] ??= [];
    return;
  }
  delete stream['subscribers'];
  stream['description'] = '';
  stream['rendered_description'] = '';
}

function forget(client: ClientState, stream: Item): void {
  for (const key of ['streams', ...lists]) client.drop(key, 'stream_id', stream['stream_id']);
  client.state['muted_topics'] = (client.state['muted_topics'] as [string, string][]).filter(
    ([name]) => name !== stream['name'],
  );
  renameInBots(client, stream['name'] as string, null);
}

function renameInBots(client: ClientState, name: string, value: string | null): void {
  for (const bot of client.items('realm_bots'))
    for (const key of ['default_sending_stream', 'default_events_register_stream'])
      if (bot[key] === name) bot[key] = value;
}

function update(client: ClientState, event: Item): void {
  const { property, value, stream_id: streamId, name } = event as Record<string, string>;
  if (property === undefined || property === 'email_address') return;
  for (const object of objectsOf(client, Number(streamId))) {
    object[property] = value;
    for (const key of ['rendered_description', 'history_public_to_subscribers'])
      if (key in event) object[key] = event[key];
  }
  if (property === 'name') {
    client.state['muted_topics'] = (client.state['muted_topics'] as [string, string][]).map(
      ([stream, topic]) => [stream === name ? value : stream, topic],
    );
    renameInBots(client, name ?? '', value ?? '');
  }
  if (property !== 'invite_only') return;
  const id = Number(streamId);
  const left = client.findById('unsubscribed', 'stream_id', id);
  if (left !== undefined) showAsLeft(client, left);
  // The list of streams contains public ones and the user's own.
  const known = lists.map((key) => client.findById(key, 'stream_id', id)).find(Boolean);
  const isSubscribed = client.findById('subscriptions', 'stream_id', id) !== undefined;
  if (known === undefined) return;
  if (isSubscribed || (known['invite_only'] === false && !client.isGuest))
    client.put('streams', 'stream_id', streamObject(known));
  else client.drop('streams', 'stream_id', id);
}

const stream: Fold = (client, event) => {
  const streams = event['streams'] as Item[] | undefined;
  switch (event['op']) {
    case 'create':
      return streams?.forEach((one) => reveal(client, one));
    case 'delete':
      return streams?.forEach((one) => forget(client, one));
    case 'update':
      return update(client, event);
    case 'occupy':
    case 'vacate':
      return undefined;
    default:
      throw new Error(`an unknown event of streams: ${JSON.stringify(event)}`);
  }
};

function add(client: ClientState, subscription: Item): void {
  const id = subscription['stream_id'];
  for (const key of lists) client.drop(key, 'stream_id', id);
  const { subscribers, ...rest } = subscription;
  client.put('subscriptions', 'stream_id', {
    ...rest,
    ...(client.reader.includeSubscribers && { subscribers }),
  });
  client.put('streams', 'stream_id', streamObject(subscription));
}

function remove(client: ClientState, streamId: number): void {
  const subscription = client.drop('subscriptions', 'stream_id', streamId);
  if (subscription === undefined) return;
  const { subscribers, ...rest } = subscription;
  const others = ((subscribers ?? []) as number[]).filter((id) => id !== client.reader.userId);
  const left: Item = {
    ...rest,
    ...(client.reader.includeSubscribers && { subscribers: others }),
  };
  showAsLeft(client, left);
  client.put('unsubscribed', 'stream_id', left);
  if (client.isGuest || subscription['invite_only'] === true)
    client.drop('streams', 'stream_id', streamId);
}

function changePeers(client: ClientState, event: Item, isAdded: boolean): void {
  for (const streamId of event['stream_ids'] as number[]) {
    for (const key of lists) {
      const item = client.findById(key, 'stream_id', streamId);
      if (item?.['subscribers'] === undefined) continue;
      const subscribers = new Set(item['subscribers'] as number[]);
      for (const userId of event['user_ids'] as number[]) {
        if (isAdded) subscribers.add(userId);
        else subscribers.delete(userId);
      }
      item['subscribers'] = [...subscribers].toSorted((a, b) => a - b);
    }
  }
}

const subscription: Fold = (client, event) => {
  const subscriptions = event['subscriptions'] as Item[];
  switch (event['op']) {
    case 'add':
      return subscriptions.forEach((one) => {
        add(client, one);
        client.unread.join(one['stream_id'] as number);
      });
    case 'remove':
      return subscriptions.forEach((one) => remove(client, one['stream_id'] as number));
    case 'peer_add':
    case 'peer_remove':
      return changePeers(client, event, event['op'] === 'peer_add');
    case 'update': {
      const item = client.findById('subscriptions', 'stream_id', event['stream_id']);
      if (item === undefined) return undefined;
      item[event['property'] as string] = event['value'];
      if (event['property'] === 'in_home_view') item['is_muted'] = event['value'] === false;
      return undefined;
    }
    default:
      throw new Error(`an unknown event of subscriptions: ${JSON.stringify(event)}`);
  }
};

export const streamFolds: Readonly<Record<string, Fold>> = {
  stream,
  subscription,
  default_streams: (client, event) => {
    client.state['realm_default_streams'] = event['default_streams'];
  },
  default_stream_groups: (client, event) => {
    client.state['realm_default_stream_groups'] = event['default_stream_groups'];
  },
};
