import { readObjects } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';
import { beforeEach, expect, test } from 'vitest';

import { anyNumber } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { freshSubscription } from './event-bodies.ts';
import { refusalOf } from './message-fixture.ts';
import { coded, expectRefusal, uncoded } from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';

const organization = useFixture(() => startSmallOrganization({ people: 0, presence: 0 }));
// The services keep nothing of streams in memory, so every test begins without streams.
beforeEach(() => organization.removeStreams());

const path = 'users/me/subscriptions';
const named = (...names: string[]): { name: string }[] => names.map((name) => ({ name }));

function join(who: PersonKey, names: string[], more: object = {}): Promise<JsonObject> {
  return organization.client(who).post(path, { subscriptions: named(...names), ...more });
}

function leave(who: PersonKey, names: string[], more: object = {}): Promise<JsonObject> {
  return organization.client(who).delete(path, { subscriptions: names, ...more });
}

function request(
  who: PersonKey,
  method: 'POST' | 'DELETE',
  parameters: Parameters,
): Promise<JsonObject> {
  return organization.client(who).call(method, path, parameters);
}

/** Expects that nobody may be subscribed to any of these streams. */
function expectNotJoined(
  who: PersonKey,
  names: string[],
  refusal: JsonObject | string,
  more: object = {},
): Promise<void> {
  return expectRefusal(join(who, names, more), refusal);
}

async function subscriptionsOf(who: PersonKey, parameters = {}): Promise<readonly JsonObject[]> {
  return readObjects(await organization.client(who).get(path, parameters), 'subscriptions');
}

test('a letter that becomes several in upper case is equal in both cases', async () => {
  await join('bob', ['πρωτεΐνη']);
  for (const name of ['πρωτεΐνη', 'ΠΡΩΤΕΪ\u0301ΝΗ'])
    expect(await join('bob', [name])).toMatchObject({
      already_subscribed: { 'bob@example.com': ['πρωτεΐνη'] },
    });
  expect(await leave('bob', ['ΠΡΩΤΕΪ\u0301ΝΗ'])).toMatchObject({ removed: ['πρωτεΐνη'] });
});

test('subscribing creates missing streams and joins existing ones, in any letter case', async () => {
  expect(await join('bob', ['  design  ', 'DESIGN'])).toEqual({
    result: 'success',
    msg: '',
    subscribed: { 'bob@example.com': ['design'] },
    already_subscribed: {},
  });
  expect(await join('cat', ['DESIGN'])).toMatchObject({
    subscribed: { 'cat@example.com': ['design'] },
  });
  const third = await organization.position();
  expect(await join('cat', ['design'])).toMatchObject({
    subscribed: {},
    already_subscribed: { 'cat@example.com': ['design'] },
  });
  expect(await organization.position()).toBe(third);
  expect(await join('cat', [])).toMatchObject({ subscribed: {}, already_subscribed: {} });
});

test('GET subscriptions returns complete objects with booleans, and colours from the palette', async () => {
  await join('bob', ['one', 'two']);
  const [first, second] = await subscriptionsOf('bob');
  expect(first).toEqual({
    name: 'one',
    stream_id: anyNumber,
    description: '',
    rendered_description: '',
    invite_only: false,
    is_web_public: false,
    is_announcement_only: false,
    history_public_to_subscribers: true,
    first_message_id: anyNumber,
    color: '#76ce90',
    ...freshSubscription,
  });
  expect(second).toMatchObject({ name: 'two', color: '#fae589' });
  const withSubscribers = await subscriptionsOf('bob', { include_subscribers: true });
  expect(withSubscribers[0]?.['subscribers']).toEqual(['bob@example.com']);
});

test('descriptions lose their newlines, and colours apply only to new subscriptions', async () => {
  const client = organization.client('bob');
  const subscriptions = [{ name: 'design', description: 'a\nb **c**', color: '#abc' }];
  await client.post(path, { subscriptions });
  expect((await subscriptionsOf('bob'))[0]).toMatchObject({
    description: 'a b **c**',
    rendered_description: '<p>a b <strong>c</strong></p>',
    color: '#abc',
  });
  await leave('bob', ['design']);
  await client.post(path, { subscriptions: [{ name: 'design', color: '#def' }] });
  expect((await subscriptionsOf('bob'))[0]).toMatchObject({ color: '#abc' });
});

