import { ApiClient, readObjects, settle } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { describe, expect, test } from 'vitest';

import { meetTransaction } from '../support/held-transaction.ts';
import { anyNumber, textMatching } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import {
  coded,
  expectOneSuccess,
  expectRefusal,
  notAdministrator,
  success,
  uncoded,
} from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';
import { WatchedQueues } from './watched-queues.ts';

const organization = useFixture(() => startSmallOrganization());

const as = (who?: PersonKey, apiKey?: string): ApiClient => organization.client(who, apiKey);
const anyKey = textMatching(/^[A-Za-z0-9]{32}$/);
const anyGravatar = textMatching(/^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}/);

let made = 0;
function newBot(): { full_name: string; short_name: string } {
  made += 1;
  return { full_name: `Helper ${made}`, short_name: `helper${made}` };
}

type Bot = { readonly id: number; readonly email: string; readonly apiKey: string };

async function makeBot(who: PersonKey, parameters: object = {}): Promise<Bot & { name: string }> {
  const bot = newBot();
  const answer = await as(who).post('bots', { ...bot, ...parameters });
  return {
    id: answer['user_id'] as number,
    email: answer['email'] as string,
    apiKey: answer['api_key'] as string,
    name: bot.full_name,
  };
}

function clientOf({ email, apiKey }: Pick<Bot, 'email' | 'apiKey'>): ApiClient {
  return new ApiClient({ urls: organization.cluster.gatewayUrls, email, apiKey });
}

function watch(): Promise<WatchedQueues<'ann' | 'bob' | 'cat' | 'gil' | 'bobBot'>> {
  return WatchedQueues.open(
    { ann: as('ann'), bob: as('bob'), cat: as('cat'), gil: as('gil'), bobBot: as('bobBot') },
    as('gil'),
  );
}

async function setRealm(settings: object): Promise<void> {
  await organization.pool.query({
    text: 'UPDATE realm SET settings = $1',
    values: [JSON.stringify(settings)],
  });
}

