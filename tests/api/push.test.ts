/** Web Push: subscriptions, and who is notified of what, with a push service that checks signatures and a subscriber that decrypts. */
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

import type { Pool } from '@parley/database';
import { makeOrganization, openTestPool, startLocalCluster, waitUntil } from '@parley/test-kit';
import type { Cluster, Parameters, TestAccount, TestOrganization } from '@parley/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { Browser } from '../support/browser.ts';
import { anyNumber, textMatching } from '../support/matchers.ts';
import { PushService, PushSubscriber } from '../support/push-service.ts';
import {
  areUntilAway,
  becomeActive,
  becomeAway,
  changeBeforeNotification,
  changesBeforeNotification,
  concerning,
  untilLookedAt,
} from '../support/notifications.ts';
import { success } from './refusals.ts';

const password = 'the tide is low on tuesdays';
const topic = 'fire';

let service: PushService;
let cluster: Cluster;
let organization: TestOrganization;
let pool: Pool;
let ann: TestAccount;
let bob: TestAccount;
let phone: PushSubscriber;
let streamId: number;
let made = 0;

beforeAll(async () => {
  service = await PushService.start();
  cluster = await startLocalCluster({
    people: 2,
    // Push services answer over real sockets, and these tests wait for the rests between attempts.
    time: 'flows',
    environment: { PARLEY_OUTGOING_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  });
  organization = await makeOrganization(cluster);
  pool = openTestPool(cluster.settings.databaseUrl);
});
afterAll(async () => {
  await pool?.end();
  await organization?.close();
  await cluster?.stop();
  await service?.stop();
});
beforeEach(async () => {
  service.answer = () => 201;
  made += 1;
  ann = await organization.makeAccount(`Ann${made} Lee`, { role: 'administrator' });
  bob = await organization.makeAccount(`Bob${made} Ray`, { password });
  ({ id: streamId } = await organization.makeStream(`kiln${made}`, [ann, bob], {
    inviteOnly: true,
  }));
  phone = new PushSubscriber(service);
  await bob.client.post('push_subscriptions', phone.target);
});

async function send(from: TestAccount, message: Parameters): Promise<number> {
  return Number((await from.client.post('messages', message))['id']);
}

function write(content: string): Promise<number> {
  return send(ann, { type: 'private', to: [bob.id], content });
}

function say(content: string): Promise<number> {
  return send(ann, { type: 'stream', to: streamId, topic, content });
}

function call(content: string): Promise<number> {
  return say(`@**${bob.user.fullName}** ${content}`);
}

/** Waits until nothing waits to be pushed; a service that failed often rests for a minute. */
async function settle(): Promise<void> {
  await untilLookedAt(pool);
  await waitUntil('nothing waits to be pushed', async () => {
    const { rowCount } = await pool.query(
      'SELECT 1 FROM messages_to_push WHERE pushed_at IS NULL LIMIT 1',
    );
    return rowCount === 0;
  });
  expect(service.faults).toEqual([]);
}

/** Makes the push service refuse, and waits until it has refused a push for the phone. */
async function sayInVain(content: string): Promise<number> {
  const refused = Promise.withResolvers<void>();
  service.answer = (path) => {
    if (path === phone.path) refused.resolve();
    return 503;
  };
  const id = await say(content);
  await refused.promise;
  await waitUntil('the refusal is noted', async () => {
    const { rowCount } = await pool.query(
      `SELECT 1 FROM push_subscriptions WHERE user_id = ${bob.id} AND failures > 0 AND claimed_until < parley_now()`,
    );
    return rowCount === 1;
  });
  return id;
}

/** Begins an attempt of what is true now: one that is under way may have read what was true before. */
async function tryAgain(answer: PushService['answer']): Promise<void> {
  await waitUntil('no attempt is under way', async () => {
    const { rowCount } = await pool.query(
      'SELECT 1 FROM push_subscriptions WHERE claimed_until >= parley_now() LIMIT 1',
    );
    return rowCount === 0;
  });
  service.answer = answer;
  await pool.query('UPDATE push_subscriptions SET due_at = parley_now() WHERE failures > 0');
}

/** Lets the push service take pushes again. */
async function goOn(): Promise<void> {
  await tryAgain(() => 201);
  await settle();
}

test('a message is pushed at once, encrypted for the subscriber and signed by the key that it was given', async () => {
  const { public_key: publicKey } = await bob.client.get('push_subscriptions');
  const id = await write('The kiln is **hot**');
  await settle();
  const [payload, ...more] = phone.payloads;
  expect(more).toEqual([]);
  expect(payload).toEqual({
    v: 1,
    notice: {
      conversation_id: anyNumber,
      place: { type: 'private' },
      sender: ann.user.fullName,
      text: 'The kiln is hot',
      url: `/#narrow/pm-with/${ann.id},${bob.id}-pm/near/${id}`,
      count: 1,
      message_ids: [id],
    },
    gone: [],
  });
  const push = service.pushes.find(({ path }) => path === phone.path);
  expect(push?.publicKey).toBe(publicKey);
  expect(push?.headers).toMatchObject({
    ttl: textMatching(/^86[34]\d\d$/),
    urgency: 'high',
    'content-encoding': 'aes128gcm',
    topic: textMatching(/^[\w-]{32}$/),
  });
  expect(push?.body.toString('latin1')).not.toContain('kiln');
});

test('later pushes count what is unread in the conversation, and say what was read', async () => {
  const first = await write('one');
  await settle();
  const second = await write('two');
  await settle();
  expect(phone.payloads.at(-1)?.notice).toMatchObject({ count: 2, message_ids: [first, second] });
  await bob.client.flag([first, second], 'read');
  const third = await call('three');
  await settle();
  const last = phone.payloads.at(-1);
  expect(last?.notice).toMatchObject({
    count: 1,
    message_ids: [third],
    place: { type: 'stream', stream: `kiln${made}`, topic: 'fire' },
  });
  expect(last?.gone).toEqual([first, second]);
});

test('any script fits into a push', async () => {
  await ann.client.patch('settings', { full_name: '語'.repeat(100) });
  await send(ann, {
    type: 'stream',
    to: streamId,
    topic: '語'.repeat(60),
    content: `@**${bob.user.fullName}** ${'語'.repeat(5_000)}`,
  });
  await settle();
  expect(phone.payloads).toHaveLength(1);
  expect(service.pushes.at(-1)?.body.length).toBeLessThanOrEqual(4_096);
});

test('every device of a person is notified once, whichever of two processes pushes', async () => {
  const devices = Array.from({ length: 10 }, () => new PushSubscriber(service));
  for (const each of devices) await bob.client.post('push_subscriptions', each.target);
  await write('hello');
  await settle();
  expect(devices.map(({ payloads }) => payloads.length)).toEqual(devices.map(() => 1));
});

test('who is active is notified only if they want that, or once they are away', async () => {
  await bob.client.patch('settings/notifications', { enable_online_push_notifications: false });
  await becomeActive(bob);
  await write('hello');
  await waitUntil('it is put off', async () => {
    const { rows } = await pool.query<{ secs: number }>(
      `SELECT extract(epoch FROM due_at - parley_now())::float AS secs FROM push_subscriptions
        WHERE user_id = ${bob.id} AND due_at < 'infinity'`,
    );
    return areUntilAway(rows);
  });
  expect(phone.payloads).toEqual([]);
  await becomeAway(pool, bob);
  await pool.query(`UPDATE push_subscriptions SET due_at = parley_now() WHERE user_id = ${bob.id}`);
  await settle();
  expect(phone.payloads).toHaveLength(1);
});

test('words of private messages are left out if the person wants that', async () => {
  await bob.client.patch('settings/notifications', { pm_content_in_desktop_notifications: false });
  await write('secret words');
  await settle();
  expect(phone.payloads.map(({ notice }) => notice.text)).toEqual([null]);
});

test('a mention that an edit adds is pushed, once', async () => {
  const id = await say('The kiln is hot');
  for (const content of [`@**${bob.user.fullName}** come`, `@**${bob.user.fullName}** @**all**`]) {
    await settle();
    await ann.client.patch(`messages/${id}`, { content });
  }
  await settle();
  expect(phone.payloads.map(({ notice }) => notice.message_ids)).toEqual([[id]]);
});

test('a mention that an edit adds while another push is under way is pushed after that', async () => {
  const plain = await say('The kiln is hot');
  await settle();
  const mute = { stream_id: streamId, topic, op: 'add' };
  await bob.client.patch('users/me/subscriptions/muted_topics', mute);
  const inVain = Promise.withResolvers<void>();
  service.answer = () => {
    inVain.resolve();
    return 503;
  };
  const first = await write('look');
  await inVain.promise;
  // Waits with the first, and is not to be pushed: its topic is muted.
  const toAll = await say(concerning.withAll());
  await untilLookedAt(pool);
  const [isHeld, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<number>()];
  await tryAgain(() => {
    isHeld.resolve();
    return answer.promise;
  });
  await isHeld.promise;
  for (const id of [plain, toAll])
    await ann.client.patch(`messages/${id}`, { content: concerning.byName(bob) });
  await untilLookedAt(pool);
  service.answer = () => 201;
  answer.resolve(201);
  await settle();
  expect(phone.payloads.flatMap(({ notice }) => notice.message_ids)).toEqual([first, plain, toAll]);
});

test.each<[string, string, boolean]>([
  ['all', '@**all** come', false],
  ['who wants every message', 'come', true],
])(
  'who was notified of a message to %s is not notified of a mention that an edit adds',
  async (_whom, content, wantsAll) => {
    await bob.client.post('users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: streamId, property: 'push_notifications', value: wantsAll }],
    });
    const id = await say(content);
    await settle();
    const tablet = new PushSubscriber(service);
    await bob.client.post('push_subscriptions', tablet.target);
    await ann.client.patch(`messages/${id}`, { content: concerning.byName(bob) });
    await settle();
    expect([phone, tablet].map(({ payloads }) => payloads.length)).toEqual([1, 0]);
  },
);

