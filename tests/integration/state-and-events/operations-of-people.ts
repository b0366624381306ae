/** Changes of people, bots and groups. */
import { drawDefaultAvatar } from '@parley/files/images';

import { password } from './world.ts';
import type { Operations, Spare, World } from './world.ts';

async function createPerson(world: World): Promise<boolean> {
  const name = world.newWord('new');
  const email = `${name}@example.com`;
  const answer = await world.ask(world.anAdministrator, 'POST', 'users', {
    email,
    full_name: name,
    short_name: name,
    password: 'the tide is low on tuesdays',
  });
  if (answer === undefined) return false;
  const id = await findId(world, name);
  if (typeof id !== 'number') return false;
  world.spares.push({ id, isActive: true, isOutgoing: false });
  return true;
}

async function findId(world: World, name: string): Promise<number | undefined> {
  const answer = await world.ask(world.readers.administrator, 'GET', 'users');
  const members = (answer?.['members'] ?? []) as { full_name: string; user_id: number }[];
  return members.find((member) => member.full_name === name)?.user_id;
}

async function createBot(world: World): Promise<boolean> {
  const { random } = world;
  const name = world.newWord('robo');
  const botType = random.pick([1, 1, 3]);
  const publicStreams = world.streams.filter(({ isPrivate }) => !isPrivate);
  const answer = await world.ask(random.pick(world.members), 'POST', 'bots', {
    full_name: name,
    short_name: name,
    bot_type: botType,
    payload_url: JSON.stringify('http://127.0.0.1:9/hook'),
    ...(random.chance(0.5) && { default_sending_stream: random.pick(publicStreams).name }),
  });
  if (answer === undefined) return false;
  world.bots.push({
    id: answer['user_id'] as number,
    isActive: true,
    isOutgoing: botType === 3,
  });
  return true;
}

/** @returns an account that is active, or one that is not */
function oneOf(world: World, list: readonly Spare[], isActive: boolean): Spare | undefined {
  const those = list.filter((spare) => spare.isActive === isActive);
  return those.length === 0 ? undefined : world.random.pick(those);
}

async function setActive(world: World, spare: Spare | undefined, isActive: boolean, kind: string) {
  if (spare === undefined) return false;
  spare.isActive = isActive;
  const who = world.anAdministrator;
  const answer = isActive
    ? await world.ask(who, 'POST', `users/${spare.id}/reactivate`)
    : await world.ask(who, 'DELETE', `${kind}/${spare.id}`);
  return answer !== undefined;
}

async function changeBot(
  world: World,
  parameters: Readonly<Record<string, unknown>>,
  bots: readonly Spare[] = world.bots,
): Promise<boolean> {
  const bot = oneOf(world, bots, true);
  if (bot === undefined) return false;
  return world.did(world.anAdministrator, 'PATCH', `bots/${bot.id}`, parameters);
}

async function changeSpare(
  world: World,
  parameters: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const spare = oneOf(world, world.spares, true);
  if (spare === undefined) return false;
  return world.did(world.anAdministrator, 'PATCH', `users/${spare.id}`, parameters);
}

async function changeMembersOfGroups(world: World): Promise<boolean> {
  const { random } = world;
  const who = random.pick(world.members);
  const groups = ((await world.ask(who, 'GET', 'user_groups'))?.['user_groups'] ?? []) as {
    readonly id: number;
  }[];
  if (groups.length < 3) {
    const answer = await world.ask(who, 'POST', 'user_groups/create', {
      name: world.newName('group'),
      description: 'All hands',
      members: random.sample(world.everybody, 3).map(({ id }) => id),
    });
    return answer !== undefined;
  }
  const path = `user_groups/${random.pick(groups).id}`;
  const members = [random.pick([...world.everybody, ...world.spares]).id];
  const answer = await random.pick([
    () => world.ask(who, 'DELETE', path),
    () => world.ask(who, 'PATCH', path, { name: world.newName('group'), description: 'Others' }),
    () => world.ask(who, 'POST', `${path}/members`, { add: members }),
    () => world.ask(who, 'POST', `${path}/members`, { delete: members }),
  ])();
  return answer !== undefined;
}

