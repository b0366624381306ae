/** Requests and answers of the Python client, its command-line tools and its bot framework (reference facts, clients 3). */
import { readObjects, waitUntil } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { PersonKey, SmallOrganization } from '../api/small-organization.ts';
import { anyNumber, anyString } from '../support/matchers.ts';
import { Values, callsOf } from './page.ts';
import {
  PythonLoop,
  PythonWire,
  at,
  integerAt,
  listAt,
  objectAt,
  pythonForm,
  pythonJson,
  stringAt,
} from './python-wire.ts';

let organization: SmallOrganization;
let ann: PythonWire;
let bob: PythonWire;
let generalId: number;
const values = new Values();

function wireOf(who: PersonKey, client?: string): PythonWire {
  const { user, apiKey } = organization.accounts[who];
  return new PythonWire({
    url: organization.cluster.url,
    email: user.email,
    apiKey,
    ...(client !== undefined && { client }),
  });
}

beforeAll(async () => {
  organization = await startSmallOrganization({ time: 'flows', events: 1, messages: 1 });
  ann = wireOf('ann');
  bob = wireOf('bob');
  const setUp = organization.client('ann');
  await setUp.patch('realm', { allow_message_deleting: true });
  await setUp.post('users/me/subscriptions', {
    subscriptions: [{ name: 'general' }, { name: 'to delete' }],
    principals: ['ann@example.com', 'bob@example.com', 'bob-bot@example.com'],
  });
  generalId = await setUp.streamId('general');
  values.set({
    ann: organization.id('ann'),
    bob: organization.id('bob'),
    cat: organization.id('cat'),
    general: generalId,
    to_delete: await setUp.streamId('to delete'),
    message: await setUp.sendToStream('general', 'lunch', 'at *noon*'),
    doomed: await setUp.sendToStream('general', 'lunch', 'to be deleted'),
  });
});
afterAll(() => organization?.stop());

describe('encoding (reference facts, clients 2)', () => {
  test('a form equals what Python makes of the same values', () => {
    expect(
      pythonForm({
        narrow: [['stream', 'general']],
        num_before: 5,
        apply_markdown: true,
        anchor: 'newest',
      }),
    ).toBe(
      'narrow=%5B%5B%22stream%22%2C+%22general%22%5D%5D&num_before=5&apply_markdown=true&anchor=newest',
    );
    expect(pythonForm({ to: [7, 8], content: 'a b~c_d-e.f/ü&=+', x: undefined })).toBe(
      'to=%5B7%2C+8%5D&content=a+b~c_d-e.f%2F%C3%BC%26%3D%2B',
    );
    expect(
      pythonForm({ subscriptions: [{ name: 'Füll "it"' }], n: 1e16, p: '["a","b"]', f: false }),
    ).toBe(
      'subscriptions=%5B%7B%22name%22%3A+%22F%5Cu00fcll+%5C%22it%5C%22%22%7D%5D&n=10000000000000000&p=%5B%22a%22%2C%22b%22%5D&f=false',
    );
    expect(pythonJson('é\u2028😀\u007f\n')).toBe(String.raw`"\u00e9\u2028\ud83d\ude00\u007f\n"`);
  });
});

describe('the start (reference facts, clients 3.1)', () => {
  test('the constructor reads a version that is not null and a feature level of 0', async () => {
    const settings = await ann.call('GET', 'server_settings');
    expect(stringAt(settings, 'zulip_version')).toMatch(/./);
    expect(settings['zulip_feature_level'] ?? 0).toBe(0);
  });
});

