/** Requests about people, bots and settings, which everybody makes. */
import { makeMark } from './marks.ts';
import { alike, idsOf, sampled, unknownId } from './plan.ts';
import type { Plan, Plans } from './plan.ts';
import type { Ask, Asker } from './asker.ts';
import type { Person } from './world.ts';

/** A change that only administrators may make, tried by the others. */
function byOthersThanAdministrators(ask: (somebody: Person) => Ask): Plan {
  return ({ me, world, random }) => {
    if (me.role === 'administrator') return [];
    const others = world.people.filter((person) => person !== me && person.ownerId !== me.id);
    return random.sample(others, 3).map((person) => ({ ...ask(person), succeeds: false }));
  };
}

/** A change of a bot, tried by people who do not own it. */
function onBotsOfOthers(ask: (bot: Person) => Ask): Plan {
  return ({ me, world, random }) => {
    if (me.role === 'administrator') return [];
    const bots = world.people.filter(
      ({ botType, ownerId }) => botType !== null && ownerId !== me.id,
    );
    return random.sample(bots, 3).map((bot) => ({ ...ask(bot), succeeds: false }));
  };
}

/** The owner of a bot sets its streams to ones that are hidden from the owner. */
function* changeOwnBot({ me, world, hiddenStreams, random }: Asker): Iterable<Ask> {
  const bot = world.people.find(({ ownerId, isActive }) => ownerId === me.id && isActive);
  if (bot === undefined) return;
  const names = random.sample(hiddenStreams, sampled).map((stream) => stream.name);
  for (const parameter of ['default_sending_stream', 'default_events_register_stream'])
    yield* alike(`bot ${parameter}`, makeMark(random), names, (name) => ({
      path: `bots/${bot.id}`,
      parameters: { [parameter]: name },
    }));
}

/** Pictures are public, and the addresses in these requests are not secret. */
const askForAvatars =
  (suffix: string): Plan =>
  ({ world, random }) =>
    [...random.sample(world.people, sampled), { id: unknownId, email: 'no@example.com' }].flatMap(
      ({ id, email }) =>
        [id, email].map((one) => ({ path: `../../avatar/${one}${suffix}`, parameters: {} })),
    );

const ownField = [{ id: 1, value: 'x' }];

