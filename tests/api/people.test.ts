import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import { audienceKey } from '@parley/event-log';
import { connectMaker } from '@parley/demo';
import { createUser } from '@parley/store';
import { ApiClient, readObjects, settle, waitUntil } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { describe, expect, test } from 'vitest';

import { anyNumber, textMatching } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { refusalOf } from './message-fixture.ts';
import { coded, expectOneSuccess, expectRefusal, success, uncoded } from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';
import { watchEveryKind } from './watched-queues.ts';

const organization = useFixture(() =>
  startSmallOrganization({ events: 1, people: 2, messages: 1 }),
);

const as = (who?: PersonKey): ApiClient => organization.client(who);

let made = 0;
/** @returns the parameters of POST users for a new person */
function newPerson() {
  made += 1;
  return {
    email: `person${made}@example.com`,
    password: 'kR7#vQp2tide',
    full_name: `Person ${made}`,
    short_name: `p${made}`,
  };
}

async function findMember(email: string): Promise<Readonly<Record<string, unknown>>> {
  const members = readObjects(await as('ann').get('users'), 'members');
  const member = members.find((candidate) => candidate['email'] === email);
  if (member === undefined) throw new Error(`nobody has the address ${email}`);
  return member;
}

async function makePerson(): Promise<{ id: number; email: string; client: ApiClient }> {
  const person = newPerson();
  await as('ann').post('users', person);
  const { user_id: id } = await findMember(person.email);
  const { api_key: apiKey } = await as().post('fetch_api_key', {
    username: person.email,
    password: person.password,
  });
  return {
    id: id as number,
    email: person.email,
    client: new ApiClient({
      urls: organization.cluster.gatewayUrls,
      email: person.email,
      apiKey: String(apiKey),
    }),
  };
}

