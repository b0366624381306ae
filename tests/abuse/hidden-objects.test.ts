/**
 * Ids and names of hidden objects: each request is answered as for an object that does not exist, so that not even existence is
 * revealed, and changes nothing. Only administrators may create streams here, because creating a stream reveals that a name is
 * taken.
 */
import type { JsonObject, Method, Parameters } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { sendFiles } from '../api/send-form.ts';
import { startSmallOrganization } from '../api/small-organization.ts';
import type { PersonKey } from '../api/small-organization.ts';
import { ChangeWatch } from '../hostile/change-watch.ts';
import { useFixture } from '../support/use-fixture.ts';

type Hidden = {
  readonly message: number;
  readonly privateMessage: number;
  readonly stream: number;
  readonly streamName: string;
  readonly attachment: number;
  readonly upload: string;
  readonly bot: number;
  readonly queue: string;
};

/** For each kind one object of Ann's and Bob's, and one that does not exist. */
let real: Hidden;
let unknown: Hidden;
/** What members may see and the guest may not. */
let ofMembers: Hidden;
let watch: ChangeWatch;

const streamName = 'Quiet Corner';

const organization = useFixture(() => startSmallOrganization({ messages: 1, events: 1 }));
beforeAll(async () => {
  const ann = organization.client('ann');
  await ann.subscribe(streamName, {
    invite_only: true,
    principals: ['Ann@example.com', 'bob@example.com'],
  });
  const uri = String((await sendFiles(ann, 'user_uploads', ['the plan']))['uri']);
  const { id } = await ann.post('messages', {
    type: 'stream',
    to: streamName,
    topic: 'plans',
    content: `[file](${uri})`,
  });
  const { id: privateId } = await ann.post('messages', {
    type: 'private',
    to: ['bob@example.com'],
    content: 'between us',
  });
  const { attachments } = await ann.get('attachments');
  const { queue_id: queueId } = await ann.post('register', { event_types: ['message'] });
  real = {
    message: id as number,
    privateMessage: privateId as number,
    stream: await ann.streamId(streamName),
    streamName: streamName.toUpperCase(),
    attachment: (attachments as JsonObject[])[0]?.['id'] as number,
    upload: uri,
    bot: organization.id('bobBot'),
    queue: queueId as string,
  };
  const unusedId = 987_654_321;
  unknown = {
    message: unusedId,
    privateMessage: unusedId,
    stream: unusedId,
    streamName: 'NO SUCH CORNER',
    attachment: unusedId,
    upload: uri.replace(/\/[^/]+\/[^/]+$/, `/${'A'.repeat(24)}/file.txt`),
    bot: unusedId,
    queue: real.queue.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)),
  };
  await ann.subscribe('Open Corner');
  ofMembers = {
    ...real,
    message: await ann.sendToStream('Open Corner', 'plans', 'for members'),
    stream: await ann.streamId('Open Corner'),
    streamName: 'OPEN CORNER',
  };
  await ann.patch('realm', { create_stream_policy: 2 });
  // Members have read the stream by its name, so the service has it in memory.
  await ann.get('messages', narrowedTo(real.streamName));
  watch = await ChangeWatch.start(organization.pool);
});

/** A request; `{stream}` and the like, in its path or as a parameter, stand for what is hidden. */
type Attempt = readonly [what: string, method: Method, path: string, parameters?: Parameters];

const ofMessages = (['message', 'privateMessage'] as const).flatMap<Attempt>((kind) => [
  [`read a ${kind}`, 'GET', `messages/{${kind}}`],
  [`read the history of a ${kind}`, 'GET', `messages/{${kind}}/history`],
  [`edit a ${kind}`, 'PATCH', `messages/{${kind}}`, { content: 'taken over' }],
  [`delete a ${kind}`, 'DELETE', `messages/{${kind}}`],
  [`react to a ${kind}`, 'POST', `messages/{${kind}}/reactions`, { emoji_name: 'octopus' }],
  [
    `take a reaction from a ${kind}`,
    'DELETE',
    `messages/{${kind}}/reactions`,
    { emoji_name: 'octopus' },
  ],
  [
    `add a submessage to a ${kind}`,
    'POST',
    'submessage',
    { message_id: `{${kind}}`, msg_type: 'widget', content: '{}' },
  ],
  [
    `star a ${kind}`,
    'POST',
    'messages/flags',
    { messages: [`{${kind}}`], op: 'add', flag: 'starred' },
  ],
  [
    `match a ${kind}`,
    'GET',
    'messages/matches_narrow',
    { msg_ids: [`{${kind}}`], narrow: [['search', 'plan']] },
  ],
]);