describe('the event loop (reference facts, clients 3.3)', () => {
  test('call_on_each_event delivers events of its types, and survives the deletion of its queue', async () => {
    const loop = new PythonLoop(bob, { narrow: [], event_types: ['message'] });
    await loop.step();
    const first = await organization.client('ann').sendToStream('general', 'loop', 'one');
    expect(await loop.next('message')).toMatchObject({ type: 'message', message: { id: first } });
    await bob.call('DELETE', 'events', { queue_id: loop.queueId });
    await loop.step();
    await loop.step();
    expect(loop.registrations).toBe(2);
    const second = await organization.client('ann').sendToStream('general', 'loop', 'two');
    expect(await loop.next('message')).toMatchObject({ message: { id: second } });
  });

  test('without types and narrow it gets every type', async () => {
    const loop = new PythonLoop(bob, {});
    await loop.step();
    await bob.call('POST', 'users/me/alert_words', { alert_words: ['loop'] });
    expect(await loop.next('alert_words')).toMatchObject({ alert_words: ['loop'] });
  });

  test('a narrow of pairs excludes other streams', async () => {
    const loop = new PythonLoop(bob, { narrow: [['stream', 'general']], event_types: ['message'] });
    await loop.step();
    await organization.client('ann').sendPrivately(['bob@example.com'], 'not in the narrow');
    const id = await organization.client('ann').sendToStream('general', 'loop', 'in it');
    expect(at(await loop.next('message'), 'message')).toMatchObject({ id });
  });
});

const succeeded = { result: 'success', msg: '' };

describe('the methods (reference facts, clients 3.4)', () => {
  beforeAll(() => bob.call('POST', 'users/me/presence', { status: 'active' }));

  test.each(callsOf('3.4'))('%s: %s', async (_name, call, answer) => {
    expect(await ann.call(...values.readCall(call))).toMatchObject(values.readAnswer(answer));
  });

  test('get_events and deregister', async () => {
    const queue = await ann.call('POST', 'register', { event_types: ['message'] });
    const queue_id = stringAt(queue, 'queue_id');
    const id = await organization.client('bob').sendToStream('general', 'x', 'for the queue');
    const { events } = await ann.call('GET', 'events', {
      queue_id,
      last_event_id: integerAt(queue, 'last_event_id'),
      dont_block: true,
    });
    expect(events).toMatchObject([{ type: 'message', message: { id } }]);
    expect(await ann.call('DELETE', 'events', { queue_id })).toEqual(succeeded);
  });

  test('get_subscribers requests the id, and the members with the stream again', async () => {
    const { stream_id } = await ann.call('GET', 'get_stream_id', { stream: 'general' });
    expect(stream_id).toBe(generalId);
    const answer = await ann.call('GET', `streams/${String(stream_id)}/members`, {
      stream: 'general',
    });
    expect(listAt(answer, 'subscribers')).toEqual(
      expect.arrayContaining(['Ann@example.com', 'bob@example.com']),
    );
  });

  test("move_topic requests both ids and the topic's newest message, and moves from there", async () => {
    await ann.call('POST', 'users/me/subscriptions', { subscriptions: [{ name: 'elsewhere' }] });
    const from = integerAt(
      await ann.call('GET', 'get_stream_id', { stream: 'general' }),
      'stream_id',
    );
    const to = integerAt(
      await ann.call('GET', 'get_stream_id', { stream: 'elsewhere' }),
      'stream_id',
    );
    const sent = await ann.call('POST', 'messages', {
      type: 'stream',
      to: 'general',
      topic: 'to move',
      content: 'x',
    });
    const { messages } = await ann.call('GET', 'messages', {
      anchor: 'newest',
      narrow: [
        { operator: 'stream', operand: from },
        { operator: 'topic', operand: 'to move' },
      ],
      num_before: 1,
      num_after: 0,
    });
    const id = integerAt((messages as readonly unknown[])[0], 'id');
    expect(id).toBe(sent['id']);
    const { body } = await ann.send('PATCH', `messages/${id}`, {
      message_id: id,
      propagate_mode: 'change_all',
      topic: 'moved',
      stream_id: to,
      send_notification_to_old_thread: false,
      send_notification_to_new_thread: false,
    });
    expect(body).toMatchObject(succeeded);
  });

  test('update_user_by_id sends the name as a JSON string, and it is stored without the quotes', async () => {
    const id = organization.id('bob');
    expect(
      await ann.call('PATCH', `users/${id}`, { full_name: pythonJson('Bob Ray'), is_admin: false }),
    ).toEqual(succeeded);
    expect(at(await ann.call('GET', `users/${id}`), 'user')).toMatchObject({
      full_name: 'Bob Ray',
    });
  });

  test("upload_file and upload_custom_emoji name the part by the file's path", async () => {
    const { body } = await ann.upload('user_uploads', '/home/ann/notes.txt', 'a note');
    expect(stringAt(body, 'uri')).toMatch(/^\/user_uploads\/\d+\/.+notes\.txt$/);
    const attachments = readObjects(await ann.call('GET', 'attachments'), 'attachments');
    expect(attachments).toHaveLength(1);
    expect(
      await ann.call('DELETE', `attachments/${integerAt(attachments[0], 'id')}`),
    ).toMatchObject(succeeded);
    const pixel = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
    const picture = Buffer.from(pixel, 'base64').toString('latin1');
    const emoji = await ann.upload('realm/emoji/dot', '/home/ann/dot.gif', picture);
    expect(emoji.body).toMatchObject(succeeded);
    expect(await ann.call('DELETE', 'realm/emoji/dot')).toMatchObject(succeeded);
  });

  test('missing endpoints are a 404 in JSON: realm/linkifiers of later servers', async () => {
    expect(await ann.send('GET', 'realm/linkifiers')).toMatchObject({
      status: 404,
      body: { result: 'error' },
    });
  });
});

