/** Changes of streams and subscriptions. */
import type { TestAccount } from '@parley/test-kit';

import type { KnownStream, Operations, World } from './world.ts';

async function create(world: World, isPrivate: boolean): Promise<boolean> {
  const { random } = world;
  const maker = random.pick(world.members);
  const name = world.newName(isPrivate ? 'vault' : 'stream');
  const others = random.sample(world.everybody, 1 + random.below(4));
  const answer = await world.ask(maker, 'POST', 'users/me/subscriptions', {
    subscriptions: [{ name, description: `All of *${name}*` }],
    principals: [...new Set([maker, ...others])].map(({ id }) => id),
    invite_only: isPrivate,
    history_public_to_subscribers: isPrivate && random.chance(0.5),
  });
  if (answer === undefined) return false;
  const found = await world.ask(maker, 'GET', 'get_stream_id', { stream: name });
  if (found === undefined) return false;
  world.streams.push({ id: found['stream_id'] as number, name, isPrivate });
  return true;
}

async function subscribe(
  world: World,
  who: TestAccount,
  streams: readonly KnownStream[],
  others: readonly TestAccount[],
): Promise<boolean> {
  const answer = await world.ask(who, 'POST', 'users/me/subscriptions', {
    subscriptions: streams.map(({ name }) => ({ name })),
    principals: others.map(({ id }) => id),
    authorization_errors_fatal: false,
  });
  return answer !== undefined && Object.keys(answer['subscribed'] as object).length > 0;
}

/** Deactivates streams, but never all of them. */
const streamsMin = 8;

async function end(world: World): Promise<boolean> {
  if (world.streams.length <= streamsMin) return false;
  const [stream] = world.streams.splice(world.random.below(world.streams.length - 2), 1);
  const path = `streams/${stream?.id}`;
  return world.did(world.anAdministrator, 'DELETE', path);
}

async function change(world: World, parameters: Readonly<Record<string, unknown>>) {
  const path = `streams/${world.aStream().id}`;
  return world.did(world.anAdministrator, 'PATCH', path, parameters);
}

async function rename(world: World): Promise<boolean> {
  const stream = world.aStream();
  const name = world.newName(stream.isPrivate ? 'vault' : 'stream');
  const answer = await world.ask(world.anAdministrator, 'PATCH', `streams/${stream.id}`, {
    new_name: JSON.stringify(name),
  });
  if (answer === undefined) return false;
  stream.name = name;
  return true;
}

async function changePrivacy(world: World): Promise<boolean> {
  const stream = world.aStream();
  // Only an administrator who is in a private stream may make it public.
  const isPrivate = !stream.isPrivate;
  for (const who of [world.readers.administrator, world.helpers.administrator]) {
    const answer = await world.ask(who, 'PATCH', `streams/${stream.id}`, {
      is_private: isPrivate,
      history_public_to_subscribers: world.random.chance(0.5),
    });
    if (answer === undefined) continue;
    stream.isPrivate = isPrivate;
    return true;
  }
  return false;
}

async function leave(world: World): Promise<boolean> {
  const who = world.random.pick(world.everybody.filter((one) => one.user.role !== 'guest'));
  const subscriptions = world.random.sample(world.streams, 2).map(({ name }) => name);
  const answer = await world.ask(who, 'DELETE', 'users/me/subscriptions', { subscriptions });
  return answer !== undefined && (answer['removed'] as unknown[]).length > 0;
}

async function takeOut(world: World): Promise<boolean> {
  const answer = await world.ask(world.anAdministrator, 'DELETE', 'users/me/subscriptions', {
    subscriptions: [world.aStream().name],
    principals: world.random.sample(world.everybody, 2).map(({ id }) => id),
  });
  return answer !== undefined && (answer['removed'] as unknown[]).length > 0;
}

