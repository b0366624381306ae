/**
 * Compares the state that a client derived from its register and the events with a fresh answer of register. Data that no event reports
 * is excluded, each part for the reason stated; everything else must be equal.
 */
import { isDeepStrictEqual } from 'node:util';

import type { ClientState } from './client-state.ts';
import type { Item } from './state-item.ts';

/** Keys that are never compared. */
const ignoredKeys: ReadonlySet<string> = new Set([
  // They describe the answer and the queue.
  'result',
  'msg',
  'queue_id',
  'last_event_id',
  // Reference facts, events 14.3: it has no event.
  'enter_sends',
  // Computed from the account's settings and from time alone; their parts are compared below.
  'presences',
]);

/** Lists without a meaningful order, or with one that a key determines, and the key to sort them by. */
const sortedBy: Readonly<Record<string, string>> = {
  streams: 'name',
  subscriptions: 'name',
  unsubscribed: 'name',
  never_subscribed: 'name',
  realm_default_streams: 'name',
  realm_default_stream_groups: 'name',
  realm_users: 'user_id',
  realm_non_active_users: 'user_id',
  realm_bots: 'user_id',
  realm_user_groups: 'id',
  realm_domains: 'domain',
  drafts: 'id',
  scheduled_messages: 'scheduled_message_id',
};

const settingNames = [
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
] as const;

/** Names sort by code points, as on the server. */
function byKey(key: string): (a: Item, b: Item) => number {
  return (a, b) => {
    const [left, right] = [a[key], b[key]];
    if (typeof left === 'number' && typeof right === 'number') return left - right;
    return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)));
  };
}

/** @returns a sentence for each difference, with its deepest path */
export function differences(known: unknown, fresh: unknown, path = ''): string[] {
  if (isDeepStrictEqual(known, fresh)) return [];
  if (Array.isArray(known) && Array.isArray(fresh)) return listDifferences(known, fresh, path);
  if (isItem(known) && isItem(fresh)) {
    const keys = new Set([...Object.keys(known), ...Object.keys(fresh)]);
    return [...keys].flatMap((key) => differences(known[key], fresh[key], `${path}.${key}`));
  }
  return [`${path}: the client has ${shortly(known)}, register answers ${shortly(fresh)}`];
}

function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shortly(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 300);
}

/** Objects with an id are compared by it, so that a missing one does not affect the others. */
function listDifferences(
  known: readonly unknown[],
  fresh: readonly unknown[],
  path: string,
): string[] {
  const idKey = ['stream_id', 'user_id', 'id', 'domain'].find((key) =>
    [...known, ...fresh].every((item) => isItem(item) && key in item),
  );
  if (idKey === undefined) {
    if (known.length !== fresh.length)
      return [`${path}: the client has ${shortly(known)}, register answers ${shortly(fresh)}`];
    return known.flatMap((item, n) => differences(item, fresh[n], `${path}[${n}]`));
  }
  const index = (list: readonly unknown[]): Map<unknown, Item> =>
    new Map((list as Item[]).map((item) => [item[idKey], item]));
  const [left, right] = [index(known), index(fresh)];
  const found = [...new Set([...left.keys(), ...right.keys()])].flatMap((id) =>
    differences(left.get(id), right.get(id), `${path}(${idKey} ${String(id)})`),
  );
  return found.length > 0 ? found : [`${path}: the order differs`];
}

function dropUnreported(client: ClientState, state: Item, other: Item): Item {
  const { unreported } = client;
  const left = Object.fromEntries(Object.entries(state).filter(([key]) => !ignoredKeys.has(key)));
  for (const [list, key] of Object.entries(sortedBy))
    if (left[list] !== undefined) left[list] = (left[list] as Item[]).toSorted(byKey(key));
  if (unreported.maxMessageId) delete left['max_message_id'];
  leaveOutFirstMessages(client, left, other);
  if (client.unreported.emailVisibility) leaveOutGravatars(left);
  for (const subscription of [
    ...(left['subscriptions'] as Item[]),
    ...(left['unsubscribed'] as Item[]),
  ])
    for (const name of settingNames)
      // An inherited value changes with the account's setting for all streams; null stands for it.
      if (
        unreported.inheritedSettings.has(name) ||
        subscription[name] === null ||
        subscription[name] === left[`enable_stream_${name}`]
      )
        Reflect.deleteProperty(subscription, name);
  left['recent_private_conversations'] = (left['recent_private_conversations'] as Item[]).filter(
    ({ user_ids }) => !unreported.conversations.has(String(user_ids)),
  );
  return left;
}

