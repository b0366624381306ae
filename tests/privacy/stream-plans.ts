/** Requests about streams and subscriptions, which everybody makes. */
import type { Parameters } from '@parley/test-kit';

import type { Ask, Asker } from './asker.ts';
import { makeMark } from './marks.ts';
import { alike, idsOf, sampled, unknownId } from './plan.ts';
import type { Plan, Plans } from './plan.ts';
import { mayListMembers } from './world.ts';
import type { Person, StreamRecord } from './world.ts';

/** The same request about each hidden stream, by its id, and about one that does not exist. */
export function onHiddenStreams(group: string, make: (id: string | number) => Ask): Plan {
  return ({ hiddenStreams, random }) =>
    alike(group, unknownId, idsOf(random.sample(hiddenStreams, sampled)), make);
}

/** Requests about every stream. The caller may see of known streams what the judge permits, and must succeed if `mayRead` holds. */
function readStreams(
  group: string,
  pathOf: (id: string | number) => string,
  mayRead?: (me: Person, stream: StreamRecord) => boolean,
): Plan {
  return ({ me, world, hiddenStreams }) => [
    ...world.streams
      .filter((stream) => !hiddenStreams.includes(stream))
      .map((stream) => ({
        path: pathOf(stream.id),
        ...(mayRead !== undefined && { succeeds: mayRead(me, stream) }),
      })),
    ...alike(group, unknownId, idsOf(hiddenStreams), (id) => ({
      path: pathOf(id),
      succeeds: false,
    })),
  ];
}

function byNameOfHidden(path: string, parametersOf: (name: string | number) => Parameters): Plan {
  return ({ hiddenStreams, random }) =>
    alike(
      path,
      makeMark(random),
      random.sample(hiddenStreams, 4).map(({ name }) => name),
      (name) => ({ path, parameters: parametersOf(name), succeeds: false }),
    );
}

function* subscribe({ hiddenStreams, random }: Asker): Iterable<Ask> {
  const names = random
    .sample(hiddenStreams, sampled)
    .flatMap(({ name, kind }) => (kind === 'public' ? [] : [name]));
  // A request that would create no stream does not reveal that its name is taken.
  for (const more of [{ principals: ['nobody@example.com'] }, { is_announcement_only: true }])
    yield* alike(`subscribe ${Object.keys(more).join()}`, makeMark(random), names, (name) => ({
      path: 'users/me/subscriptions',
      parameters: { subscriptions: [{ name }], principals: ['nobody@example.com'], ...more },
      succeeds: false,
    }));
  // The name of a private stream is refused, but an unused one would create a stream.
  for (const name of names) {
    for (const fatal of [true, false])
      yield {
        path: 'users/me/subscriptions',
        parameters: {
          subscriptions: [{ name: name.toUpperCase() }],
          authorization_errors_fatal: fatal,
        },
      };
  }
}

/** Administrators may change the existing group. */
function groupPathOf(me: Person): string {
  return `default_stream_groups/${me.role === 'administrator' ? unknownId : 1}`;
}

const streamLists: readonly Parameters[] = [
  {},
  { include_public: false },
  { include_all_active: true },
  { include_default: true },
  { include_owner_subscribed: true },
  { include_public: false, include_subscribed: false, include_owner_subscribed: true },
];