describe('nobody is notified', () => {
  test('of messages that concern nobody, or of any without wanting it', async () => {
    await send(ann, { type: 'stream', to: streamId, topic: 'a', content: 'plain' });
    await bob.client.patch('settings/notifications', {
      enable_online_push_notifications: false,
      enable_offline_push_notifications: false,
    });
    await write('hello');
    await settle();
    expect(phone.payloads).toEqual([]);
  });
});

describe('who is notified of what changed before it could be pushed', () => {
  const notified: string[] = [];
  beforeAll(async () => {
    const phones = new Map<number, PushSubscriber>();
    const refused = new Set<string>();
    service.answer = (path) => {
      refused.add(path);
      return 503;
    };
    const readers = await changeBeforeNotification(organization, {
      prepare: async ({ id, client }) => {
        const made = new PushSubscriber(service);
        phones.set(id, made);
        await client.post('push_subscriptions', made.target);
      },
      // The service rests after a failure, so most of them wait for their first attempt.
      untilDue: async () => {
        await untilLookedAt(pool);
        await waitUntil('one was refused', () => refused.size > 0);
      },
    });
    await goOn();
    for (const [what, { id }] of readers) if (phones.get(id)?.payloads.length) notified.push(what);
  }, 240_000);

  test.each(changesBeforeNotification)('%s', (what) => {
    expect(notified.includes(what)).toBe(what === 'unchanged');
  });
});