describe('POST bots', () => {
  test('checklist 52: the address ends in -bot@ plus the domain; only owner and administrators get the key', async () => {
    const answer = await as('bob').post('bots', { full_name: 'Robo', short_name: ' robo ' });
    expect(answer).toEqual({
      ...success,
      user_id: anyNumber,
      email: 'robo-bot@127.0.0.1',
      api_key: anyKey,
      avatar_url: anyGravatar,
      default_sending_stream: null,
      default_events_register_stream: null,
      default_all_public_streams: false,
    });
    const entries = await organization.entriesAfter(0);
    expect(JSON.stringify(entries)).not.toContain(answer['api_key']);
    const robo = clientOf({ email: 'robo-bot@127.0.0.1', apiKey: String(answer['api_key']) });
    expect(await robo.get('users/me')).toMatchObject({ is_bot: true, full_name: 'Robo' });
  });

  test('checklist 53: two active accounts cannot share the name of a bot, whichever is first', async () => {
    const { name, id } = await makeBot('bob');
    const taken = 'Name is already in use!';
    const create = (fullName: string): Promise<JsonObject> =>
      as('cat').post('bots', { ...newBot(), full_name: fullName });
    await expectRefusal(create(` ${name} `), taken);
    await expectRefusal(create('Cat Moe'), taken);
    const other = await makeBot('cat');
    await expectRefusal(as('cat').patch(`bots/${other.id}`, { full_name: name }), taken);
    await expectRefusal(as('ann').patch(`users/${other.id}`, { full_name: name }), taken);
    // The name of a deactivated bot is free; after somebody else has taken it, the bot cannot be reactivated with it.
    await as('bob').delete(`bots/${id}`);
    await create(name);
    await expectRefusal(as('bob').post(`users/${id}/reactivate`), taken);
    // All at once, on both replicas.
    await expectOneSuccess(
      Array.from({ length: 6 }, () => create('Same Name')),
      taken,
    );
  });

  test('an outgoing-webhook bot has a service with a token, which is encrypted in the log', async () => {
    const queues = await watch();
    const bot = await makeBot('bob', {
      bot_type: 3,
      payload_url: '"https://hooks.example/in"',
      interface_type: 2,
    });
    const { ann } = await queues.step();
    const services = [{ base_url: 'https://hooks.example/in', interface: 2, token: anyKey }];
    expect(ann[1]).toMatchObject({ type: 'realm_bot', op: 'add', bot: { bot_type: 3, services } });
    const token =
      (ann[1]?.['bot'] as { services: { token: string }[] } | undefined)?.services[0]?.token ?? '';
    expect(JSON.stringify(await organization.entriesAfter(0))).not.toContain(token);
    await as('bob').patch(`bots/${bot.id}`, { service_payload_url: 'https://other.example/' });
    const events = await queues.step();
    const update = {
      type: 'realm_bot',
      op: 'update',
      bot: {
        email: bot.email,
        user_id: bot.id,
        services: [{ base_url: 'https://other.example/', interface: 1, token }],
      },
    };
    expect(events).toEqual({ ann: [update], bob: [update], cat: [], gil: [], bobBot: [] });
    const state = await as('bob').post('register', { fetch_event_types: ['realm_bot'] });
    const own = readObjects(state, 'realm_bots').find((item) => item['user_id'] === bot.id);
    expect(own).toMatchObject({ services: update.bot.services, owner: 'bob@example.com' });
  });

  test.each([
    [{ short_name: '  ' }, coded('Bad name or username')],
    [{ short_name: 'a b' }, uncoded('Bad name or username')],
    [{ short_name: 'x'.repeat(300) }, uncoded('Bad name or username')],
    [{ short_name: 'x\u0007' }, uncoded('Bad name or username')],
    [{ full_name: 'x' }, coded('Name too short!')],
    [{ full_name: 'x`y' }, coded('Invalid characters in name!')],
    [{ bot_type: 4 }, uncoded('Embedded bots are not enabled.')],
    [{ bot_type: 5 }, coded('Invalid bot type')],
    [{ bot_type: 0 }, coded('Invalid bot type')],
    [{ bot_type: 3, interface_type: 3 }, coded('Invalid interface type')],
    [{ bot_type: 3, payload_url: '"nowhere"' }, coded('payload_url is not a URL')],
    [{ bot_type: 2, service_name: 'fax' }, coded("Invalid integration 'fax'.")],
    [{ config_data: { a: 1 } }, coded('config_data contains a value that is not a string')],
    [
      { config_data: { a: 1 }, interface_type: 'x' },
      coded('config_data contains a value that is not a string'),
    ],
    [{ default_sending_stream: 'nowhere' }, coded("Invalid stream name 'nowhere'")],
    [{ default_events_register_stream: 'nowhere' }, coded("Invalid stream name 'nowhere'")],
    [{ service_name: 'x'.repeat(101) }, coded('service_name is too long (limit: 100 characters)')],
  ])('refusal %#', async (change, refusal) => {
    await expectRefusal(as('bob').post('bots', { ...newBot(), ...change }), refusal);
  });

  test('a taken address is refused, even that of a deactivated bot', async () => {
    const bot = await makeBot('bob');
    await as('bob').delete(`bots/${bot.id}`);
    const shortName = bot.email.split('-bot@')[0]?.toUpperCase();
    await expectRefusal(
      as('cat').post('bots', { ...newBot(), short_name: shortName }),
      uncoded('Username already in use'),
    );
  });

  test('a policy can leave generic bots or all bots to administrators', async () => {
    const create = (who: PersonKey, botType: number): Promise<JsonObject> =>
      as(who).post('bots', { ...newBot(), bot_type: botType });
    const own = await makeBot('bob');
    await as('bob').delete(`bots/${own.id}`);
    await setRealm({ bot_creation_policy: 2 });
    await expectRefusal(create('bob', 1), notAdministrator);
    await create('bob', 2);
    await create('ann', 1);
    await expectRefusal(as('bob').post(`users/${own.id}/reactivate`), notAdministrator);
    await setRealm({ bot_creation_policy: 3 });
    await expectRefusal(create('bob', 2), notAdministrator);
    await create('ann', 3);
    await setRealm({});
    expect(await as('bob').post(`users/${own.id}/reactivate`)).toEqual(success);
  });
});

