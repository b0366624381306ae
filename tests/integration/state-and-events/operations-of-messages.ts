/** Changes of messages, and of people's flags on them. */
import { readObjects } from '@parley/test-kit';
import type { Method, TestAccount } from '@parley/test-kit';

import type { Operations, World } from './world.ts';

const topics = ['lunch', 'dinner', 'plans'];

function aText(world: World): string {
  const { random, readers } = world;
  return random.pick([
    world.newName('hello'),
    world.newName('@**all** come'),
    `@**${random.pick(Object.values(readers)).user.fullName}** ${world.newName('look')}`,
    world.newName('deploy'),
  ]);
}

async function send(world: World): Promise<boolean> {
  const { random } = world;
  const who = random.pick(world.everybody);
  const to = random.sample(world.everybody, 1 + random.below(2)).map(({ id }) => id);
  const parameters = random.chance(0.7)
    ? { type: 'stream', to: world.aStream().name, topic: random.pick(topics) }
    : { type: 'private', to };
  const answer = await world.ask(who, 'POST', 'messages', {
    ...parameters,
    content: random.chance(0.5) ? `/poll ${aText(world)}` : aText(world),
    client: random.pick(['website', 'ZulipPython']),
  });
  if (answer === undefined) return false;
  world.messageIds.push(answer['id'] as number);
  return true;
}

const farAhead = '2999-07-01T12:00Z';

/** Some are due at once, so that they are sent while others are scheduled and cancelled. */
async function schedule(world: World): Promise<boolean> {
  const { random } = world;
  const answer = await world.ask(random.pick(world.everybody), 'POST', 'messages', {
    ...(random.chance(0.5)
      ? { type: 'stream', to: world.aStream().name, topic: random.pick(topics) }
      : { type: 'private', to: random.sample(world.everybody, 2).map(({ id }) => id) }),
    content: aText(world),
    delivery_type: 'send_later',
    deliver_at: random.chance(0.5) ? farAhead : new Date(world.nowMs + 300).toISOString(),
  });
  return answer !== undefined;
}

/** Two drafts at most, so that they are replaced and deleted as often as added. */
async function changeDrafts(world: World): Promise<boolean> {
  const { random } = world;
  const who = random.pick(world.people);
  const draft = {
    type: 'stream',
    to: [world.aStream().id],
    topic: random.pick(topics),
    content: aText(world),
  };
  const listed = await world.ask(who, 'GET', 'drafts');
  const [oldest, ...others] = listed === undefined ? [] : readObjects(listed, 'drafts');
  if (oldest === undefined || (others.length === 0 && random.chance(0.5)))
    return world.did(who, 'POST', 'drafts', { drafts: [draft] });
  const path = `drafts/${String(oldest['id'])}`;
  return random.chance(0.5)
    ? world.did(who, 'PATCH', path, { draft })
    : world.did(who, 'DELETE', path);
}

async function cancel(world: World): Promise<boolean> {
  for (const who of world.random.sample(world.everybody, world.everybody.length)) {
    const listed = await world.ask(who, 'GET', 'scheduled_messages');
    if (listed === undefined) continue;
    for (const { scheduled_message_id: id } of readObjects(listed, 'scheduled_messages'))
      if (await world.did(who, 'DELETE', `scheduled_messages/${String(id)}`)) return true;
  }
  return false;
}

function aboutMessage(
  method: Method,
  path: (id: number) => string,
  parametersOf: (world: World) => Readonly<Record<string, unknown>>,
  who: (world: World) => TestAccount = (world) => world.random.pick(world.everybody),
): (world: World) => Promise<boolean> {
  return async (world) => {
    const answer = await world.ask(who(world), method, path(world.aMessage()), parametersOf(world));
    return answer !== undefined;
  };
}

const aMessage = (id: number): string => `messages/${id}`;

/** Only the sender may change the content, so people try until one may. */
async function edit(world: World): Promise<boolean> {
  const path = aMessage(world.aMessage());
  for (const who of world.random.sample(world.everybody, world.everybody.length))
    if (await world.did(who, 'PATCH', path, { content: aText(world) })) return true;
  return false;
}