test('a push that fails is repeated, with what is true then', async () => {
  const id = await sayInVain(concerning.byName(bob));
  await ann.client.patch(`messages/${id}`, {
    content: `@**${bob.user.fullName}** right words`,
    topic: 'elsewhere',
  });
  await goOn();
  expect(phone.payloads.map(({ notice }) => [notice.text, notice.place])).toEqual([
    [
      `@${bob.user.fullName} right words`,
      { type: 'stream', stream: `kiln${made}`, topic: 'elsewhere' },
    ],
  ]);
});

test('a push service that fails delays nobody at another one', async () => {
  service.answer = () => 503;
  const other = await PushService.start();
  const cat = await organization.makeAccount(`Cat${made} Moe`);
  const tablet = new PushSubscriber(other);
  await cat.client.post('push_subscriptions', tablet.target);
  await write('hello');
  await send(ann, { type: 'private', to: [cat.id], content: 'hello' });
  await waitUntil('the other one has it', () => tablet.payloads.length === 1);
  expect(phone.payloads).toEqual([]);
  await goOn();
  expect(phone.payloads).toHaveLength(1);
  await other.stop();
});

test.each([404, 410])('a subscription of which its service says %i ends', async (status) => {
  service.answer = () => status;
  await write('hello');
  await settle();
  const { subscriptions } = await bob.client.get('push_subscriptions');
  expect(subscriptions).toEqual([]);
});