async function setStatus(world: World): Promise<boolean> {
  const { random } = world;
  const answer = await world.ask(random.pick(world.people), 'POST', 'users/me/status', {
    ...(random.chance(0.5) && { away: random.chance(0.5) }),
    status_text: random.pick(['', 'at sea', 'in a meeting']),
  });
  return answer !== undefined;
}

async function changeProfile(world: World): Promise<boolean> {
  const { random } = world;
  const who = random.pick(world.people);
  const answer = await world.ask(who, 'GET', 'realm/profile_fields');
  const fields = (answer?.['custom_fields'] ?? []) as { readonly id: number; type: number }[];
  const field = fields[random.below(Math.max(1, fields.length))];
  if (field === undefined) return false;
  if (random.chance(0.3))
    return world.did(who, 'DELETE', 'users/me/profile_data', { data: [field.id] });
  const value = field.type === 6 ? [random.pick(world.people).id] : world.newName('value **x**');
  return world.did(who, 'PATCH', 'users/me/profile_data', {
    data: [{ id: field.id, value }],
  });
}

const picture = drawDefaultAvatar(32);

export const peopleOperations = {
  'create a person': createPerson,
  'create a bot': createBot,
  'deactivate a bot': (world) => setActive(world, oneOf(world, world.bots, true), false, 'bots'),
  'reactivate a bot': (world) => setActive(world, oneOf(world, world.bots, false), true, 'bots'),
  "change a bot's owner": (world) =>
    changeBot(world, { bot_owner_id: world.random.pick(world.members).id }),
  'rename a bot': (world) => changeBot(world, { full_name: world.newWord('robo') }),
  "change a bot's streams": (world) =>
    changeBot(world, {
      default_sending_stream: world.random.pick([
        '',
        ...world.streams.filter(({ isPrivate }) => !isPrivate).map(({ name }) => name),
      ]),
      default_all_public_streams: world.random.chance(0.5),
    }),
  "change a bot's address": (world) =>
    changeBot(
      world,
      {
        service_payload_url: JSON.stringify(`http://127.0.0.1:9/${world.newWord('hook')}`),
        service_interface: 1,
      },
      world.bots.filter(({ isOutgoing }) => isOutgoing),
    ),
  "change a bot's key": async (world) => {
    const bot = oneOf(world, world.bots, true);
    if (bot === undefined) return false;
    const path = `bots/${bot.id}/api_key/regenerate`;
    return world.did(world.anAdministrator, 'POST', path, { password });
  },
  'deactivate a person': (world) =>
    setActive(world, oneOf(world, world.spares, true), false, 'users'),
  'reactivate a person': (world) =>
    setActive(world, oneOf(world, world.spares, false), true, 'users'),
  'subscribe people who come and go': async (world) => {
    const spare = oneOf(world, world.spares, true);
    if (spare === undefined) return false;
    const path = 'users/me/subscriptions';
    return world.did(world.random.pick(world.members), 'POST', path, {
      subscriptions: world.random.sample(world.streams, 2).map(({ name }) => ({ name })),
      principals: [spare.id],
      authorization_errors_fatal: false,
    });
  },
  'rename a person': (world) =>
    changeSpare(world, { full_name: JSON.stringify(world.newName('Person')) }),
  'rename oneself': (world) =>
    world.did(world.readers.guest, 'PATCH', 'settings', {
      full_name: world.newName('Gil Fox'),
    }),
  'make an administrator': (world) => changeSpare(world, { is_admin: world.random.chance(0.5) }),
  'make a guest': (world) => changeSpare(world, { is_guest: world.random.chance(0.5) }),
  'show a picture of oneself': async (world) =>
    world.sendPicture(world.random.pick(world.people), 'users/me/avatar', await picture),
  'take the picture back': (world) =>
    world.did(world.random.pick(world.people), 'DELETE', 'users/me/avatar'),
  'see a tip': (world) =>
    world.did(world.random.pick(world.people), 'POST', 'users/me/hotspots', {
      hotspot: world.random.pick(['intro_reply', 'intro_streams', 'intro_topics']),
    }),
  'change groups': changeMembersOfGroups,
  'say what one does': setStatus,
  'fill in a profile': changeProfile,
  'be there': (world) =>
    world.did(world.random.pick(world.people), 'POST', 'users/me/presence', {
      status: 'active',
      ping_only: true,
      client: world.random.pick(['website', 'ZulipTerminal']),
    }),
} satisfies Operations;