describe('a default stream', () => {
  const inVault = async (): Promise<Bot> => {
    await as('bob').subscribe('vault', { invite_only: true });
    return makeBot('bob', { default_sending_stream: 'vault' });
  };
  const shownTo = async (who: PersonKey, bot: Bot): Promise<unknown> =>
    readObjects(await as(who).get('bots'), 'bots').find(({ username }) => username === bot.email);
  const update = (bot: Bot, change: object): object => ({
    type: 'realm_bot',
    op: 'update',
    bot: { email: bot.email, user_id: bot.id, ...change },
  });

  test('is one that its owner names', async () => {
    await as('bob').subscribe('square');
    await as('bob').subscribe('cellar', { invite_only: true });
    const bot = await makeBot('bob', {
      default_sending_stream: 'SQUARE',
      default_all_public_streams: true,
    });
    expect(await shownTo('bob', bot)).toMatchObject({
      default_sending_stream: 'square',
      default_events_register_stream: null,
      default_all_public_streams: true,
      api_key: bot.apiKey,
    });
    const change = {
      default_events_register_stream: 'cellar',
      default_all_public_streams: false,
    };
    expect(
      await as('bob').patch(`bots/${bot.id}`, { default_sending_stream: '', ...change }),
    ).toMatchObject({ default_sending_stream: null, ...change });
    // Users who may not read a stream cannot name it either.
    const cellar = { default_sending_stream: 'cellar' };
    await expectRefusal(as('ann').patch(`bots/${bot.id}`, cellar), "Invalid stream name 'cellar'");
    await expectRefusal(
      as('cat').post('bots', { ...newBot(), ...cellar }),
      "Invalid stream name 'cellar'",
    );
  });

  test('is cleared if it becomes private and the owner was never in it', async () => {
    await as('bob').subscribe('plaza');
    const plazaId = await as('bob').streamId('plaza');
    const streams = {
      default_sending_stream: 'plaza',
      default_events_register_stream: 'plaza',
    };
    const [ofBob, ofCat] = [await makeBot('bob', streams), await makeBot('cat', streams)];
    const queues = await watch();
    await as('ann').patch(`streams/${plazaId}`, { is_private: true });
    const taken = [
      update(ofCat, { default_sending_stream: null }),
      update(ofCat, { default_events_register_stream: null }),
    ];
    const received = await queues.step();
    const ofBots = (events: readonly JsonObject[]): JsonObject[] =>
      events.filter(({ type }) => type === 'realm_bot');
    expect(ofBots(received.cat)).toEqual(taken);
    expect(received.cat[0]).toMatchObject({ type: 'stream', op: 'delete' });
    expect([ofBots(received.ann), ofBots(received.bob), ofBots(received.gil)]).toEqual([
      taken,
      [],
      [],
    ]);
    expect(await shownTo('cat', ofCat)).toMatchObject({
      default_sending_stream: null,
      default_events_register_stream: null,
    });
    expect(await shownTo('bob', ofBob)).toMatchObject(streams);
  });

  test('is cleared if the new owner does not know of it', async () => {
    const bot = await inVault();
    const queues = await watch();
    await as('bob').patch(`bots/${bot.id}`, { bot_owner_id: organization.id('cat') });
    const { ann, cat } = await queues.step();
    expect(JSON.stringify(cat)).not.toContain('vault');
    expect(cat[0]).toMatchObject({ op: 'add', bot: { default_sending_stream: null } });
    expect(ann).toContainEqual(update(bot, { default_sending_stream: null }));
    expect(await shownTo('cat', bot)).toMatchObject({ default_sending_stream: null });
  });

  test('is cleared if the owner loses the role that gave access to it', async () => {
    const bot = await inVault();
    const role = (change: JsonObject): Promise<unknown> =>
      as('ann').patch(`users/${organization.id('cat')}`, change);
    await role({ is_admin: true });
    await as('bob').patch(`bots/${bot.id}`, { bot_owner_id: organization.id('cat') });
    expect(await shownTo('cat', bot)).toMatchObject({ default_sending_stream: 'vault' });
    const queues = await watch();
    await role({ is_admin: false });
    expect(await shownTo('cat', bot)).toMatchObject({ default_sending_stream: null });
    const { ann, cat } = await queues.step();
    for (const events of [ann, cat])
      expect(events).toContainEqual(update(bot, { default_sending_stream: null }));
  });

  test('is refused if the owner does not know of it', async () => {
    const bot = await makeBot('bob');
    await as('ann').subscribe('attic', { invite_only: true });
    await expectRefusal(
      as('ann').patch(`bots/${bot.id}`, { default_sending_stream: 'attic' }),
      "Invalid stream name 'attic'",
    );
    expect(await shownTo('bob', bot)).toMatchObject({ default_sending_stream: null });
  });
});

