/** Events of people, bots, groups, presence and status. */
import type { ClientState, Fold } from './client-state.ts';
import type { Item } from './state-item.ts';

const isGravatar = (url: unknown): boolean =>
  typeof url === 'string' && url.startsWith('https://secure.gravatar.com/');

const hidesEmails = (client: ClientState): boolean =>
  client.state['realm_email_address_visibility'] === 3;

/** A client that makes Gravatar URLs itself keeps none. */
function shownAvatar(client: ClientState, url: unknown): unknown {
  const makes = client.reader.clientGravatar && !hidesEmails(client);
  return makes && isGravatar(url) ? null : url;
}

function add(client: ClientState, person: Item): void {
  const id = person['user_id'] as number;
  if (client.drop('realm_non_active_users', 'user_id', id) !== undefined)
    client.unreported.returned.add(id);
  client.put('realm_users', 'user_id', {
    ...person,
    avatar_url: shownAvatar(client, person['avatar_url']),
  });
}

function remove(client: ClientState, person: Item): void {
  const id = person['user_id'] as number;
  const known = client.drop('realm_users', 'user_id', id);
  if (known !== undefined) client.put('realm_non_active_users', 'user_id', known);
  for (const key of ['subscriptions', 'unsubscribed', 'never_subscribed'])
    for (const item of client.items(key))
      if (item['subscribers'] !== undefined)
        item['subscribers'] = (item['subscribers'] as number[]).filter((one) => one !== id);
  Reflect.deleteProperty(client.state['user_status'] as Item, String(id));
  Reflect.deleteProperty(client.state['presences'] as Item, known?.['email'] as string);
}

/** @returns the account from either list */
function findPerson(client: ClientState, id: unknown): Item | undefined {
  return (
    client.findById('realm_users', 'user_id', id) ??
    client.findById('realm_non_active_users', 'user_id', id)
  );
}

function renameEmail(client: ClientState, before: string, after: string): void {
  const presences = client.state['presences'] as Item;
  if (presences[before] !== undefined) {
    presences[after] = presences[before];
    Reflect.deleteProperty(presences, before);
  }
  for (const bot of client.items('realm_bots')) if (bot['owner'] === before) bot['owner'] = after;
}

function update(client: ClientState, person: Item): void {
  const id = person['user_id'] as number;
  const known = findPerson(client, id);
  const isSelf = id === client.reader.userId;
  const { email: _email, new_email: newEmail, custom_profile_field: field, ...change } = person;
  if (known !== undefined) {
    for (const key of ['full_name', 'timezone', 'is_admin', 'is_guest', 'bot_owner_id'])
      if (key in change) known[key] = change[key];
    if ('delivery_email' in change && client.isAdministrator)
      known['delivery_email'] = change['delivery_email'];
    if ('avatar_url' in change) known['avatar_url'] = shownAvatar(client, change['avatar_url']);
    if (newEmail !== undefined) {
      renameEmail(client, known['email'] as string, newEmail as string);
      known['email'] = newEmail;
    }
    if (field !== undefined) changeProfile(known, field as Item);
  }
  if (isSelf) {
    for (const key of [
      'full_name',
      'is_admin',
      'is_guest',
      'avatar_source',
      'avatar_url',
      'avatar_url_medium',
      'delivery_email',
    ])
      if (key in change) client.state[key] = change[key];
    if (newEmail !== undefined) client.state['email'] = newEmail;
  }
  for (const emoji of Object.values(client.state['realm_emoji'] as Item)) {
    const author = (emoji as Item)['author'] as Item | null;
    if (author?.['id'] !== id) continue;
    if ('full_name' in change) author['full_name'] = change['full_name'];
    if (newEmail !== undefined) author['email'] = newEmail;
  }
}

function changeProfile(person: Item, { id, ...value }: Item): void {
  const profile = person['profile_data'] as Item;
  if (value['value'] === null) Reflect.deleteProperty(profile, String(id));
  else profile[String(id)] = value;
}

const realmUser: Fold = (client, event) => {
  const person = event['person'] as Item;
  switch (event['op']) {
    case 'add':
      return add(client, person);
    case 'remove':
      return remove(client, person);
    case 'update':
      return update(client, person);
    default:
      throw new Error(`an unknown event of people: ${JSON.stringify(event)}`);
  }
};

const realmBot: Fold = (client, event) => {
  const bot = event['bot'] as Item;
  const id = bot['user_id'];
  switch (event['op']) {
    case 'add':
      return client.put('realm_bots', 'user_id', { owner: null, ...bot });
    case 'delete':
      return void client.drop('realm_bots', 'user_id', id);
    default:
  }
  const known = client.findById('realm_bots', 'user_id', id);
  if (known === undefined) return undefined;
  if (event['op'] === 'remove') {
    known['is_active'] = false;
    return undefined;
  }
  const { owner_id: ownerId, ...change } = bot;
  Object.assign(known, change);
  if (ownerId !== undefined) known['owner'] = findPerson(client, ownerId)?.['email'] ?? null;
  return undefined;
};

const userGroup: Fold = (client, event) => {
  const group = client.findById('realm_user_groups', 'id', event['group_id']);
  const given = (event['user_ids'] ?? []) as number[];
  const members = new Set((group?.['members'] ?? []) as number[]);
  switch (event['op']) {
    case 'add':
      return client.put('realm_user_groups', 'id', event['group'] as Item);
    case 'remove':
      return void client.drop('realm_user_groups', 'id', event['group_id']);
    case 'update':
      return void Object.assign(group ?? {}, event['data']);
    case 'add_members':
      for (const id of given) members.add(id);
      break;
    case 'remove_members':
      for (const id of given) members.delete(id);
      break;
    default:
      throw new Error(`an unknown event of groups: ${JSON.stringify(event)}`);
  }
  if (group !== undefined) group['members'] = [...members].toSorted((a, b) => a - b);
  return undefined;
};

const presence: Fold = (client, event) => {
  const presences = client.state['presences'] as Record<string, Item>;
  const email = event['email'] as string;
  const entries = { ...presences[email], ...(event['presence'] as Item) } as Record<string, Item>;
  Reflect.deleteProperty(entries, 'aggregated');
  const newest = Object.values(entries)
    .toSorted((a, b) => Number(a['timestamp']) - Number(b['timestamp']))
    .at(-1);
  const { pushable: _pushable, ...aggregated } = newest ?? {};
  presences[email] = { ...entries, aggregated };
};

const userStatus: Fold = (client, event) => {
  const statuses = client.state['user_status'] as Record<string, Item>;
  const id = String(event['user_id']);
  const status: Item = { ...statuses[id] };
  if (event['away'] === true) status['away'] = true;
  if (event['away'] === false) Reflect.deleteProperty(status, 'away');
  if (event['status_text'] === '') Reflect.deleteProperty(status, 'status_text');
  else if (event['status_text'] !== undefined) status['status_text'] = event['status_text'];
  if (Object.keys(status).length === 0) Reflect.deleteProperty(statuses, id);
  else statuses[id] = status;
};

export const peopleFolds: Readonly<Record<string, Fold>> = {
  realm_user: realmUser,
  realm_bot: realmBot,
  user_group: userGroup,
  presence,
  user_status: userStatus,
};