/** Only accounts that get a stream's messages learn its first one, and nobody learns the first one after a deletion. */
function leaveOutFirstMessages(client: ClientState, left: Item, other: Item): void {
  const others = new Map(
    (other['subscriptions'] as Item[]).map((item) => [item['stream_id'], item['first_message_id']]),
  );
  for (const item of left['subscriptions'] as Item[]) {
    const id = item['stream_id'] as number;
    const isReported = item['first_message_id'] !== null && (others.get(id) ?? null) !== null;
    if (!isReported || client.unreported.firstMessages.has(id)) delete item['first_message_id'];
  }
  const groups = left['realm_default_stream_groups'] as Item[];
  for (const group of groups)
    group['streams'] = (group['streams'] as Item[]).toSorted(byKey('name'));
  const elsewhere = [
    ...['streams', 'unsubscribed', 'never_subscribed', 'realm_default_streams'].map(
      (key) => left[key] as Item[],
    ),
    ...groups.map((group) => group['streams'] as Item[]),
  ];
  for (const stream of elsewhere.flat()) delete stream['first_message_id'];
}

/** With hidden addresses clients make no Gravatars, and no event reports those of bots, which the server makes. */
function leaveOutGravatars(left: Item): void {
  for (const key of ['realm_users', 'realm_non_active_users'])
    for (const person of left[key] as Item[]) {
      if (person['is_bot'] === true && !(person['avatar_url'] as string | null)?.startsWith('/'))
        delete person['avatar_url'];
    }
}

function unreadDifferences(client: ClientState, fresh: Item): string[] {
  const { unread, uncertainMentions } = client.unread.summary();
  const expected = structuredClone(fresh['unread_msgs']) as Item;
  for (const state of [unread, expected])
    state['mentions'] = (state['mentions'] as number[]).filter((id) => !uncertainMentions.has(id));
  const sort = (state: Item, list: string, key: (item: Item) => string): void => {
    state[list] = (state[list] as Item[]).toSorted((a, b) =>
      Buffer.compare(Buffer.from(key(a)), Buffer.from(key(b))),
    );
  };
  const topicKey = (item: Item): string => `${String(item['stream_id'])} ${String(item['topic'])}`;
  for (const state of [unread, expected]) {
    sort(state, 'streams', topicKey);
    sort(state, 'pms', (item) => String(item['sender_id']));
    sort(state, 'huddles', (item) => String(item['user_ids_string']));
  }
  const streams = new Map((unread['streams'] as Item[]).map((item) => [topicKey(item), item]));
  for (const group of expected['streams'] as Item[])
    if (streams.get(topicKey(group))?.['sender_ids'] === undefined) delete group['sender_ids'];
  return differences(unread, expected, '.unread_msgs');
}

/** Presence may be newer in a fresh answer, because some reports cause no event. */
function presenceDifferences(client: ClientState, fresh: Item): string[] {
  const known = client.state['presences'] as Record<string, Record<string, Item>>;
  const expected = fresh['presences'] as Record<string, Record<string, Item>>;
  const returned = new Set(
    client
      .items('realm_users')
      .filter((person) => client.unreported.returned.has(person['user_id'] as number))
      .map((person) => person['email']),
  );
  const emails = [...new Set([...Object.keys(known), ...Object.keys(expected)])];
  return emails
    .filter((email) => !returned.has(email))
    .flatMap((email) => {
      const [left, right] = [known[email] ?? {}, expected[email] ?? {}];
      const unknown = Object.entries(right).filter(
        ([name, entry]) =>
          left[name] === undefined && Number(entry['timestamp']) < client.reader.askedAtSecs,
      );
      const older = Object.entries(left).filter(
        ([name, entry]) => !(Number(right[name]?.['timestamp']) >= Number(entry['timestamp'])),
      );
      return [...unknown, ...older].map(
        ([name]) =>
          `.presences(${email}).${name}: the client has ${shortly(left[name])}, register answers ${shortly(right[name])}`,
      );
    });
}

/** @returns a sentence for each difference; none if the client knows everything that register returns */
export function compareStates(client: ClientState, answer: Item): string[] {
  const known = structuredClone(client.state);
  const fresh = structuredClone(answer);
  const found = [...unreadDifferences(client, fresh), ...presenceDifferences(client, fresh)];
  delete known['unread_msgs'];
  delete fresh['unread_msgs'];
  const [left, right] = [
    dropUnreported(client, known, fresh),
    dropUnreported(client, fresh, known),
  ];
  return [...found, ...differences(left, right)];
}