describe('PATCH bots/{id}', () => {
  test('without an address to call, the interface is ignored', async () => {
    const bot = await makeBot('bob');
    for (const service_interface of [-1, 3, 2 ** 31])
      expect(
        await as('bob').patch(`bots/${bot.id}`, { config_data: { a: 'b' }, service_interface }),
      ).toMatchObject({ result: 'success', service_interface });
  });

  test('answers with all that can be changed', async () => {
    const bot = await makeBot('bob');
    expect(
      await as('bob').patch(`bots/${bot.id}`, { full_name: ' Renamed ', config_data: { a: 'b' } }),
    ).toEqual({
      ...success,
      full_name: 'Renamed',
      avatar_url: anyGravatar,
      service_interface: 1,
      service_payload_url: null,
      config_data: { a: 'b' },
      default_sending_stream: null,
      default_events_register_stream: null,
      default_all_public_streams: false,
      bot_owner: 'bob@example.com',
    });
  });

  test('on a change of owner, the old owner loses the bot, the new one gains it, and administrators get both events', async () => {
    const bot = await makeBot('bob');
    const queues = await watch();
    const answer = await as('bob').patch(`bots/${bot.id}`, {
      bot_owner_id: organization.id('cat'),
    });
    expect(answer).toMatchObject({ bot_owner: 'cat@example.com' });
    const { ann, bob, cat, gil } = await queues.step();
    const named = { email: bot.email, user_id: bot.id };
    const owned = { user_id: bot.id, bot_owner_id: organization.id('cat') };
    const account = { type: 'realm_user', op: 'update', person: owned };
    expect(gil).toEqual([account]);
    expect(bob).toEqual([{ type: 'realm_bot', op: 'delete', bot: named }, account]);
    expect(cat).toMatchObject([
      {
        type: 'realm_bot',
        op: 'add',
        bot: { ...named, api_key: anyKey, owner: 'cat@example.com' },
      },
      account,
      { type: 'realm_bot', op: 'update', bot: { ...named, api_key: anyKey } },
    ]);
    expect(JSON.stringify([ann, bob, cat, gil])).not.toContain(bot.apiKey);
    const update = { ...named, owner_id: organization.id('cat') };
    expect(ann).toEqual([
      { type: 'realm_bot', op: 'update', bot: update },
      account,
      { type: 'realm_bot', op: 'update', bot: { ...named, api_key: anyKey } },
    ]);
    await expectRefusal(as('bob').delete(`bots/${bot.id}`), 'Insufficient permission');
    // The new owner is an administrator, who knew the bot already.
    await as('cat').patch(`bots/${bot.id}`, { bot_owner_id: organization.id('ann') });
    const next = await queues.step();
    expect(next.ann.map(({ type, op }) => [type, op])).toEqual([
      ['realm_bot', 'update'],
      ['realm_user', 'update'],
      ['realm_bot', 'update'],
    ]);
    expect(next.cat.map(({ type, op }) => [type, op])).toEqual([
      ['realm_bot', 'delete'],
      ['realm_user', 'update'],
    ]);
  });

  test('refuses accounts that cannot own a bot', async () => {
    const bot = await makeBot('bob');
    const expectRefused = (id: number, reason: string): Promise<void> =>
      expectRefusal(
        as('bob').patch(`bots/${bot.id}`, { bot_owner_id: id }),
        uncoded(`Failed to change owner, ${reason}`),
      );
    for (const id of [2_000_000_000, -5]) await expectRefused(id, 'no such user');
    await expectRefused(organization.id('bobBot'), "bots can't own other bots");
    const { person } = await organization.makePersonWithBot('eve');
    await as('ann').delete(`users/${person.user.id}`);
    await expectRefused(person.user.id, 'user is deactivated');
  });

  test.each(['PATCH', 'DELETE'] as const)(
    '%s: refuses callers who do not manage the bot',
    async (method) => {
      const { id } = await makeBot('bob');
      const call = (who: PersonKey, botId: number): Promise<JsonObject> =>
        as(who).call(method, `bots/${botId}`, { full_name: `Bot ${botId}` });
      await expectRefusal(call('cat', id), 'Insufficient permission');
      for (const botId of [2_000_000_000, 9_999_999_999, organization.id('bob')])
        await expectRefusal(call('ann', botId), 'No such bot');
      await call('ann', id);
    },
  );

  test.each([
    [{ full_name: '' }, 'Name too short!'],
    [{ service_payload_url: '"x"' }, 'service_payload_url is not a URL'],
    [{ service_payload_url: 'https://x.example', service_interface: 7 }, 'Invalid interface type'],
    [{ service_payload_url: 'https://x.example' }, 'Invalid bot type'],
    [
      { config_data: { a: null }, service_payload_url: '"x"' },
      'config_data contains a value that is not a string',
    ],
    [
      { config_data: { a: 'x'.repeat(10_000) } },
      'config_data is too long (limit: 10000 characters)',
    ],
    [{ default_sending_stream: 'nowhere' }, "Invalid stream name 'nowhere'"],
  ])('refusal %#', async (change, msg) => {
    const { id } = await makeBot('bob');
    await expectRefusal(as('bob').patch(`bots/${id}`, change), msg);
  });
});