describe('command-line tools (reference facts, clients 3.5)', () => {
  test('the sending example has a list as recipient, and a topic for private messages too', async () => {
    for (const parameters of [
      { type: 'private', to: ['bob@example.com'], subject: '', content: 'hi' },
      { type: 'private', to: ['bob@example.com'], subject: 'x', content: 'hi' },
      { type: 'stream', to: ['general'], subject: 'lunch', content: 'hi' },
    ])
      expect(await ann.call('POST', 'messages', parameters)).toMatchObject({ id: anyNumber });
  });

  test('the sender tool prints the reason of a refusal', async () => {
    const { status, body } = await ann.send('POST', 'messages', {
      type: 'stream',
      to: 'nowhere',
      subject: 'x',
      content: 'x',
    });
    expect(status).toBe(400);
    expect(stringAt(body, 'msg')).toBe("Stream 'nowhere' does not exist");
  });

  test('the history example pages by last id + 1 until found_newest', async () => {
    let anchor = 0;
    const ids: number[] = [];
    for (;;) {
      const answer = await ann.call('GET', 'messages', {
        narrow: [{ operator: 'topic', operand: 'lunch' }],
        anchor,
        num_before: 0,
        num_after: 2,
        client_gravatar: true,
        apply_markdown: false,
      });
      const page = listAt(answer, 'messages').map((message) => integerAt(message, 'id'));
      ids.push(...page);
      if (at(answer, 'found_newest') === true) break;
      anchor = (page.at(-1) ?? 0) + 1;
    }
    expect(ids.length).toBeGreaterThan(2);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
  });

  test('the examples that list people, read messages and upload find the members that they need', async () => {
    for (const member of listAt(await ann.call('GET', 'users'), 'members'))
      expect([stringAt(member, 'full_name'), stringAt(member, 'email')]).toHaveLength(2);
    expect(
      await ann.call('GET', 'messages', {
        anchor: 0,
        use_first_unread_anchor: false,
        num_before: 0,
        num_after: 5,
        narrow: '[]',
      }),
    ).toHaveProperty('messages');
    const { body } = await ann.upload('user_uploads', 'a.txt', 'x');
    expect(at(body, 'uri')).toMatch(/^\/user_uploads\//);
  });
});

describe('the bot framework (reference facts, clients 3.6)', () => {
  let bot: PythonWire;
  let loop: PythonLoop;
  beforeAll(async () => {
    bot = wireOf('bobBot', 'ZulipHelperBot/0.9.1');
    loop = new PythonLoop(bot, { narrow: [], event_types: ['message'] });
    await loop.step();
  });

  test("the start reads the bot's account", async () => {
    const profile = await bot.call('GET', 'users/me');
    expect([
      integerAt(profile, 'user_id'),
      stringAt(profile, 'full_name'),
      stringAt(profile, 'email'),
    ]).toEqual([organization.id('bobBot'), 'Bob Bot', 'bob-bot@example.com']);
  });

  test('a mention in a stream has its flag and original content, and is answered there', async () => {
    const content = '@**Bob Bot** what is *up*';
    await ann.call('POST', 'messages', { type: 'stream', to: 'general', topic: 'bots', content });
    const event = await loop.next('message');
    const message = objectAt(event, 'message');
    expect(listAt(event, 'flags')).toContain('mentioned');
    expect(stringAt(message, 'content')).toBe(content);
    expect([stringAt(message, 'type'), integerAt(message, 'sender_id')]).toEqual([
      'stream',
      organization.id('ann'),
    ]);
    const answer = await bot.call('POST', 'messages', {
      type: 'stream',
      to: stringAt(message, 'display_recipient'),
      subject: stringAt(message, 'subject'),
      content: 'not much',
    });
    const reaction = {
      message_id: integerAt(message, 'id'),
      emoji_name: 'wave',
      reaction_type: 'unicode_emoji',
    };
    expect(
      await bot.call('POST', `messages/${integerAt(message, 'id')}/reactions`, reaction),
    ).toEqual(succeeded);
    expect(await loop.next('message')).toMatchObject({
      message: { id: answer['id'], client: 'ZulipHelperBot' },
    });
  });

  test("a private message is answered by all ids, including the bot's", async () => {
    await ann.call('POST', 'messages', {
      type: 'private',
      to: ['bob-bot@example.com'],
      content: 'psst',
    });
    const event = await loop.next('message');
    const message = objectAt(event, 'message');
    expect(listAt(event, 'flags')).not.toContain('mentioned');
    const people = listAt(message, 'display_recipient');
    expect(people.map((one) => stringAt(one, 'email'))).toEqual(
      expect.arrayContaining(['Ann@example.com', 'bob-bot@example.com']),
    );
    const to = people.map((one) => integerAt(one, 'id'));
    await bot.call('POST', 'messages', { type: 'private', to, content: 'yes?' });
    const answer = await waitUntil('the answer', async () =>
      readObjects(
        await ann.call('GET', 'messages', {
          anchor: 'newest',
          num_before: 1,
          num_after: 0,
          narrow: [['pm-with', 'bob-bot@example.com']],
        }),
        'messages',
      ).find((one) => one['sender_email'] === 'bob-bot@example.com'),
    );
    expect(answer).toMatchObject({ type: 'private', content: '<p>yes?</p>' });
  });

  test('storage is written and read by key', async () => {
    await bot.call('PUT', 'bot_storage', { storage: { count: '"5"' } });
    const { storage } = await bot.call('GET', 'bot_storage', { keys: ['count'] });
    expect(stringAt(storage, 'count')).toBe('"5"');
  });
});

describe('repeats (reference facts, clients 3.2)', () => {
  test('a repeat with dont_block=true among the parameters is the same request', async () => {
    expect(await ann.call('GET', 'users/me', { dont_block: true })).toMatchObject({
      user_id: organization.id('ann'),
    });
    expect(
      await ann.call('POST', 'messages', {
        type: 'private',
        to: [organization.id('bob')],
        content: 'again',
        dont_block: true,
      }),
    ).toMatchObject({ id: anyNumber });
  });

  test.each([
    ['a wrong key, 401', { email: 'ann@example.com', apiKey: 'x'.repeat(32) }, 401],
    ['no credentials, 401', {}, 401],
  ])('%s, is JSON with a result', async (_, credentials, status) => {
    const wire = new PythonWire({ url: organization.cluster.url, ...credentials });
    expect(await wire.send('GET', 'users/me')).toMatchObject({
      status,
      body: { result: 'error', msg: anyString },
    });
  });
});
