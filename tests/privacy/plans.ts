/**
 * The requests to each endpoint about everything, which everybody makes; those of each area are in a file beside this one. `npm run
 * check` fails for an endpoint without a plan: a new endpoint needs the requests that could reveal hidden data.
 */
import type { Method, Parameters } from '@parley/test-kit';

import type { Ask, Asker } from './asker.ts';
import { makeMark } from './marks.ts';
import { askForMessages, narrowsOf } from './narrows.ts';
import { peoplePlans } from './people-plans.ts';
import { alike, idsOf, sampled, unknownId } from './plan.ts';
import { webhookPlans } from './webhook-plans.ts';
import type { Plan, Plans } from './plan.ts';
import { presencePlans } from './presence-plans.ts';
import { realmPlans } from './realm-plans.ts';
import { onHiddenStreams, streamPlans } from './stream-plans.ts';
import { mayChange } from './world.ts';
import type { MessageRecord, Person, World } from './world.ts';

const thumbsUp = { emoji_name: '+1' };

function draftsOfOthers(world: World, me: Person): readonly number[] {
  return world.drafts.filter(({ sender }) => sender !== me).map(({ id }) => id);
}

/** A change of a message that only its readers may make, tried by others. */
function tryOnHidden(group: string, make: (id: string | number) => Ask): Plan {
  return ({ hidden, random }) =>
    alike(group, unknownId, idsOf(random.sample(hidden, sampled)), (id) => ({
      ...make(id),
      succeeds: false,
    }));
}

function* readEach(
  group: string,
  seen: readonly MessageRecord[],
  hidden: readonly MessageRecord[],
): Iterable<Ask> {
  for (const { id } of seen) yield { path: `messages/${id}${group}`, succeeds: true };
  yield* alike(`read${group}`, unknownId, idsOf(hidden), (id) => ({
    path: `messages/${id}${group}`,
    succeeds: false,
  }));
}

const flags = ['read', 'starred', 'collapsed', 'mentioned', 'has_alert_word', 'historical'];

function* changeFlags({ seen, hidden, random }: Asker): Iterable<Ask> {
  const path = 'messages/flags';
  for (const flag of flags) {
    for (const op of ['add', 'remove']) {
      const own = idsOf(random.sample(seen, 3));
      yield { path, parameters: { op, flag, messages: [...idsOf(hidden), ...own] } };
    }
    yield* alike(`flag ${flag}`, unknownId, idsOf(random.sample(hidden, 4)), (id) => ({
      path,
      parameters: { op: 'add', flag, messages: [id] },
      succeeds: false,
    }));
  }
}

function* markTopics(asker: Asker): Iterable<Ask> {
  const { world, me, hidden, hiddenStreams, random } = asker;
  const ask = (streamId: number | string, topic: string | number): Ask => ({
    path: 'mark_topic_as_read',
    parameters: { stream_id: streamId, topic_name: topic },
  });
  yield* alike('topic of stream', unknownId, idsOf(hiddenStreams), (id) => ask(id, 'x'));
  // In one's own streams, hidden earlier messages are treated as if they did not exist.
  for (const stream of world.streams.filter((one) => one.isMember(me.id))) {
    const topics = hidden.flatMap(({ stream: of, topic }) =>
      of === stream && topic !== undefined ? [topic] : [],
    );
    if (topics.length > 0)
      yield* alike(`topic of ${stream.id}`, makeMark(random), topics, (topic) =>
        ask(stream.id, topic),
      );
  }
}

/** Text that refers to hidden objects must be rendered like text that refers to nothing. */
function* render({ hidden, hiddenStreams, hiddenFiles, random }: Asker): Iterable<Ask> {
  const ask = (content: string): Ask => ({ path: 'messages/render', parameters: { content } });
  const names = random.sample(hiddenStreams, sampled).map((stream) => stream.name);
  for (const form of ['#**NAME**', '#**NAME>x**', '@**NAME**', '@*NAME*', '/#narrow/stream/NAME'])
    yield* alike(`render ${form}`, makeMark(random), names, (name) =>
      ask(form.replace('NAME', String(name))),
    );
  for (const { id } of random.sample(hidden, 3)) yield ask(`#narrow/near/${id} /messages/${id}`);
  for (const { uri } of random.sample(hiddenFiles, 3)) yield ask(`[x](${uri}) ![](${uri}) ${uri}`);
}