async function setProperty(world: World, property: string, values: readonly unknown[]) {
  const answer = await world.ask(
    world.random.pick(world.everybody),
    'POST',
    'users/me/subscriptions/properties',
    {
      subscription_data: [
        { stream_id: world.aStream().id, property, value: world.random.pick(values) },
      ],
    },
  );
  return answer !== undefined;
}

const yesNo = [true, false];

async function mute(world: World): Promise<boolean> {
  const answer = await world.ask(
    world.random.pick(world.everybody),
    'PATCH',
    'users/me/subscriptions/muted_topics',
    {
      stream_id: world.aStream().id,
      topic: world.random.pick(['lunch', 'dinner']),
      op: world.random.pick(['add', 'remove']),
    },
  );
  return answer !== undefined;
}

async function changeDefaults(world: World): Promise<boolean> {
  const method = world.random.pick(['POST', 'DELETE'] as const);
  const answer = await world.ask(world.anAdministrator, method, 'default_streams', {
    stream_name: world.aStream().name,
  });
  return answer !== undefined;
}

async function changeGroups(world: World): Promise<boolean> {
  const { random } = world;
  const who = world.anAdministrator;
  if (random.chance(0.3)) {
    const answer = await world.ask(who, 'POST', 'default_stream_groups/create', {
      group_name: world.newName('crew'),
      description: 'For the crew',
      stream_names: random.sample(world.streams, 2).map(({ name }) => name),
    });
    return answer !== undefined;
  }
  const register = await world.ask(who, 'POST', 'register', {
    event_types: ['default_stream_groups'],
  });
  const groups = (register?.['realm_default_stream_groups'] ?? []) as { readonly id: number }[];
  if (groups.length === 0) return false;
  const path = `default_stream_groups/${random.pick(groups).id}`;
  const answer = await random.pick([
    () => world.ask(who, 'DELETE', path),
    () => world.ask(who, 'PATCH', path, { new_description: JSON.stringify('Another') }),
    () =>
      world.ask(who, 'PATCH', `${path}/streams`, {
        op: random.pick(['add', 'remove']),
        stream_names: [world.aStream().name],
      }),
  ])();
  return answer !== undefined;
}

export const streamOperations = {
  'create a public stream': (world) => create(world, false),
  'create a private stream': (world) => create(world, true),
  'subscribe to an existing stream': (world) => {
    const who = world.random.pick(world.members);
    return subscribe(world, who, world.random.sample(world.streams, 3), [
      who,
      ...world.random.sample(world.everybody, 2),
    ]);
  },
  'subscribe where one is subscribed': async (world) => {
    const who = world.random.pick(world.members);
    const streams = [world.aStream()];
    await subscribe(world, who, streams, [who]);
    return !(await subscribe(world, who, streams, [who]));
  },
  'subscribe many': (world) =>
    subscribe(world, world.anAdministrator, world.random.sample(world.streams, 4), world.everybody),
  unsubscribe: leave,
  'unsubscribe others': takeOut,
  'rename a stream': rename,
  'describe a stream': (world) =>
    change(world, { description: JSON.stringify(world.newName('about')) }),
  'let administrators only post': (world) =>
    change(world, { is_announcement_only: world.random.chance(0.3) }),
  'open or close a stream': changePrivacy,
  'deactivate a stream': end,
  'mute a stream': (world) => setProperty(world, 'is_muted', yesNo),
  'colour a stream': (world) => setProperty(world, 'color', ['#00aa88', '#123abc']),
  'pin a stream': (world) => setProperty(world, 'pin_to_top', yesNo),
  'be told of a stream': (world) =>
    setProperty(
      world,
      world.random.pick([
        'desktop_notifications',
        'audible_notifications',
        'push_notifications',
        'email_notifications',
        'wildcard_mentions_notify',
      ]),
      yesNo,
    ),
  'mute a topic': mute,
  'change default streams': changeDefaults,
  'change groups of default streams': changeGroups,
} satisfies Operations;