function flag(world: World, name: string): Promise<boolean> {
  const { random } = world;
  return (async () => {
    const messages = random.sample(world.messageIds.slice(-60), 1 + random.below(3));
    const op = random.pick(['add', 'remove']);
    const who = random.pick(world.everybody);
    for (const id of messages)
      if (await world.did(who, 'POST', 'messages/flags', { op, flag: name, messages: [id] }))
        return true;
    return false;
  })();
}

async function markStream(world: World): Promise<boolean> {
  const who = world.random.pick(world.everybody);
  const id = world.aStream().id;
  const answer = world.random.chance(0.5)
    ? await world.ask(who, 'POST', 'mark_stream_as_read', { stream_id: id })
    : await world.ask(who, 'POST', 'mark_topic_as_read', {
        stream_id: id,
        topic_name: world.random.pick(topics),
      });
  return answer !== undefined;
}

type Reacted = { readonly who: TestAccount; readonly path: string; readonly emoji: object };

async function react(world: World): Promise<Reacted | undefined> {
  const { random } = world;
  const who = random.pick(world.everybody);
  const path = `messages/${world.aMessage()}/reactions`;
  const emoji = { emoji_name: random.pick(['tada', 'heart']) };
  const answer = await world.ask(who, 'POST', path, emoji);
  return answer && { who, path, emoji };
}

async function unreact(world: World): Promise<boolean> {
  const reacted = await react(world);
  if (reacted === undefined) return false;
  const { who, path, emoji } = reacted;
  return world.did(who, 'DELETE', path, { ...emoji });
}

async function changeWords(world: World): Promise<boolean> {
  const answer = await world.ask(
    world.random.pick(world.people),
    world.random.pick(['POST', 'DELETE'] as const),
    'users/me/alert_words',
    { alert_words: [world.random.pick(['deploy', 'hello', 'look', 'tide'])] },
  );
  return answer !== undefined;
}

export const messageOperations = {
  'send a message': send,
  'schedule a message': schedule,
  'cancel a scheduled message': cancel,
  'change drafts': changeDrafts,
  'edit a message': edit,
  'move messages': aboutMessage(
    'PATCH',
    aMessage,
    ({ random }) => ({
      topic: random.pick(topics),
      propagate_mode: random.pick(['change_one', 'change_later', 'change_all']),
    }),
    (world) => world.anAdministrator,
  ),
  'delete a message': aboutMessage(
    'DELETE',
    aMessage,
    () => ({}),
    (world) => world.anAdministrator,
  ),
  'delete a topic': (world) =>
    world.did(world.anAdministrator, 'POST', `streams/${world.aStream().id}/delete_topic`, {
      topic_name: world.random.pick(topics),
    }),
  'star a message': (world) => flag(world, 'starred'),
  'read a message': (world) => flag(world, 'read'),
  'collapse a message': (world) => flag(world, 'collapsed'),
  'read a stream': markStream,
  'read everything': (world) =>
    world.did(world.random.pick(world.everybody), 'POST', 'mark_all_as_read'),
  react: async (world) => (await react(world)) !== undefined,
  'take back a reaction': unreact,
  'add a submessage': (world) =>
    world.did(world.random.pick(world.everybody), 'POST', 'submessage', {
      message_id: world.aMessage(),
      msg_type: 'whatever',
      content: JSON.stringify({ a: 1 }),
    }),
  type: (world) =>
    world.did(world.random.pick(world.everybody), 'POST', 'typing', {
      op: world.random.pick(['start', 'stop']),
      to: world.random.sample(world.everybody, 2).map(({ id }) => id),
    }),
  'change alert words': changeWords,
  'move the pointer': (world) =>
    world.did(world.random.pick(world.everybody), 'POST', 'users/me/pointer', {
      pointer: world.aMessage(),
    }),
} satisfies Operations;