function* send({ me, world, hidden, hiddenStreams, hiddenFiles, random }: Asker): Iterable<Ask> {
  const ask = (parameters: Parameters): Ask => ({ path: 'messages', parameters });
  const toSelf = { type: 'private', to: [me.id] };
  const names = random.sample(hiddenStreams, sampled).map(({ name }) => name);
  for (const spell of [String, (name: string) => name.toUpperCase()])
    yield* alike('send to name', makeMark(random), names.map(spell), (name) =>
      ask({ type: 'stream', to: [name], topic: 'x', content: 'x' }),
    );
  yield* alike('send to id', unknownId, idsOf(random.sample(hiddenStreams, sampled)), (id) =>
    ask({ type: 'stream', to: [id], topic: 'x', content: 'x' }),
  );
  for (const { name } of random.sample(hiddenStreams, 3))
    yield ask({ ...toSelf, content: `#**${name}** #**${name}>x** @**${name}**` });
  for (const { uri } of random.sample(hiddenFiles, 2))
    yield ask({ ...toSelf, content: `[x](${uri})` });
  for (const message of random.sample(hidden, 2))
    yield ask({ ...toSelf, content: `#narrow/near/${message.id} ${message.topic ?? ''}` });
  yield ask({ type: 'private', to: [random.pick(world.people).id], content: 'hello' });
}

/** A guess of the random part of a path reveals only that the file exists (reference facts, people 15). */
function askForFiles(
  { hiddenFiles }: Asker,
  group: string,
  pathOf: (uri: string) => string,
): Ask[] {
  return hiddenFiles.map(({ uri }) => ({
    path: `../..${pathOf(uri)}`,
    succeeds: false,
    alike: { group, text: uri },
  }));
}

/** Only its owner knows the random part of a queue's id; unknown ids have another refusal (reference facts, events 6.3). */
const readEvents = (asker: Asker, parameters: Parameters, path = 'events'): Ask[] =>
  asker.random.sample(asker.queueIds, 4).map((id) => ({
    path,
    parameters: { ...parameters, queue_id: id },
    succeeds: false,
  }));