test('of several spellings of a stream, the exact name sets the colour', async () => {
  await organization.client('bob').post(path, { subscriptions: [{ name: 'design' }] });
  await organization.client('cat').post(path, {
    subscriptions: [
      { name: 'DESIGN', color: '#abc' },
      { name: 'design', color: '#def' },
      { name: 'Fresh', color: '#123' },
      { name: 'fresh', color: '#456' },
    ],
  });
  expect(await subscriptionsOf('cat')).toMatchObject([
    { name: 'Fresh', color: '#123' },
    { name: 'design', color: '#def' },
  ]);
});

test('names, descriptions, colours and shapes are checked with the documented texts', async () => {
  const check = (subscriptions: unknown): Promise<unknown> =>
    request('bob', 'POST', { subscriptions });
  for (const blank of ['', '   '])
    await expectRefusal(check(named(blank)), "Invalid stream name ''");
  await expectRefusal(check(named('x'.repeat(61))), 'Stream name too long (limit: 60 characters).');
  await expectRefusal(
    check([{ name: 'x', description: 'x'.repeat(1025) }]),
    'subscriptions[0]["description"] is too long (limit: 1024 characters)',
  );
  for (const color of ['red', '#abcd', '#abcde']) {
    await expectRefusal(
      check([{ name: 'x', color }]),
      'subscriptions[0]["color"] is not a valid hex color code',
    );
  }
  await expectRefusal(check([{ name: 'x', colour: '#abc' }]), 'Unexpected arguments: colour');
  await expectRefusal(check([{}]), 'name key is missing from subscriptions[0]');
  expect(await join('bob', ['🎉'.repeat(60)])).toMatchObject({ result: 'success' });
  expect(await organization.client('bob').get('streams')).toMatchObject({ streams: [{}] });
});

test('a private stream is hidden from others, also after leaving it', async () => {
  await join('bob', ['board'], {
    invite_only: true,
    principals: ['bob@example.com', 'Ann@example.com', 'gil@example.com'],
  });
  await expectNotJoined('cat', ['open', 'BOARD'], uncoded('Unable to access stream (BOARD).'));
  expect(await subscriptionsOf('cat')).toEqual([]);
  expect(await join('cat', ['open', 'board'], { authorization_errors_fatal: false })).toMatchObject(
    { subscribed: { 'cat@example.com': ['open'] }, unauthorized: ['board'] },
  );
  await leave('ann', ['board']);
  await expectNotJoined('ann', ['board'], uncoded('Unable to access stream (board).'));
});

test('users who may create streams learn that a name is taken by creating it, and in no other way', async () => {
  await join('bob', ['board'], { invite_only: true });
  const answers = async (parameters: object): Promise<unknown[]> =>
    Promise.all(
      ['BOARD', 'FREE!'].map(async (name) => {
        const wanted = { subscriptions: named(name), ...parameters };
        const refusal = await refusalOf(request('cat', 'POST', wanted));
        return JSON.stringify(refusal).replaceAll(name, 'NAME');
      }),
    );
  for (const parameters of [
    { principals: ['nobody@example.com'] },
    { is_announcement_only: true },
    { principals: ['nobody@example.com'], authorization_errors_fatal: false },
  ]) {
    const [taken, free] = await answers(parameters);
    expect(taken).toEqual(free);
  }
  await expectNotJoined('cat', ['BOARD'], uncoded('Unable to access stream (BOARD).'));
  await organization.pool.query(`UPDATE realm SET settings = '{"create_stream_policy": 2}'`);
  for (const authorization_errors_fatal of [true, false]) {
    const [taken, free] = await answers({ authorization_errors_fatal });
    expect(taken).toBe(JSON.stringify(coded('User cannot create streams.')));
    expect(taken).toEqual(free);
  }
});