describe('POST users', () => {
  test('the first person waits for no thread that judges passwords', async () => {
    const threads: unknown[] = [];
    const note = (started: unknown): number => threads.push(started);
    subscribe('worker_threads', note);
    await as('ann').post('users', newPerson());
    unsubscribe('worker_threads', note);
    expect(threads).toEqual([]);
  });

  test('a new person joins the default streams, can sign in, and is announced to everybody', async () => {
    await as('ann').post('users/me/subscriptions', {
      subscriptions: [{ name: 'welcome' }, { name: 'founders' }],
    });
    await as('ann').subscribe('council', { invite_only: true });
    await organization.pool.query(
      "UPDATE streams SET is_default = true WHERE name IN ('welcome', 'council')",
    );
    const queues = await watchEveryKind(organization);
    const person = newPerson();
    expect(await as('ann').post('users', person)).toEqual(success);
    const { ann, bob, gil, bobBot } = await queues.step();
    const { user_id: userId } = await findMember(person.email);
    const added = {
      type: 'realm_user',
      op: 'add',
      person: {
        user_id: userId,
        email: person.email,
        full_name: person.full_name,
        is_admin: false,
        is_guest: false,
        is_bot: false,
        avatar_url: textMatching(
          /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=1$/,
        ),
        timezone: '',
        date_joined: textMatching(/\.\d{6}\+00:00$/),
        profile_data: {},
      },
    };
    const joined = (name: string): object => ({
      type: 'subscription',
      op: 'peer_add',
      subscriptions: [name],
      user_id: userId,
      stream_id: anyNumber,
      stream_ids: [anyNumber],
      user_ids: [userId],
    });
    expect(bob).toEqual([added, joined('welcome')]);
    expect(bobBot).toEqual(bob);
    expect(gil).toEqual([added]);
    // Ann is in the private stream.
    expect(ann).toEqual([added, joined('welcome'), joined('council')]);
    const { api_key: apiKey } = await as().post('fetch_api_key', {
      username: person.email,
      password: person.password,
    });
    expect(apiKey).toMatch(/^[A-Za-z0-9]{32}$/);
    const members = readObjects(
      await as('ann').get('users/me/subscriptions', { include_subscribers: true }),
      'subscriptions',
    );
    expect(
      members.map((stream) => [
        stream['name'],
        (stream['subscribers'] as string[]).includes(person.email),
      ]),
    ).toEqual([
      ['council', true],
      ['founders', false],
      ['welcome', true],
    ]);
    await organization.pool.query('UPDATE streams SET is_default = false');
  });

  test('checklist 45: an address taken in another letter case is refused without a code, also that of a deactivated account', async () => {
    for (const email of ['ANN@EXAMPLE.com', 'Bob-Bot@example.com']) {
      await expectRefusal(
        as('ann').post('users', { ...newPerson(), email }),
        uncoded(`Email '${email}' already in use`),
      );
    }
    const gone = await makePerson();
    await as('ann').delete(`users/${gone.id}`);
    const email = gone.email.toUpperCase();
    await expectRefusal(
      as('ann').post('users', { ...newPerson(), email }),
      uncoded(`Email '${email}' already in use`),
    );
  });

  test('checklist 47: a name that contains @ gives `Invalid characters in name!`', async () => {
    const create = (change: object): Promise<unknown> =>
      as('ann').post('users', { ...newPerson(), ...change });
    await expectRefusal(create({ full_name: 'Ann@home' }), 'Invalid characters in name!');
    await expectRefusal(create({ full_name: 'x' }), 'Name too short!');
    await expectRefusal(create({ full_name: 'x'.repeat(101) }), 'Name too long!');
  });

  test('an invalid address, a restricted domain, a disposable address and a weak password are refused in this order', async () => {
    const create = (change: object): Promise<unknown> =>
      as('ann').post('users', { ...newPerson(), ...change });
    for (const [email, msg] of [
      ['nobody', 'Bad name or username'],
      [`${'a'.repeat(250)}@example.com`, 'Bad name or username'],
      ['x@mailinator.com', 'Disposable email addresses are not allowed in this organization'],
    ] as const)
      await expectRefusal(create({ email, password: 'x' }), uncoded(msg));
    for (const password of ['x9Qz', 'password', 'qwertyuiop'])
      await expectRefusal(create({ password }), uncoded('The password is too weak.'));
    await as('ann').post('realm/domains', { domain: 'example.com', allow_subdomains: true });
    await as('ann').patch('realm', { emails_restricted_to_domains: true });
    for (const [email, msg] of [
      ['x@elsewhere.example', "Email 'x@elsewhere.example' not allowed in this organization"],
      ['x+y@example.com', 'Email addresses containing + are not allowed.'],
    ] as const)
      await expectRefusal(create({ email, password: 'x' }), uncoded(msg));
    expect(await create({ email: 'x@deep.Example.com' })).toEqual(success);
    await as('ann').patch('realm', { emails_restricted_to_domains: false });
  });

  test('two concurrent requests for one address create one account', async () => {
    const person = newPerson();
    await expectOneSuccess(
      Array.from({ length: 4 }, () => as('ann').post('users', person)),
      uncoded(`Email '${person.email}' already in use`),
    );
  });
});

describe('GET users', () => {
  test('checklist 42: client_gravatar nulls avatar_url only for accounts with a Gravatar; people have profile data on request', async () => {
    await organization.pool.query("UPDATE users SET avatar_source = 'U' WHERE email = $1", [
      'cat@example.com',
    ]);
    const members = readObjects(
      await as('bob').get('users', { client_gravatar: true, include_custom_profile_fields: true }),
      'members',
    );
    for (const member of members) expect('profile_data' in member).toBe(member['is_bot'] === false);
    const urls = new Map(members.map((member) => [member['email'], member['avatar_url']]));
    expect(urls.get('bob@example.com')).toBeNull();
    expect(urls.get('cat@example.com')).toMatch(
      /^\/user_avatars\/1\/[0-9a-f]{40}\.png\?x=x&version=1$/,
    );
    await organization.pool.query("UPDATE users SET avatar_source = 'G'");
  });

  test('GET users/{id} returns one account, a bot with its owner, and 404 for a missing one', async () => {
    expect(await as('gil').get(`users/${organization.id('bobBot')}`)).toEqual({
      ...success,
      user: await findMember('bob-bot@example.com'),
    });
    const systemBot = await organization.pool.query<{ id: number }>(
      'SELECT id FROM users WHERE is_system LIMIT 1',
    );
    for (const id of [2_000_000_000, 9_999_999_999, systemBot.rows[0]?.id])
      await expectRefusal(as('ann').get(`users/${id}`), 'No such user');
    expect((await as('ann').request('GET', 'users/bob')).status).toBe(404);
  });
});