/** By method and pattern of the gateway's table. */
export const plans: Plans = {
  'GET messages': askForMessages,
  'POST messages': send,
  'GET messages/matches_narrow': (asker) =>
    asker.random.sample(narrowsOf(asker), 40).map((narrow) => ({
      path: 'messages/matches_narrow',
      parameters: { msg_ids: idsOf(asker.world.messages), narrow },
    })),
  'POST messages/flags': changeFlags,
  'GET messages/{message_id}': ({ seen, hidden }) => readEach('', seen, hidden),
  'PATCH messages/{message_id}': tryOnHidden('edit', (id) => ({
    path: `messages/${id}`,
    parameters: { content: 'x', topic: 'x' },
  })),
  'DELETE messages/{message_id}': tryOnHidden('delete', (id) => ({ path: `messages/${id}` })),
  'GET messages/{message_id}/history': ({ seen, hidden, random }) =>
    readEach('/history', random.sample(seen, 40), random.sample(hidden, 60)),
  'POST messages/render': render,
  'POST messages/{message_id}/reactions': function* react(asker) {
    yield* tryOnHidden('react', (id) => ({
      path: `messages/${id}/reactions`,
      parameters: thumbsUp,
    }))(asker);
    const { me, random, seen } = asker;
    const changed = seen.filter((message) => mayChange(me, message));
    for (const { id } of random.sample(changed, 3))
      yield { path: `messages/${id}/reactions`, parameters: thumbsUp, succeeds: true };
  },
  'DELETE messages/{message_id}/reactions': tryOnHidden('unreact', (id) => ({
    path: `messages/${id}/reactions`,
    parameters: thumbsUp,
  })),
  'POST submessage': tryOnHidden('submessage', (id) => ({
    path: 'submessage',
    parameters: { message_id: id, msg_type: 'x', content: '1' },
  })),
  'POST mark_all_as_read': () => [{ path: 'mark_all_as_read' }],
  'POST mark_stream_as_read': onHiddenStreams('mark stream', (id) => ({
    path: 'mark_stream_as_read',
    parameters: { stream_id: id },
  })),
  'POST mark_topic_as_read': markTopics,
  'GET users/me/alert_words': () => [{ path: 'users/me/alert_words' }],
  'POST users/me/alert_words': () => [
    { path: 'users/me/alert_words', parameters: { alert_words: ['tern'] } },
  ],
  'DELETE users/me/alert_words': () => [
    { path: 'users/me/alert_words', parameters: { alert_words: ['tern'] } },
  ],
  'GET users/me/pointer': () => [{ path: 'users/me/pointer' }],
  'POST users/me/pointer': tryOnHidden('pointer', (id) => ({
    path: 'users/me/pointer',
    parameters: { pointer: id },
  })),
  'PUT users/me/pointer': tryOnHidden('put pointer', (id) => ({
    path: 'users/me/pointer',
    parameters: { pointer: id },
  })),
  'POST user_uploads': { because: 'it answers the address of the file that the caller brings' },
  'GET /user_uploads/{realm_id}/{path...}': function* readFiles(asker) {
    yield* askForFiles(asker, 'file', (uri) => uri);
    const { world, hiddenFiles } = asker;
    for (const file of world.files.filter((one) => !hiddenFiles.includes(one)))
      yield { path: `../..${file.uri}`, succeeds: true };
  },
  'GET /thumbnail': (asker) =>
    askForFiles(
      asker,
      'thumbnail',
      (uri) => `/thumbnail?size=full&url=${encodeURIComponent(uri.slice(1))}`,
    ),
  'GET scheduled_messages': () => [{ path: 'scheduled_messages' }],
  'DELETE scheduled_messages/{scheduled_message_id}': ({ me, world }) =>
    alike(
      'scheduled message',
      unknownId,
      world.scheduled.filter(({ sender }) => sender !== me).map(({ id }) => id),
      (id) => ({ path: `scheduled_messages/${id}`, succeeds: false }),
    ),
  'GET drafts': () => [{ path: 'drafts' }],
  'POST drafts': () => [{ path: 'drafts', parameters: { drafts: [] } }],
  'PATCH drafts/{draft_id}': ({ me, world }) =>
    alike('draft', unknownId, draftsOfOthers(world, me), (id) => ({
      path: `drafts/${id}`,
      parameters: { draft: { type: '', to: [], topic: '', content: 'x' } },
      succeeds: false,
    })),
  'DELETE drafts/{draft_id}': ({ me, world }) =>
    alike('draft', unknownId, draftsOfOthers(world, me), (id) => ({
      path: `drafts/${id}`,
      succeeds: false,
    })),
  'GET attachments': () => [{ path: 'attachments' }],
  'DELETE attachments/{attachment_id}': ({ hiddenFiles }) =>
    alike(
      'attachment',
      unknownId,
      hiddenFiles.map((file) => file.attachmentId),
      (id) => ({ path: `attachments/${id}`, succeeds: false }),
    ),
  ...webhookPlans,
  ...streamPlans,
  ...peoplePlans,
  ...presencePlans,
  ...realmPlans,
  'POST register': ({ me, random, hiddenStreams }) => [
    { path: 'register', parameters: { include_subscribers: true, all_public_streams: true } },
    { path: 'register', parameters: { include_subscribers: false, client_gravatar: true } },
    ...random.sample(hiddenStreams, 2).map(({ name }) => ({
      path: 'register',
      parameters: { narrow: [['stream', name]], fetch_event_types: ['subscription', 'message'] },
    })),
    { path: 'register', parameters: { narrow: [['sender', me.email]] } },
  ],
  'GET events': (asker) => readEvents(asker, { last_event_id: 0, dont_block: true }),
  'GET events/stream': (asker) => readEvents(asker, { last_event_id: 0 }, 'events/stream'),
  'DELETE events': (asker) => readEvents(asker, {}),
};

/** @returns the plan's requests, each with its method */
export function* asksOf(
  asker: Asker,
): Iterable<Ask & { readonly method: Method; readonly endpoint: string }> {
  for (const [endpoint, plan] of Object.entries(plans)) {
    if (typeof plan !== 'function') continue;
    const method = endpoint.split(' ', 1)[0] as Method;
    for (const ask of plan(asker)) yield { ...ask, method, endpoint };
  }
}