test('a refused request creates no stream and no event', async () => {
  const before = await organization.position();
  const principals = ['bob@example.com', 'nobody@example.com'];
  expect(
    await refusalOf(request('bob', 'POST', { subscriptions: named('fresh'), principals })),
  ).toEqual({
    status: 403,
    result: 'error',
    msg: "User not authorized to execute queries on behalf of 'nobody@example.com'",
    code: 'UNAUTHORIZED_PRINCIPAL',
    principal: 'nobody@example.com',
  });
  expect(await organization.client('bob').get('streams')).toMatchObject({ streams: [] });
  expect(await organization.position()).toBe(before);
});

test('principals may be ids; a guest may be subscribed but not subscribe', async () => {
  const answer = await join('bob', ['design'], {
    principals: [organization.id('gil'), ' BOB-BOT@example.com '],
  });
  expect(answer).toMatchObject({
    subscribed: { 'gil@example.com': ['design'], 'bob-bot@example.com': ['design'] },
  });
  await expectRefusal(request('gil', 'POST', {}), 'Not allowed for guest users');
  expect(await leave('gil', ['design'])).toMatchObject({ removed: ['design'] });
  await expectNotJoined('bob', ['design'], 'principals[0] is not a string', { principals: [true] });
});

test('policies say who may create streams and subscribe others', async () => {
  await organization.pool.query({
    text: `UPDATE realm SET settings = '{"create_stream_policy": 2, "invite_to_stream_policy": 2}'`,
  });
  await expectNotJoined('bob', ['x'], 'User cannot create streams.');
  await join('ann', ['x'], { is_announcement_only: true });
  await expectNotJoined(
    'bob',
    ['x'],
    uncoded("Only administrators can modify other users' subscriptions."),
    { principals: ['bob@example.com'] },
  );
  await organization.pool.query({
    text: `UPDATE realm SET settings = '{"invite_to_stream_policy": 3, "waiting_period_threshold": 3}'`,
  });
  await expectNotJoined(
    'bob',
    ['x'],
    uncoded("Your account is too new to modify other users' subscriptions."),
    { principals: ['cat@example.com'] },
  );
  await expectNotJoined('bob', ['y'], 'User cannot create a stream with these settings.', {
    is_announcement_only: true,
  });
});

test('leaving returns results per person and stream', async () => {
  await join('bob', ['design', 'lunch'], { principals: ['bob@example.com', 'cat@example.com'] });
  await join('cat', ['other']);
  expect(await leave('bob', ['DESIGN', 'other'])).toEqual({
    result: 'success',
    msg: '',
    removed: ['design'],
    not_subscribed: ['other'],
    not_removed: ['other'],
  });
  expect(
    await leave('ann', ['lunch'], { principals: ['bob@example.com', 'cat@example.com'] }),
  ).toMatchObject({ removed: ['lunch', 'lunch'], not_subscribed: [] });
});

test('leaving a hidden stream reveals only that its name is taken', async () => {
  await join('bob', ['Design']);
  await join('bob', ['Board'], { invite_only: true });
  expect(await leave('cat', ['DESIGN', 'BOARD'])).toMatchObject({
    not_subscribed: ['Design', 'BOARD'],
  });
  expect(await leave('gil', ['DESIGN', 'BOARD'])).toMatchObject({
    not_subscribed: ['DESIGN', 'BOARD'],
  });
  expect(await leave('ann', ['BOARD'])).toMatchObject({ not_subscribed: ['Board'] });
});

test('leaving a missing stream does nothing', async () => {
  await join('bob', ['design']);
  expect(
    await refusalOf(request('bob', 'DELETE', { subscriptions: ['design', 'nix', 'nada'] })),
  ).toEqual({
    status: 400,
    result: 'error',
    msg: 'Stream(s) (nix, nada) do not exist',
    code: 'STREAM_DOES_NOT_EXIST',
    stream: 'nix',
  });
  expect(await subscriptionsOf('bob')).toHaveLength(1);
});

test('only administrators unsubscribe others, also from private streams that they are not in', async () => {
  await join('bob', ['board'], {
    invite_only: true,
    principals: ['bob@example.com', 'cat@example.com'],
  });
  const principals = ['cat@example.com'];
  await expectRefusal(
    request('bob', 'DELETE', { subscriptions: ['board'], principals }),
    uncoded('This action requires administrative rights'),
  );
  expect(await leave('bob', ['board'], { principals: ['BOB@example.com'] })).toMatchObject({
    removed: ['board'],
  });
  expect(await leave('ann', ['board'], { principals })).toMatchObject({ removed: ['board'] });
  expect(
    await refusalOf(
      request('ann', 'DELETE', { subscriptions: ['x'], principals: ['no@example.com'] }),
    ),
  ).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST' });
});

