/** Changes of the organization and of a person's own settings. */
import { drawDefaultAvatar } from '@parley/files/images';

import type { Operations, World } from './world.ts';

function changeRealm(
  parametersOf: (world: World) => Readonly<Record<string, unknown>>,
): Operations[string] {
  return (world) => world.did(world.anAdministrator, 'PATCH', 'realm', parametersOf(world));
}

function set(
  path: string,
  parametersOf: (world: World) => Readonly<Record<string, unknown>>,
): Operations[string] {
  return async (world) => {
    const who = world.random.pick(world.people);
    return world.did(who, 'PATCH', path, parametersOf(world));
  };
}

async function changeDomains(world: World): Promise<boolean> {
  const domain = world.random.pick(['example.com', 'example.org', 'example.net']);
  const who = world.anAdministrator;
  const allow = world.random.chance(0.5);
  const answer = await world.random.pick([
    () =>
      world.ask(who, 'POST', 'realm/domains', {
        domain: JSON.stringify(domain),
        allow_subdomains: allow,
      }),
    () => world.ask(who, 'PATCH', `realm/domains/${domain}`, { allow_subdomains: allow }),
    () => world.ask(who, 'DELETE', `realm/domains/${domain}`),
  ])();
  return answer !== undefined;
}

async function changeLinkifiers(world: World): Promise<boolean> {
  const who = world.anAdministrator;
  const answer = await world.ask(who, 'GET', 'realm/filters');
  const filters = (answer?.['filters'] ?? []) as [string, string, number][];
  if (filters.length < 3)
    return world.did(who, 'POST', 'realm/filters', {
      pattern: `${world.newWord('T')}-(?P<id>[0-9]+)`,
      url_format_string: 'https://tickets.example/%(id)s',
    });
  const [, , id] = world.random.pick(filters);
  return world.did(who, 'DELETE', `realm/filters/${id}`);
}

const picture = drawDefaultAvatar(32);

async function changeEmoji(world: World): Promise<boolean> {
  const name = world.random.pick(['heron', 'owl', 'tern']);
  const path = `realm/emoji/${name}`;
  if (world.random.chance(0.6))
    return world.sendPicture(world.random.pick(world.members), path, await picture);
  return world.did(world.anAdministrator, 'DELETE', path);
}

async function changeFields(world: World): Promise<boolean> {
  const who = world.anAdministrator;
  const answer = await world.ask(who, 'GET', 'realm/profile_fields');
  const fields = (answer?.['custom_fields'] ?? []) as { readonly id: number; name: string }[];
  if (fields.length < 3)
    return world.did(who, 'POST', 'realm/profile_fields', {
      name: world.newName('Field'),
      hint: '',
      field_type: world.random.pick([1, 2, 6]),
    });
  const { id } = world.random.pick(fields);
  const path = `realm/profile_fields/${id}`;
  const done = await world.random.pick([
    () => world.ask(who, 'DELETE', path),
    () => world.ask(who, 'PATCH', path, { name: world.newName('Field'), hint: 'New' }),
    () =>
      world.ask(who, 'PATCH', 'realm/profile_fields', {
        order: fields.map((field) => field.id).toReversed(),
      }),
  ])();
  return done !== undefined;
}

export const realmOperations = {
  'name the organization': changeRealm((world) => ({
    name: JSON.stringify(world.newName('Harbour')),
  })),
  'describe the organization': changeRealm((world) => ({
    description: JSON.stringify(world.newName('We build')),
  })),
  'change what is allowed': changeRealm(({ random }) => ({
    create_stream_policy: random.pick([1, 1, 3]),
    invite_to_stream_policy: random.pick([1, 1, 3]),
    waiting_period_threshold: random.pick([0, 0, 1]),
    mandatory_topics: random.chance(0.5),
    send_move_notices: random.chance(0.5),
  })),
  'change how messages are edited': changeRealm(({ random }) => ({
    allow_message_editing: true,
    allow_community_topic_editing: random.chance(0.5),
    message_content_edit_limit_seconds: random.pick([0, 600, 900]),
    message_content_delete_limit_seconds: random.pick([0, 600]),
  })),
  'change how people sign in': changeRealm(({ random }) => ({
    authentication_methods: { Dev: random.chance(0.5), Email: random.chance(0.5) },
  })),
  'announce in another stream': changeRealm((world) => ({
    [world.random.pick(['notifications_stream_id', 'signup_notifications_stream_id'])]:
      world.random.pick([-1, world.aStream().id]),
  })),
  'hide or show addresses': changeRealm(({ random }) => ({
    email_address_visibility: random.pick([1, 1, 1, 3]),
  })),
  'change domains': changeDomains,
  'change linkifiers': changeLinkifiers,
  'change emoji': changeEmoji,
  'change profile fields': changeFields,
  'show another icon': async (world) => {
    const path = world.random.pick([
      'realm/icon',
      'realm/logo?night=false',
      'realm/logo?night=true',
    ]);
    if (world.random.chance(0.6))
      return world.sendPicture(world.anAdministrator, path, await picture);
    return world.did(world.anAdministrator, 'DELETE', path);
  },
  'change display settings': set('settings/display', ({ random }) => ({
    night_mode: random.chance(0.5),
    twenty_four_hour_time: random.chance(0.5),
    timezone: random.pick(['', 'Europe/Berlin', 'Asia/Tokyo']),
    default_language: random.pick(['en', 'de']),
    emojiset: random.pick(['google', 'text']),
  })),
  'change notification settings': set('settings/notifications', ({ random }) => ({
    enable_sounds: random.chance(0.5),
    wildcard_mentions_notify: random.chance(0.5),
    notification_sound: random.pick(['ding', 'zulip']),
    desktop_icon_count_display: random.pick([1, 2, 3]),
    ...(random.chance(0.3) && { enable_stream_push_notifications: random.chance(0.5) }),
  })),
} satisfies Operations;