test('services that never answer, however many, take no place of one that works', async () => {
  await write('it works');
  await settle();
  const held = new Set<Socket>();
  const silent = createServer((socket) => {
    held.add(socket);
    socket.on('error', () => undefined).on('close', () => held.delete(socket));
  });
  const listening = Promise.withResolvers<void>();
  silent.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const { port } = silent.address() as AddressInfo;
  const many = await organization.makeAccounts(
    Array.from({ length: 8 }, (_, n) => `Silent${made} ${n}`),
  );
  await Promise.all(
    many.map(async ({ client }, n) => {
      for (let m = 0; m < 20; m += 1)
        await client.post('push_subscriptions', {
          ...phone.target,
          endpoint: `https://s${n}-${m}.localhost:${port}/`,
        });
    }),
  );
  const { id: to } = await organization.makeStream(`loud${made}`, [ann, ...many]);
  await send(ann, { type: 'stream', to, topic, content: '@**all** hello' });
  await waitUntil('services do not answer', () => held.size >= 16);
  await write('it goes on working');
  await waitUntil('it came', () => phone.payloads.length === 2);
  expect(held.size).toBeLessThanOrEqual(32);
  await pool.query(`DELETE FROM push_subscriptions WHERE origin LIKE '%:${port}'`);
  for (const socket of held) socket.destroy();
  silent.close();
});

test('what a service says of single subscriptions is not taken for a fault of the service', async () => {
  const cat = await organization.makeAccount(`Cat${made} Moe`);
  const foreign = Array.from({ length: 10 }, () => new PushSubscriber(service));
  for (const each of foreign) await cat.client.post('push_subscriptions', each.target);
  const refused = new Set<string>();
  service.answer = (path) => {
    if (path === phone.path) return 201;
    refused.add(path);
    return 403;
  };
  await send(ann, { type: 'private', to: [cat.id], content: 'hello' });
  await waitUntil('all were refused', () => refused.size === foreign.length);
  await write('hello');
  await waitUntil('the telephone has it', () => phone.payloads.length === 1);
  await goOn();
});

test.each([
  ['600', 500, 601],
  [new Date(Date.now() + 900_000).toUTCString(), 600, 901],
  ['9999999999', 3_500, 3_601],
  ['soon', 0, 6],
])(
  'a subscription waits as long as its service asks (%s), for an hour at most',
  async (header, least, most) => {
    const busy = await PushService.start();
    busy.answer = () => ({ status: 429, headers: { 'retry-after': header } });
    const tablet = new PushSubscriber(busy);
    await bob.client.post('push_subscriptions', tablet.target);
    await call('come');
    const secs = await waitUntil('it is put off', async () => {
      const { rows } = await pool.query<{ secs: number }>(
        `SELECT extract(epoch FROM due_at - parley_now())::float AS secs FROM push_subscriptions
          WHERE endpoint = '${tablet.target.endpoint}' AND failures = 1`,
      );
      return rows[0]?.secs;
    });
    expect(secs).toBeGreaterThan(least);
    expect(secs).toBeLessThan(most);
    await bob.client.delete('push_subscriptions', { endpoint: tablet.target.endpoint });
    await busy.stop();
  },
);

test('a push that is too large for its service is repeated without words', async () => {
  service.answer = (_path, body) => (body.length > 700 ? 413 : 201);
  await call('語'.repeat(200));
  await settle();
  expect(phone.payloads.map(({ notice }) => [notice.text, notice.count])).toEqual([[null, 1]]);
});