test('a private stream ends with its last member and frees its name', async () => {
  await join('bob', ['board'], { invite_only: true });
  await leave('bob', ['board']);
  expect(
    await organization.client('ann').get('streams', { include_all_active: true }),
  ).toMatchObject({
    streams: [],
  });
  await expectNotJoined(
    'cat',
    ['!DEACTIVATED:board'],
    uncoded('Unable to access stream (!DEACTIVATED:board).'),
  );
  expect(await join('cat', ['board'])).toMatchObject({
    subscribed: { 'cat@example.com': ['board'] },
  });
});

test('an administrator joins a private stream of which only guests are left, with a notice there', async () => {
  await join('bob', ['board'], {
    invite_only: true,
    principals: ['bob@example.com', 'gil@example.com'],
  });
  const refused = uncoded('Unable to access stream (board).');
  const board = { subscriptions: named('board') };
  await expectRefusal(request('ann', 'POST', board), refused);
  await leave('bob', ['board']);
  for (const who of ['bob', 'cat'] as const)
    await expectRefusal(request(who, 'POST', board), refused);
  expect(await join('ann', ['board'])).toMatchObject({
    subscribed: { 'Ann@example.com': ['board'] },
  });
  const newest = async (): Promise<unknown> => {
    const parameters = { anchor: 'newest', num_before: 1, num_after: 0, apply_markdown: false };
    const narrow = [['stream', 'board']];
    return readObjects(
      await organization.client('gil').get('messages', { ...parameters, narrow }),
      'messages',
    );
  };
  const notice = [
    {
      subject: 'stream events',
      content: expect.stringMatching(
        /^@_\*\*Ann Lee.* opened this stream as an administrator/,
      ) as unknown,
    },
  ];
  expect(await newest()).toMatchObject(notice);
  await organization.client('ann').sendToStream('board', 'x', 'here');
  await join('ann', ['board'], { principals: ['bob@example.com'] });
  expect(await newest()).toMatchObject([{ content: 'here' }]);
});

test('an administrator who removes everybody but guests from a private stream enters it in the same way', async () => {
  const [ann, bob, gil] = (['ann', 'bob', 'gil'] as const).map((who) => organization.client(who));
  await join('bob', ['board'], {
    invite_only: true,
    principals: ['bob@example.com', 'gil@example.com'],
  });
  await bob?.sendToStream('board', 'x', 'between us');
  const contents = async (client: typeof ann): Promise<unknown[]> =>
    readObjects(
      (await client?.get('messages', {
        anchor: 'newest',
        num_before: 10,
        num_after: 0,
        apply_markdown: false,
        narrow: [['stream', 'board']],
      })) ?? {},
      'messages',
    ).map(({ content }) => content);
  await ann?.unsubscribe('board', { principals: ['bob@example.com'] });
  await join('ann', ['board']);
  const opened = expect.stringMatching(/^@_\*\*Ann Lee.* opened this stream/) as unknown;
  expect(await contents(ann)).toEqual([opened]);
  expect((await contents(gil)).slice(-2)).toEqual(['between us', opened]);
});

test('concurrent requests for the same new streams create one of each', async () => {
  const answers = await Promise.all([
    join('ann', ['a', 'b', 'c']),
    join('bob', ['c', 'b', 'a']),
    join('cat', ['B', 'A', 'C']),
  ]);
  expect(answers.map((answer) => Object.keys(answer['subscribed'] as object))).toEqual([
    ['Ann@example.com'],
    ['bob@example.com'],
    ['cat@example.com'],
  ]);
  const lists = await Promise.all(
    (['ann', 'bob', 'cat'] as const).map((who) =>
      subscriptionsOf(who, { include_subscribers: true }),
    ),
  );
  for (const list of lists) {
    expect(list.map((subscription) => subscription['subscribers'])).toEqual(
      Array.from({ length: 3 }, () => ['Ann@example.com', 'bob@example.com', 'cat@example.com']),
    );
  }
});