export const streamPlans: Plans = {
  'GET streams': () => streamLists.map((parameters) => ({ path: 'streams', parameters })),
  'GET users/me/subscriptions': () =>
    [false, true].map((value) => ({
      path: 'users/me/subscriptions',
      parameters: { include_subscribers: value },
    })),
  'POST users/me/subscriptions': subscribe,
  'DELETE users/me/subscriptions': ({ hiddenStreams, random, world }) =>
    random.sample(hiddenStreams, sampled).map(({ name }) => ({
      path: 'users/me/subscriptions',
      parameters: {
        subscriptions: [name.toUpperCase()],
        principals: [random.pick(world.people).email],
      },
    })),
  'POST users/me/subscriptions/properties': onHiddenStreams('properties', (id) => ({
    path: 'users/me/subscriptions/properties',
    parameters: { subscription_data: [{ stream_id: id, property: 'is_muted', value: true }] },
  })),
  'PATCH users/me/subscriptions/muted_topics': function* mute(asker) {
    const path = 'users/me/subscriptions/muted_topics';
    for (const op of ['add', 'remove']) {
      yield* onHiddenStreams(`mute ${op}`, (id) => ({
        path,
        parameters: { stream_id: id, topic: 'x', op },
      }))(asker);
      const names = asker.random
        .sample(asker.hiddenStreams, 3)
        .map(({ name }) => name.toUpperCase());
      yield* alike(`mute by name ${op}`, makeMark(asker.random), names, (name) => ({
        path,
        parameters: { stream: name, topic: 'x', op },
        succeeds: false,
      }));
    }
  },
  'PATCH users/me/subscriptions/{stream_id}': onHiddenStreams('property', (id) => ({
    path: `users/me/subscriptions/${id}`,
    parameters: { property: 'is_muted', value: 'true' },
  })),
  'GET get_stream_id': ({ hiddenStreams, random }) =>
    alike(
      'stream id',
      makeMark(random),
      hiddenStreams.map(({ name }) => name),
      (name) => ({ path: 'get_stream_id', parameters: { stream: name }, succeeds: false }),
    ),
  'PATCH streams/{stream_id}': onHiddenStreams('change stream', (id) => ({
    path: `streams/${id}`,
    parameters: { description: '"x"', new_name: '"x"' },
    succeeds: false,
  })),
  'DELETE streams/{stream_id}': onHiddenStreams('end stream', (id) => ({
    path: `streams/${id}`,
    succeeds: false,
  })),
  'POST streams/{stream_id}/delete_topic': (asker) =>
    // Administrators may do this, and then the messages are gone.
    asker.me.role === 'administrator'
      ? []
      : onHiddenStreams('delete topic', (id) => ({
          path: `streams/${id}/delete_topic`,
          parameters: { topic_name: 'x' },
          succeeds: false,
        }))(asker),
  'GET streams/{stream_id}/members': readStreams(
    'members',
    (id) => `streams/${id}/members`,
    mayListMembers,
  ),
  'GET streams/{stream_id}/email_address': readStreams(
    'address',
    (id) => `streams/${id}/email_address`,
  ),
  'GET users/me/{stream_id}/topics': readStreams('topics', (id) => `users/me/${id}/topics`),
  'GET users/{user_id}/subscriptions/{stream_id}': ({ world, random, ...asker }) => {
    const { id: somebody } = random.pick(world.people);
    const pathOf = (id: string | number): string => `users/${somebody}/subscriptions/${id}`;
    return readStreams('subscription', pathOf, mayListMembers)({ world, random, ...asker });
  },
  'POST default_streams': byNameOfHidden('default_streams', (name) => ({ stream_name: name })),
  'DELETE default_streams': byNameOfHidden('default_streams', (name) => ({ stream_name: name })),
  'POST default_stream_groups/create': byNameOfHidden('default_stream_groups/create', (name) => ({
    group_name: 'x',
    description: 'x',
    stream_names: [name],
  })),
  'PATCH default_stream_groups/{group_id}': ({ me }) => [
    { path: groupPathOf(me), parameters: { new_description: '"x"' }, succeeds: false },
  ],
  'DELETE default_stream_groups/{group_id}': ({ me }) => [
    { path: groupPathOf(me), succeeds: false },
  ],
  'PATCH default_stream_groups/{group_id}/streams': byNameOfHidden(
    'default_stream_groups/1/streams',
    (name) => ({ op: 'add', stream_names: [name] }),
  ),
  'PATCH users/me/subscriptions': ({ hiddenStreams, random }) =>
    random
      .sample(hiddenStreams, sampled)
      .filter(({ kind }) => kind !== 'public')
      .flatMap(({ name }) => [
        {
          path: 'users/me/subscriptions',
          parameters: { add: [{ name: name.toUpperCase() }] },
          succeeds: false,
        },
        { path: 'users/me/subscriptions', parameters: { delete: [name.toUpperCase()] } },
      ]),
};