describe('the role of a bot', () => {
  const role = (id: number, change: JsonObject): Promise<unknown> =>
    as('ann').patch(`users/${id}`, change);
  /** The bot with the key that its owner sees. */
  const withKeyOf = async (owner: ApiClient, bot: Bot): Promise<Bot> => {
    const bots = readObjects(await owner.get('bots'), 'bots');
    const own = bots.find(({ username }) => username === bot.email);
    return { ...bot, apiKey: String(own?.['api_key']) };
  };
  const expectNoAccess = async (bot: Bot): Promise<void> => {
    await settle();
    expect(await clientOf(bot).request('GET', 'users/me')).toMatchObject({ status: 401 });
  };
  const update = (bot: Bot, change: object): object => ({
    type: 'realm_user',
    op: 'update',
    person: { user_id: bot.id, email: bot.email, ...change },
  });
  const newKey = ({ id, email }: Bot): object => ({
    type: 'realm_bot',
    op: 'update',
    bot: { user_id: id, email, api_key: anyKey },
  });
  const catId = (): number => organization.id('cat');

  test("is lowered with its owner's, with a new key; bots that are not above their owner keep theirs", async () => {
    await role(catId(), { is_admin: true });
    const [high, plain, gone] = [await makeBot('cat'), await makeBot('cat'), await makeBot('cat')];
    for (const { id } of [high, gone]) await role(id, { is_admin: true });
    const ofAnn = await makeBot('ann');
    await role(ofAnn.id, { is_admin: true });
    await as('cat').delete(`bots/${gone.id}`);
    const queues = await watch();
    await role(catId(), { is_admin: false });
    const { ann, bob, cat } = await queues.step();
    const fallen = [
      update({ id: catId(), email: 'cat@example.com', apiKey: '' }, { is_admin: false }),
      update(high, { is_admin: false }),
      update(gone, { is_admin: false }),
    ];
    expect(bob).toEqual(fallen);
    expect(ann).toEqual([...fallen, newKey(high), newKey(gone)]);
    expect(cat).toEqual(ann);
    await expectNoAccess(high);
    const renewed = await withKeyOf(as('cat'), high);
    expect(renewed.apiKey).not.toBe(high.apiKey);
    expect(await clientOf(renewed).get('users/me')).toMatchObject({ is_admin: false });
    await expectRefusal(clientOf(renewed).post('users'), notAdministrator);
    for (const [bot, is_admin] of [
      [plain, false],
      [ofAnn, true],
    ] as const)
      expect(await clientOf(bot).get('users/me')).toMatchObject({ is_admin });
    // Reactivation does not restore the role either.
    await as('cat').post(`users/${gone.id}/reactivate`);
    expect((await clientOf(gone).request('GET', 'users/me')).status).toBe(401);
    expect(await clientOf(await withKeyOf(as('cat'), gone)).get('users/me')).toMatchObject({
      is_admin: false,
    });
    expect(JSON.stringify(await organization.entriesAfter(0))).not.toContain(renewed.apiKey);
  });

  test('does not survive an owner who becomes a guest: active bots are deactivated and stay so', async () => {
    const { person, bot: account } = await organization.makePersonWithBot('dot');
    const dot = organization.clientOf(person);
    const bot = { ...account.user, apiKey: account.apiKey };
    const queues = await watch();
    await role(person.user.id, { is_guest: true });
    const { ann, bob } = await queues.step();
    const { id, email, fullName } = bot;
    const named = { user_id: id, email, full_name: fullName };
    const removed = { type: 'realm_user', op: 'remove', person: named };
    const events = [
      update({ ...person.user, apiKey: '' }, { is_guest: true }),
      update(bot, { is_guest: true }),
      removed,
    ];
    expect(bob).toEqual(events);
    expect(ann).toEqual([
      ...events.slice(0, 2),
      newKey(bot),
      removed,
      { type: 'realm_bot', op: 'remove', bot: named },
    ]);
    await expectNoAccess(bot);
    const reactivate = (): Promise<JsonObject> => as('ann').post(`users/${id}/reactivate`);
    await expectRefusal(reactivate(), uncoded("Failed to reactivate, guests can't own bots"));
    await role(person.user.id, { is_guest: false });
    await settle();
    expect(await dot.get('bots')).toMatchObject({ bots: [] });
    await reactivate();
    expect(await dot.get(`users/${id}`)).toMatchObject({ user: { is_guest: true } });
  });

  test("is limited by a new owner's, and only administrators give the bot away with its key", async () => {
    const mine = await makeBot('ann');
    await role(mine.id, { is_admin: true });
    await as('ann').patch(`bots/${mine.id}`, { bot_owner_id: organization.id('bob') });
    await expectNoAccess(mine);
    expect(await clientOf(await withKeyOf(as('bob'), mine)).get('users/me')).toMatchObject({
      is_admin: false,
    });
    const moved = await makeBot('bob');
    await as('ann').patch(`bots/${moved.id}`, { bot_owner_id: catId() });
    expect(await withKeyOf(as('cat'), moved)).toEqual(moved);
    await as('cat').patch(`bots/${moved.id}`, { bot_owner_id: organization.id('ann') });
    await expectNoAccess(moved);
    expect(await clientOf(await withKeyOf(as('ann'), moved)).get('users/me')).toMatchObject({
      is_bot: true,
    });
    await expectRefusal(
      as('ann').patch(`bots/${moved.id}`, { bot_owner_id: organization.id('gil') }),
      uncoded("Failed to change owner, guests can't own bots"),
    );
  });

  test("is lowered on reactivation if it was above the owner's", async () => {
    const bot = await makeBot('bob');
    await role(bot.id, { is_admin: true });
    await as('ann').delete(`bots/${bot.id}`);
    await as('bob').post(`users/${bot.id}/reactivate`);
    const renewed = await withKeyOf(as('bob'), bot);
    expect(renewed.apiKey).not.toBe(bot.apiKey);
    expect(await clientOf(renewed).get('users/me')).toMatchObject({ is_admin: false });
  });
});