export const peoplePlans: Plans = {
  'GET server_settings': () => [{ path: 'server_settings', succeeds: true }],
  'POST fetch_api_key': ({ world, random }) => [
    {
      path: 'fetch_api_key',
      parameters: { username: random.pick(world.people).email, password: 'wrong' },
      succeeds: false,
    },
  ],
  'POST dev_fetch_api_key': { because: 'it is there in development only, to give keys away' },
  'POST password_reset': ({ world, random }) => [
    // With and without an account, and with a hidden one.
    ...random.sample(world.people, sampled).map(({ email }) => ({
      path: 'password_reset',
      parameters: { email },
    })),
    { path: 'password_reset', parameters: { email: 'no@example.com' } },
  ],
  'POST password_reset/confirm': () => [
    {
      path: 'password_reset/confirm',
      parameters: { token: 'x'.repeat(43), new_password: 'the heron sleeps on one leg' },
      succeeds: false,
    },
  ],
  'POST join': () => [
    {
      path: 'join',
      parameters: {
        token: 'x'.repeat(43),
        full_name: 'New',
        password: 'the heron sleeps on one leg',
      },
      succeeds: false,
    },
  ],
  'POST join/look': () => [
    { path: 'join/look', parameters: { token: 'x'.repeat(43) }, succeeds: false },
  ],
  'POST join/request': ({ world, random }) =>
    random.sample(world.people, sampled).map(({ email }) => ({
      path: 'join/request',
      parameters: { email },
      succeeds: false,
    })),
  'GET invites': byOthersThanAdministrators(() => ({ path: 'invites' })),
  'POST invites': ({ hiddenStreams, random }) =>
    random.sample(hiddenStreams, sampled).map(({ id }) => ({
      path: 'invites',
      parameters: { invitee_emails: 'new@example.com', stream_ids: [id] },
      succeeds: false,
    })),
  'POST invites/multiuse': byOthersThanAdministrators(() => ({ path: 'invites/multiuse' })),
  'DELETE invites/multiuse/{invite_id}': byOthersThanAdministrators(() => ({
    path: 'invites/multiuse/1',
  })),
  'DELETE invites/{invite_id}': byOthersThanAdministrators(() => ({ path: 'invites/1' })),
  'POST invites/{invite_id}/resend': byOthersThanAdministrators(() => ({
    path: 'invites/1/resend',
  })),
  'GET scim_tokens': byOthersThanAdministrators(() => ({ path: 'scim_tokens' })),
  'POST scim_tokens': byOthersThanAdministrators(() => ({
    path: 'scim_tokens',
    parameters: { name: 'x' },
  })),
  'DELETE scim_tokens/{token_id}': byOthersThanAdministrators(() => ({ path: 'scim_tokens/1' })),
  'POST settings/email/confirm': () => [
    { path: 'settings/email/confirm', parameters: { token: 'x'.repeat(43) }, succeeds: false },
  ],
  'POST sessions': { because: 'it takes a password, and is for pages of the server' },
  'POST sso/start': () => [
    { path: 'sso/start', parameters: { provider: 'none' }, succeeds: false },
    {
      path: 'sso/start',
      parameters: { provider: 'none', token: 'x'.repeat(43) },
      succeeds: false,
    },
  ],
  'POST sso/finish': () => [
    { path: 'sso/finish', parameters: { provider: 'none', answer: 'code=x' }, succeeds: false },
  ],
  'POST sso/link': () => [{ path: 'sso/link', parameters: { provider: 'none' }, succeeds: false }],
  'GET sso/identities': () => [{ path: 'sso/identities' }],
  'DELETE sso/identities/{identity_id}': () =>
    [1, 2, 999_999].map((id) => ({ path: `sso/identities/${id}`, succeeds: false })),
  'GET sessions': () => [{ path: 'sessions' }],
  'DELETE sessions/{session_id}': () => [1, 2, 999_999].map((id) => ({ path: `sessions/${id}` })),
  'DELETE sessions': () => [{ path: 'sessions' }],
  'GET push_subscriptions': () => [{ path: 'push_subscriptions' }],
  'POST push_subscriptions': { because: 'its answer has only the number of the new subscription' },
  'DELETE push_subscriptions': () => [
    { path: 'push_subscriptions', parameters: { endpoint: 'https://push.example/a' } },
  ],
  'GET users': () =>
    [{}, { client_gravatar: true, include_custom_profile_fields: true }].map((parameters) => ({
      path: 'users',
      parameters,
    })),
  'POST users': byOthersThanAdministrators(() => ({
    path: 'users',
    parameters: { email: 'new@example.com', full_name: 'New', password: 'x', short_name: 'new' },
  })),
  'GET users/me': () => [{ path: 'users/me' }],
  'DELETE users/me': { because: "it ends the asker's account" },
  'POST users/me/status': () => [{ path: 'users/me/status', parameters: { status_text: 'out' } }],
  'PATCH users/me/profile_data': () => [
    { path: 'users/me/profile_data', parameters: { data: ownField } },
  ],
  'DELETE users/me/profile_data': () => [
    { path: 'users/me/profile_data', parameters: { data: [1] } },
  ],
  'POST users/me/enter-sends': () => [
    { path: 'users/me/enter-sends', parameters: { enter_sends: true } },
  ],
  'POST users/me/hotspots': () => [
    { path: 'users/me/hotspots', parameters: { hotspot: 'intro_gear' } },
  ],
  'POST users/me/api_key/regenerate': { because: "it ends the asker's sign-in" },
  'GET users/{user_id}': ({ world, random }) =>
    idsOf(random.sample(world.people, sampled)).map((id) => ({
      path: `users/${id}`,
      parameters: { include_custom_profile_fields: true },
    })),
  'PATCH users/{user_id}': byOthersThanAdministrators(({ id }) => ({
    path: `users/${id}`,
    parameters: { full_name: 'Other' },
  })),
  'DELETE users/{user_id}': byOthersThanAdministrators(({ id }) => ({ path: `users/${id}` })),
  'POST users/{user_id}/reactivate': byOthersThanAdministrators(({ id }) => ({
    path: `users/${id}/reactivate`,
  })),
  'PATCH settings': () => [{ path: 'settings' }],
  'PATCH settings/display': () => [
    { path: 'settings/display', parameters: { twenty_four_hour_time: true } },
  ],
  'PATCH settings/notifications': () => [
    { path: 'settings/notifications', parameters: { enable_sounds: true } },
  ],
  'POST users/me/avatar': { because: 'it takes a picture of the asker, which everybody may see' },
  'DELETE users/me/avatar': () => [{ path: 'users/me/avatar' }],
  'GET /avatar/{email_or_id}': askForAvatars(''),
  'GET /avatar/{email_or_id}/medium': askForAvatars('/medium'),
  'GET /user_avatars/{realm_id}/{file}': () => [{ path: '../../user_avatars/1/none.png' }],
  'GET /static/images/default-avatar.png': () => [
    { path: '../../static/images/default-avatar.png' },
  ],
  'GET /static/images/default-avatar-medium.png': () => [
    { path: '../../static/images/default-avatar-medium.png' },
  ],
  'GET bots': () => [{ path: 'bots' }],
  'POST bots': { because: 'it makes an account for the asker' },
  'PATCH bots/{bot_id}': function* changeBots(asker) {
    yield* changeOwnBot(asker);
    yield* onBotsOfOthers(({ id }) => ({ path: `bots/${id}`, parameters: { full_name: 'X' } }))(
      asker,
    );
  },
  'DELETE bots/{bot_id}': onBotsOfOthers(({ id }) => ({ path: `bots/${id}` })),
  'POST bots/{bot_id}/api_key/regenerate': onBotsOfOthers(({ id }) => ({
    path: `bots/${id}/api_key/regenerate`,
  })),
  'GET bot_storage': () => [{ path: 'bot_storage' }],
  'PUT bot_storage': { because: 'it writes what only the asker can read' },
  'DELETE bot_storage': { because: 'it takes away what only the asker can read' },
  'GET realm/profile_fields': () => [{ path: 'realm/profile_fields' }],
  'POST realm/profile_fields': byOthersThanAdministrators(() => ({
    path: 'realm/profile_fields',
    parameters: { name: 'Field', field_type: 1 },
  })),
  'PATCH realm/profile_fields': byOthersThanAdministrators(() => ({
    path: 'realm/profile_fields',
    parameters: { order: [1] },
  })),
  'PATCH realm/profile_fields/{field_id}': byOthersThanAdministrators(() => ({
    path: 'realm/profile_fields/1',
    parameters: { name: 'Field' },
  })),
  'DELETE realm/profile_fields/{field_id}': byOthersThanAdministrators(() => ({
    path: 'realm/profile_fields/1',
  })),
};