test('nobody is notified of what is older than a day', async () => {
  const id = await sayInVain(concerning.byName(bob));
  await pool.query(
    `UPDATE messages SET sent_at = parley_now() - interval '25 hours' WHERE id = ${id}`,
  );
  await goOn();
  expect(phone.payloads).toEqual([]);
});

test('a push follows no redirect', async () => {
  const asked: string[] = [];
  service.answer = (path) => {
    asked.push(path);
    return { status: 302, headers: { location: '/elsewhere' } };
  };
  await write('hello');
  await waitUntil('it failed', async () => {
    const { rowCount } = await pool.query(
      `SELECT 1 FROM push_subscriptions WHERE user_id = ${bob.id} AND failures > 0`,
    );
    return rowCount === 1;
  });
  expect(new Set(asked.filter((path) => path === '/elsewhere'))).toEqual(new Set());
  await goOn();
});

describe('subscriptions', () => {
  async function countOf(browser: Browser): Promise<boolean[]> {
    const { body } = await browser.call('GET', 'push_subscriptions');
    const { subscriptions } = body as { subscriptions: { is_current: boolean }[] };
    return subscriptions.map((each) => each.is_current);
  }

  test('one of a browser ends with its session, and another replaces it', async () => {
    const browser = new Browser(cluster.url);
    await browser.signIn(bob.email, password);
    for (const each of [new PushSubscriber(service), new PushSubscriber(service)])
      await browser.call('POST', 'push_subscriptions', { form: each.target });
    expect(await countOf(browser)).toEqual([true, false]);
    const other = new Browser(cluster.url);
    await other.signIn(bob.email, password);
    expect((await other.call('DELETE', 'sessions')).status).toBe(200);
    expect(await countOf(other)).toEqual([false]);
  });

  test('one of a program ends with its key', async () => {
    await bob.client.post('users/me/api_key/regenerate', { password });
    const { rowCount } = await pool.query(
      `SELECT 1 FROM push_subscriptions WHERE user_id = ${bob.id}`,
    );
    expect(rowCount).toBe(0);
  });

  test('a person has at most twenty, and one endpoint belongs to one person', async () => {
    for (let n = 0; n < 21; n += 1)
      await bob.client.post('push_subscriptions', new PushSubscriber(service).target);
    expect((await bob.client.get('push_subscriptions'))['subscriptions']).toHaveLength(20);
    await ann.client.post('push_subscriptions', phone.target);
    await bob.client.delete('push_subscriptions', { endpoint: phone.target.endpoint });
    expect((await ann.client.get('push_subscriptions'))['subscriptions']).toHaveLength(1);
    expect(
      await ann.client.delete('push_subscriptions', { endpoint: phone.target.endpoint }),
    ).toEqual(success);
    expect((await ann.client.get('push_subscriptions'))['subscriptions']).toEqual([]);
  });

  test('of several people who subscribe one endpoint at once one keeps it', async () => {
    const people = await organization.makeAccounts(
      Array.from({ length: 8 }, (_, n) => `Same${made} ${n}`),
    );
    const { target } = new PushSubscriber(service);
    await Promise.all(people.map(({ client }) => client.post('push_subscriptions', target)));
    const { rowCount } = await pool.query({
      text: 'SELECT 1 FROM push_subscriptions WHERE endpoint = $1',
      values: [target.endpoint],
    });
    expect(rowCount).toBe(1);
  });

  test.each([
    ['endpoint', 'http://push.example/a'],
    ['endpoint', 'https://user:pass@push.example/a'],
    ['endpoint', `https://push.example/${'a'.repeat(1_000)}`],
    ['endpoint', 'nowhere'],
    ['p256dh', 'AAAA'],
    ['p256dh', Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]).toString('base64url')],
    ['auth', 'AAAA'],
  ])('refuses %s %s', async (name, value) => {
    const { status, body } = await bob.client.request('POST', 'push_subscriptions', {
      ...phone.target,
      [name]: value,
    });
    expect([status, body['msg']]).toEqual([400, `Invalid ${name}`]);
  });
});