test("the event of a default stream during a rename has the new name and follows the stream's event", async () => {
  await as('bob').subscribe('before');
  const bot = await makeBot('bob');
  const changed = await meetTransaction(
    organization.pool,
    async (renaming) => {
      // Takes the first lock of a change of a stream (`lockStreams`).
      await renaming.query("SELECT 1 FROM streams WHERE name = 'before' FOR UPDATE");
      await renaming.query(
        "UPDATE streams SET name = 'after', name_folded = 'AFTER' WHERE name = 'before'",
      );
    },
    () => as('bob').patch(`bots/${bot.id}`, { default_sending_stream: 'before' }),
  );
  expect(changed).toMatchObject({ default_sending_stream: 'after' });
});

describe('keys and deactivation', () => {
  test('a new key is for those who manage the bot', async () => {
    const bot = await makeBot('bob');
    const path = (id: number): string => `bots/${id}/api_key/regenerate`;
    expect(await as('bob').post(path(bot.id), { password: 'bob-secret' })).toEqual({
      ...success,
      api_key: anyKey,
    });
    await expectRefusal(as('cat').post(path(bot.id)), 'Insufficient permission');
    await expectRefusal(as('ann').post(path(organization.id('bob'))), 'No such bot');
  });

  test('register lists all bots to administrators and their own to others, and nothing to bots', async () => {
    const botsOf = async (who: PersonKey): Promise<unknown[]> =>
      readObjects(
        await as(who).post('register', { fetch_event_types: ['realm_bot'] }),
        'realm_bots',
      ).map((bot) => bot['email']);
    expect(await botsOf('ann')).toContain('bob-bot@example.com');
    expect(await botsOf('bob')).toContain('hook-bot@example.com');
    expect(await botsOf('bobBot')).toEqual([]);
    expect(await botsOf('gil')).toEqual([]);
    expect(await botsOf('cat')).not.toContain('bob-bot@example.com');
  });
});