const ofStreams: readonly Attempt[] = [
  ['list the members of a stream', 'GET', 'streams/{stream}/members'],
  ['list the topics of a stream', 'GET', 'users/me/{stream}/topics'],
  ['narrow to a stream', 'GET', 'messages', narrowedTo('{stream}')],
  ['narrow to a stream by its name', 'GET', 'messages', narrowedTo('{streamName}')],
  ['exclude a stream by its name', 'GET', 'messages', narrowedTo('{streamName}', true)],
  [
    'match messages with the name of a stream',
    'GET',
    'messages/matches_narrow',
    { msg_ids: ['{message}'], narrow: narrowedTo('{streamName}').narrow },
  ],
  ['find the id of a stream', 'GET', 'get_stream_id', { stream: '{streamName}' }],
  ...(['add', 'remove'] as const).map((op): Attempt => [
    `mute a topic of a stream by its name: ${op}`,
    'PATCH',
    'users/me/subscriptions/muted_topics',
    { stream: '{streamName}', topic: 'plans', op },
  ]),
  ...([true, false] as const).map((fatal): Attempt => [
    `subscribe to a stream by its name, ${fatal ? '' : 'not '}fatal`,
    'POST',
    'users/me/subscriptions',
    { subscriptions: [{ name: '{streamName}' }], authorization_errors_fatal: fatal },
  ]),
  [
    'subscribe to one stream and leave another',
    'PATCH',
    'users/me/subscriptions',
    { add: [{ name: '{streamName}' }], delete: ['nothing'] },
  ],
  [
    'make a stream one of the default streams',
    'POST',
    'default_streams',
    { stream_name: '{streamName}' },
  ],
  [
    'put a stream into a group',
    'POST',
    'default_stream_groups/create',
    { group_name: 'x', description: 'x', stream_names: ['{streamName}'] },
  ],
  [
    'create a bot with a stream',
    'POST',
    'bots',
    { full_name: 'Ear', short_name: 'ear', default_sending_stream: '{streamName}' },
  ],
  [
    'link to a stream',
    'POST',
    'messages/render',
    { content: '#**{streamName}** #**{streamName}>plans**' },
  ],
  ['mark a stream as read', 'POST', 'mark_stream_as_read', { stream_id: '{stream}' }],
  [
    'mark a topic as read',
    'POST',
    'mark_topic_as_read',
    { stream_id: '{stream}', topic_name: 'plans' },
  ],
  [
    'pin a stream',
    'PATCH',
    'users/me/subscriptions/{stream}',
    { property: 'pin_to_top', value: true },
  ],
  [
    'mute a topic of a stream',
    'PATCH',
    'users/me/subscriptions/muted_topics',
    { stream_id: '{stream}', topic: 'plans', op: 'add' },
  ],
  ['list the subscribers of a stream', 'GET', 'users/{ann}/subscriptions/{stream}'],
  ['ask for the address of a stream', 'GET', 'streams/{stream}/email_address'],
];

const attempts: readonly Attempt[] = [
  ...ofMessages,
  ...ofStreams,
  ['delete an attachment', 'DELETE', 'attachments/{attachment}'],
];

function narrowedTo(
  operand: number | string,
  negated = false,
): Parameters & { readonly narrow: readonly object[] } {
  const narrow = [{ operator: 'stream', operand, negated }];
  return { anchor: 0, num_before: 0, num_after: 5, narrow };
}

const sending = { type: 'stream', topic: 'x', content: 'in' };
const polling = { queue_id: '{queue}', last_event_id: -1, dont_block: true };