describe('PATCH users/{id}', () => {
  test('checklist 48: full_name is accepted JSON-encoded and raw, and announced to everybody', async () => {
    const person = await makePerson();
    const queues = await watchEveryKind(organization);
    await as('ann').patch(`users/${person.id}`, { full_name: '"Quoted Name"' });
    await as('ann').patch(`users/${person.id}`, { full_name: ' Raw Name ' });
    await as('ann').patch(`users/${person.id}`, { full_name: '  ' });
    await as('ann').patch(`users/${person.id}`, { full_name: 'Raw Name' });
    const renamed = (fullName: string): object => ({
      type: 'realm_user',
      op: 'update',
      person: { user_id: person.id, email: person.email, full_name: fullName },
    });
    const events = [renamed('Quoted Name'), renamed('Raw Name')];
    expect(await queues.shared()).toEqual(events);
    for (const [name, msg] of [
      ['x', 'Name too short!'],
      ['a*b', 'Invalid characters in name!'],
    ]) {
      await expectRefusal(as('ann').patch(`users/${person.id}`, { full_name: name }), msg ?? '');
    }
  });

  test('checklist 49: making a user guest and administrator fails and changes nothing', async () => {
    const person = await makePerson();
    const both = uncoded('Guests cannot be organization administrators');
    const patch = (change: object): Promise<unknown> =>
      as('ann').patch(`users/${person.id}`, { ...change });
    await expectRefusal(patch({ is_admin: true, is_guest: true }), both);
    expect(await patch({ is_guest: true })).toEqual(success);
    await expectRefusal(patch({ is_admin: true }), both);
    await expectRefusal(
      patch({ is_admin: true, is_guest: false, full_name: 'x' }),
      'Name too short!',
    );
    expect(await findMember(person.email)).toMatchObject({ is_admin: false, is_guest: true });
  });

  test('refuses members, guests and bots, except owners of a bot, who cannot change its role', async () => {
    const patch = (who: PersonKey, id: number, change: object): Promise<unknown> =>
      as(who).patch(`users/${id}`, { ...change });
    const [bob, gil, bobBot] = (['bob', 'gil', 'bobBot'] as const).map((who) =>
      organization.id(who),
    );
    const refused = coded('Insufficient permission');
    await expectRefusal(patch('bob', gil ?? 0, { full_name: 'Gill' }), refused);
    await expectRefusal(patch('bob', bob ?? 0, { full_name: 'Bobby' }), refused);
    await expectRefusal(patch('gil', gil ?? 0, { full_name: 'Gill' }), refused);
    await expectRefusal(patch('bobBot', bobBot ?? 0, { full_name: 'Botty' }), refused);
    await expectRefusal(patch('bob', bobBot ?? 0, { is_admin: true }), refused);
    expect(await patch('bob', bobBot ?? 0, { full_name: 'Bob Bot' })).toEqual(success);
    await expectRefusal(patch('ann', 2_000_000_000, { full_name: 'Nobody' }), 'No such user');
    expect(await refusalOf(as().patch(`users/${gil}`))).toMatchObject({ result: 'error' });
  });

  test('the last administrator keeps the role', async () => {
    await expectRefusal(
      as('ann').patch(`users/${organization.id('ann')}`, { is_admin: false }),
      uncoded('Cannot remove the only organization administrator'),
    );
  });

  test.each([
    [{ profile_data: [{ id: 'x', value: '' }] }, 'profile_data[0]["id"] is not an integer'],
    [{ profile_data: [{ value: '' }] }, 'id key is missing from profile_data[0]'],
    [{ profile_data: [{ id: 77_777, value: 'x' }] }, 'Field id 77777 not found.'],
    [{ profile_data: [{ id: 77_777, value: '' }] }, 'Field id 77777 not found.'],
  ])('%j is refused', async (change, msg) => {
    await expectRefusal(as('ann').patch(`users/${organization.id('bob')}`, change), msg);
  });

  test('of two administrators who remove the role from each other at once, one keeps it', async () => {
    for (let round = 0; round < 2; round += 1) {
      const [one, two] = [await makePerson(), await makePerson()];
      await as('ann').patch(`users/${one.id}`, { is_admin: true });
      await as('ann').patch(`users/${two.id}`, { is_admin: true });
      await settle();
      await expectOneSuccess(
        [
          one.client.patch(`users/${two.id}`, { is_admin: false }),
          two.client.patch(`users/${one.id}`, { is_admin: false }),
        ],
        'Insufficient permission',
      );
      for (const { id } of [one, two]) await as('ann').patch(`users/${id}`, { is_admin: false });
    }
  });

  test('of two administrators who give up the role at once, one keeps it', async () => {
    const one = await makePerson();
    for (let round = 0; round < 2; round += 1) {
      await as('ann').patch(`users/${one.id}`, { is_admin: true });
      const ann = organization.id('ann');
      await settle();
      const answers = await Promise.all([
        as('ann').request('PATCH', `users/${ann}`, { is_admin: false }),
        one.client.request('PATCH', `users/${one.id}`, { is_admin: false }),
      ]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
      expect(answers.find(({ status }) => status === 400)?.body).toMatchObject({
        msg: 'Cannot remove the only organization administrator',
      });
      if (answers[0]?.status === 200) await one.client.patch(`users/${ann}`, { is_admin: true });
      await settle();
    }
    await as('ann').patch(`users/${one.id}`, { is_admin: false });
  });
});

describe('deactivation and reactivation', () => {
  test('checklist 50: the last administrator cannot be deactivated, by id without a code, by users/me with one', async () => {
    await expectRefusal(
      as('ann').delete(`users/${organization.id('ann')}`),
      uncoded('Cannot deactivate the only organization administrator'),
    );
    expect(await refusalOf(as('ann').delete('users/me'))).toEqual({
      status: 400,
      result: 'error',
      msg: 'Cannot deactivate the only organization administrator.',
      code: 'CANNOT_DEACTIVATE_LAST_USER',
      is_last_admin: true,
      entity: 'organization administrator',
    });
    await expectRefusal(
      as('bobBot').delete('users/me'),
      uncoded('This endpoint does not accept bot requests.'),
    );
  });

  test("checklist 51: deactivating a user deactivates the user's bots, and reactivating does not reactivate them", async () => {
    const person = await makePerson();
    const bot = await person.client.post('bots', { full_name: 'Errand', short_name: 'errand' });
    const botId = bot['user_id'] as number;
    await person.client.subscribe('errands');
    await as('bob').subscribe('errands');
    const queues = await watchEveryKind(organization);
    const held = await person.client.post('register', { event_types: [] });
    expect(await person.client.delete('users/me')).toEqual(success);
    const { ann, bob, gil } = await queues.step();
    const removed = { email: person.email, user_id: person.id, full_name: anyFullName() };
    const botRemoved = { email: bot['email'], user_id: botId, full_name: 'Errand' };
    const goes = { type: 'subscription', op: 'peer_remove', user_id: person.id };
    expect(bob).toEqual([
      expect.objectContaining({ ...goes, subscriptions: ['errands'] }),
      { type: 'realm_user', op: 'remove', person: removed },
      { type: 'realm_user', op: 'remove', person: botRemoved },
    ]);
    // Guests do not see the subscribers of public streams that they are not in.
    expect(gil).toEqual(bob.slice(1));
    expect(ann).toEqual([...bob, { type: 'realm_bot', op: 'remove', bot: botRemoved }]);
    expect(await refusalOf(person.client.get('users/me'))).toMatchObject({
      msg: 'Account is deactivated',
    });

    expect(await as('ann').post(`users/${person.id}/reactivate`)).toEqual(success);
    const added = await queues.step();
    expect(added.bob).toEqual([
      {
        type: 'realm_user',
        op: 'add',
        person: { ...(await addedPerson(person.email)), profile_data: {} },
      },
      expect.objectContaining({ ...goes, op: 'peer_add', subscriptions: ['errands'] }),
    ]);
    expect(added.ann).toEqual(added.bob);
    expect(await findMember(String(bot['email']))).toMatchObject({ is_active: false });
    await settle();
    // The subscription exists again, but the old queue does not.
    const subscriptions = readObjects(
      await person.client.get('users/me/subscriptions'),
      'subscriptions',
    );
    expect(subscriptions.map((stream) => stream['name'])).toContain('errands');
    expect(
      (
        await person.client.request('GET', 'events', {
          queue_id: held['queue_id'],
          last_event_id: held['last_event_id'],
          dont_block: true,
        })
      ).body,
    ).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID' });
    // Reactivating an active user succeeds without an event.
    expect(await as('ann').post(`users/${person.id}/reactivate`)).toEqual(success);
    expect((await queues.step()).bob).toEqual([]);
    // The owner may reactivate the bot.
    expect(await person.client.post(`users/${botId}/reactivate`)).toEqual(success);
    const botAdded = await queues.step();
    expect(botAdded.bob.map(({ type, op }) => [type, op])).toEqual([['realm_user', 'add']]);
    expect(botAdded.ann.map(({ type, op }) => [type, op])).toEqual([
      ['realm_user', 'add'],
      ['realm_bot', 'add'],
    ]);
  });

  test('a public stream that loses its last active member is vacated, and occupied again on reactivation', async () => {
    const person = await makePerson();
    await person.client.post('users/me/subscriptions', {
      subscriptions: [{ name: 'lonely pier' }, { name: 'busy pier' }],
    });
    await person.client.subscribe('hidden pier', { invite_only: true });
    await as('bob').subscribe('busy pier');
    const queues = await watchEveryKind(organization);
    const readKinds = async (): Promise<object> => {
      const { bob, gil } = await queues.step();
      return {
        bob: bob.map(({ type, op, streams, subscriptions }) => {
          const names = (streams as JsonObject[] | undefined)?.map(({ name }) => name);
          return [type, op, names ?? subscriptions];
        }),
        gil: gil.map(({ type, op }) => [type, op]),
      };
    };
    await as('ann').delete(`users/${person.id}`);
    expect(await readKinds()).toEqual({
      bob: [
        ['subscription', 'peer_remove', ['busy pier']],
        ['subscription', 'peer_remove', ['lonely pier']],
        ['stream', 'vacate', ['lonely pier']],
        ['realm_user', 'remove', undefined],
      ],
      gil: [['realm_user', 'remove']],
    });
    await as('ann').post(`users/${person.id}/reactivate`);
    expect(await readKinds()).toEqual({
      bob: [
        ['realm_user', 'add', undefined],
        ['stream', 'occupy', ['lonely pier']],
        ['subscription', 'peer_add', ['busy pier']],
        ['subscription', 'peer_add', ['lonely pier']],
      ],
      gil: [['realm_user', 'add']],
    });
    // A deactivated user does not count as a member that the stream loses.
    await as('ann').delete(`users/${person.id}`);
    await readKinds();
    await as('cat').subscribe('lonely pier');
    await readKinds();
    await as('ann').post(`users/${person.id}/reactivate`);
    expect(await readKinds()).toMatchObject({
      bob: [
        ['realm_user', 'add', undefined],
        ['subscription', 'peer_add', ['busy pier']],
        ['subscription', 'peer_add', ['lonely pier']],
      ],
    });
  });

  test('messages sent while a person was deactivated are not held by that person', async () => {
    const person = await makePerson();
    const streams = { subscriptions: [{ name: 'harbour' }] };
    await as('bob').post('users/me/subscriptions', streams);
    await person.client.post('users/me/subscriptions', streams);
    const before = await as('bob').sendToStream('harbour', 'tide', 'before');
    await as('ann').delete(`users/${person.id}`);
    const during = await as('bob').sendToStream('harbour', 'tide', 'during');
    await as('ann').post(`users/${person.id}/reactivate`);
    const after = await as('bob').sendToStream('harbour', 'tide', 'after');
    await settle();
    const { messages } = await person.client.get('messages', {
      anchor: after,
      num_before: 10,
      num_after: 0,
    });
    const ids = (messages as { id: number }[]).map(({ id }) => id);
    expect(ids).toContain(before);
    expect(ids).toContain(after);
    expect(ids).not.toContain(during);
  });

  test('refuses in the documented order', async () => {
    const person = await makePerson();
    const remove = (who: PersonKey, id: number): Promise<unknown> => as(who).delete(`users/${id}`);
    const restore = (who: PersonKey, id: number): Promise<unknown> =>
      as(who).post(`users/${id}/reactivate`);
    for (const who of ['bob', 'gil', 'bobBot'] as const) {
      await expectRefusal(remove(who, person.id), 'Insufficient permission');
      await expectRefusal(restore(who, person.id), 'Insufficient permission');
    }
    await expectRefusal(remove('ann', 2_000_000_000), 'No such user');
    await expectRefusal(restore('ann', 2_000_000_000), 'No such user');
    await expectRefusal(remove('bob', organization.id('bobBot')), 'No such user');
    await expectRefusal(remove('ann', organization.id('hookBot')), 'No such user');
    expect(await remove('ann', person.id)).toEqual(success);
    await expectRefusal(remove('ann', person.id), 'User is deactivated');
  });

  test("a send during the sender's deactivation is either acknowledged and stored or refused", async () => {
    const person = await makePerson();
    await person.client.subscribe('storm');
    await as('bob').subscribe('storm');
    const sends = Array.from({ length: 40 }, async (_, n) => {
      const { status, body } = await person.client.request('POST', 'messages', {
        type: 'stream',
        to: 'storm',
        subject: 'wind',
        content: `gust ${n}`,
      });
      return status === 200 ? body['id'] : body['msg'];
    });
    await as('ann').delete(`users/${person.id}`);
    const outcomes = await Promise.all(sends);
    const ids = outcomes.filter((outcome) => typeof outcome === 'number');
    for (const outcome of outcomes.filter((other) => typeof other !== 'number'))
      expect(outcome).toMatch(/Account is deactivated|not active|deactivated/);
    const { messages } = await as('bob').get('messages', {
      anchor: 10_000_000_000_000_000,
      num_before: 100,
      num_after: 0,
      narrow: [{ operator: 'stream', operand: 'storm' }],
    });
    const stored = (messages as { id: number; sender_id: number }[])
      .filter(({ sender_id: senderId }) => senderId === person.id)
      .map(({ id }) => id);
    expect(stored.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
    // The log contains no message of the person after the deactivation.
    const { rows } = await organization.pool.query<{ above: number }>(
      `SELECT count(*)::int AS above FROM messages m WHERE m.sender_id = $1 AND m.position > (
        SELECT max(c.position) FROM account_periods p JOIN changes c ON c.id = p.from_change_id WHERE p.user_id = $1)`,
      [person.id],
    );
    expect(rows[0]?.above).toBe(0);
  });

  test("a bot that is created during its owner's deactivation is deactivated too, or never created", async () => {
    for (let round = 0; round < 2; round += 1) {
      const person = await makePerson();
      const [, ...creations] = await Promise.all([
        as('ann').delete(`users/${person.id}`),
        ...Array.from({ length: 4 }, (_, n) =>
          person.client.request('POST', 'bots', {
            full_name: `Late ${person.id} ${n}`,
            short_name: `late${person.id}-${n}`,
          }),
        ),
      ]);
      for (const { status } of creations) expect([200, 401]).toContain(status);
      const { rows } = await organization.pool.query(
        'SELECT id FROM users WHERE bot_owner_id = $1 AND is_active',
        [person.id],
      );
      expect(rows).toEqual([]);
    }
  });
});

test("a bot that is transferred to a person during that person's deactivation is deactivated too", async () => {
  const person = await makePerson();
  await using connected = connectMaker({ ...organization.cluster.settings });
  const { eventLog, keySecrets } = connected.maker;
  let deactivation: Promise<unknown> = Promise.resolve();
  await eventLog.transaction(async (client) => {
    const changeId = await eventLog.drawChangeId(client);
    const { user } = await createUser(
      client,
      keySecrets,
      { email: 'late-bot@example.com', fullName: 'Late', botType: 1, botOwnerId: person.id },
      changeId,
    );
    deactivation = as('ann').delete(`users/${person.id}`);
    await waitUntil('the deactivation waits for the bot', async () => {
      const { rows } = await organization.pool.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return (rows[0]?.waiting ?? 0) > 0;
    });
    const effects = [
      { effect: 'account' as const, userId: user.id, role: user.role, isActive: true },
    ];
    const entry = { v: 1 as const, kind: 'change' as const, effects, events: [] };
    const entries = [{ entry, audience: audienceKey.everyone }];
    return { result: undefined, append: { entries, changeId } };
  });
  await deactivation;
  expect(await findMember('late-bot@example.com')).toMatchObject({ is_active: false });
});

function anyFullName(): unknown {
  return textMatching(/^Person /);
}

/** @returns a user as in `realm_user`/`add` */
async function addedPerson(email: string): Promise<Readonly<Record<string, unknown>>> {
  const { is_active: _isActive, bot_type: _botType, ...person } = await findMember(email);
  return person;
}