describe('bot storage', () => {
  const put = (storage: unknown): Promise<JsonObject> =>
    as('bobBot').put('bot_storage', { storage });

  test('each account stores texts of its own', async () => {
    for (const who of ['bobBot', 'bob', 'gil'] as const) {
      const client = as(who);
      const stored = async (keys?: readonly string[]): Promise<unknown> =>
        (await client.get('bot_storage', { keys }))['storage'];
      const texts = { a: `1 ${who}`, b: '', __proto__x: 'y' };
      expect(await client.put('bot_storage', { storage: texts })).toEqual(success);
      expect(await client.put('bot_storage', { storage: { b: '2' } })).toEqual(success);
      expect(await client.get('bot_storage')).toEqual({
        ...success,
        storage: { ...texts, b: '2' },
      });
      expect(await stored(['b'])).toEqual({ b: '2' });
      const none = uncoded('Key does not exist.');
      await expectRefusal(client.get('bot_storage', { keys: ['b', 'c'] }), none);
      await expectRefusal(client.delete('bot_storage', { keys: ['a', 'c'] }), none);
      expect(await client.delete('bot_storage', { keys: ['b', 'b'] })).toEqual(success);
      expect(await stored()).toEqual({ a: `1 ${who}`, __proto__x: 'y' });
      expect(await client.delete('bot_storage')).toEqual(success);
      expect(await stored()).toEqual({});
    }
  });

  test('refuses values that are not an object of texts, and too large ones', async () => {
    await expectRefusal(put({ a: 1 }), 'storage contains a value that is not a string');
    const long = 'k'.repeat(5000);
    expect(await put({ [long]: 'v' })).toEqual(success);
    await expectRefusal(
      put({ big: 'x'.repeat(10_000_000) }),
      uncoded(
        'Request exceeds storage limit by 5004 characters. The limit is 10000000 characters.',
      ),
    );
    expect(await as('bobBot').get('bot_storage')).toEqual({ ...success, storage: { [long]: 'v' } });
    await as('bobBot').delete('bot_storage');
  });

  test('an account stores at most ten thousand keys', async () => {
    const named = (count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`key ${n}`, 'v']));
    const stored = async (): Promise<unknown> => (await as('bobBot').get('bot_storage'))['storage'];
    const excess = (keys: number): JsonObject =>
      uncoded(`Request exceeds storage limit by ${keys} keys. The limit is 10000 keys.`);

    await expectRefusal(put(named(60_000)), excess(50_000));
    expect(await stored()).toEqual({});
    await put(named(10_000));
    await expectRefusal(put({ 'key 0': 'new', other: 'v', another: 'v' }), excess(2));
    await put({ 'key 0': 'new' });
    expect(await stored()).toEqual({ ...named(10_000), 'key 0': 'new' });

    const keys = Object.keys(named(10_001));
    await expectRefusal(
      as('bobBot').delete('bot_storage', { keys }),
      uncoded('Key does not exist.'),
    );
    await as('bobBot').delete('bot_storage', { keys: keys.slice(0, 10_000) });
    expect(await stored()).toEqual({});
  });
});