function named(
  list: readonly Attempt[],
): readonly { readonly what: string; readonly attempt: Attempt }[] {
  return list.map((attempt) => ({ what: attempt[0], attempt }));
}

/** A value with what is hidden in the places of its names; a place that is a whole text keeps its type. */
function filled(value: unknown, hidden: Hidden): unknown {
  if (typeof value === 'string') {
    const idOf = (name: string): number | string =>
      name === 'ann' ? organization.id('ann') : hidden[name as keyof Hidden];
    const whole = /^\{(\w+)\}$/.exec(value)?.[1];
    if (whole !== undefined) return idOf(whole);
    return value.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(idOf(name)));
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, hidden));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, filled(member, hidden)]),
  );
}

/** The answer, without the id from the request. */
async function answerOf(
  who: PersonKey,
  [, method, path, parameters = {}]: Attempt,
  hidden: Hidden,
): Promise<unknown> {
  const { status, body } = await organization
    .client(who)
    .request(method, String(filled(path, hidden)), filled(parameters, hidden) as Parameters);
  const text = JSON.stringify(body);
  const own = Object.values(hidden).toSorted((a, b) => String(b).length - String(a).length);
  return {
    status,
    body: own.reduce<string>((left, id) => left.replaceAll(String(id), 'ID'), text),
  };
}

async function expectAlike(who: PersonKey, attempt: Attempt, hidden = real): Promise<void> {
  await watch.take();
  const forReal = await answerOf(who, attempt, hidden);
  expect(forReal).toEqual(await answerOf(who, attempt, unknown));
  expect(await watch.take()).toEqual([]);
}

describe.each(['cat', 'gil', 'bobBot', 'hookBot'] as const)('%s cannot', (who) => {
  test.each(named(attempts))('$what', ({ attempt }) => expectAlike(who, attempt));
});

describe.each(['cat', 'gil'] as const)('%s cannot', (who) => {
  test.each(named(sends))('$what', ({ attempt }) => expectAlike(who, attempt));
});

describe('a guest cannot, of what members may see,', () => {
  test.each(named([...ofMessages, ...ofStreams, ...sends]))('$what', ({ attempt }) =>
    expectAlike('gil', attempt, ofMembers),
  );
});

/** A bot may send wherever its owner may. */
const sends: readonly Attempt[] = [
  ['send into a stream', 'POST', 'messages', { ...sending, to: '{stream}' }],
  ['send into a stream by its name', 'POST', 'messages', { ...sending, to: '{streamName}' }],
  ...(['send_later', 'remind'] as const).map((delivery_type): Attempt => [
    `have a message sent later into a stream: ${delivery_type}`,
    'POST',
    'messages',
    { ...sending, to: '{streamName}', delivery_type, deliver_at: '2100-01-01T00:00:00Z' },
  ]),
];

/** Objects whose refusal differs from that of a missing id, as documented: their ids are random, or not secret. */
const refusedByName: readonly Attempt[] = [
  ['poll a queue', 'GET', 'events', polling],
  ['follow a queue', 'GET', 'events/stream', polling],
  ['end a queue', 'DELETE', 'events', { queue_id: '{queue}' }],
  ['rename a bot of somebody', 'PATCH', 'bots/{bot}', { full_name: 'Mine' }],
  ['end a bot of somebody', 'DELETE', 'bots/{bot}'],
  ['take the key of a bot', 'POST', 'bots/{bot}/api_key/regenerate'],
];

describe.each(['cat', 'gil'] as const)('%s cannot', (who) => {
  test.each(named(refusedByName))('$what', async ({ attempt }) => {
    await watch.take();
    expect(await answerOf(who, attempt, real)).toMatchObject({ status: 400 });
    expect(await watch.take()).toEqual([]);
  });

  test('download a file', async () => {
    const answer = await fetch(`${organization.cluster.url}${real.upload}`, {
      redirect: 'manual',
      headers: organization.client(who).credentials,
    });
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.not.stringContaining('the plan'),
    ]);
  });
});
