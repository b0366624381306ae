/**
 * A client acts at once on the answer to its change. Through the same gateway it never sees older state, whichever replicas of the
 * services serve the two requests; another gateway has the change within a moment.
 */
import { drawDefaultAvatar } from '@parley/files/images';
import { ApiClient, makeOrganization, readObjects, settle, useSystem } from '@parley/test-kit';
import type {
  Answer,
  JsonObject,
  Method,
  Parameters,
  TestAccount,
  TestOrganization,
  UsedSystem,
} from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { postFreshly } from './browser.ts';

/**
 * Defines the tests.
 *
 * @param rounds repetitions: a stale cache mostly shows the first time, but a race only sometimes
 */
export function testChangeThenAct(rounds: number): void {
  let system: UsedSystem;
  let organization: TestOrganization;
  let ada: TestAccount;

  beforeAll(async () => {
    system = await useSystem({
      gateways: 2,
      people: 2,
      presence: 2,
      messages: 2,
      subscriptions: 2,
      events: 2,
    });
    organization = await makeOrganization(system.cluster);
    ada = await organization.makeAccount('Ada Admin', { role: 'administrator' });
  });

  afterAll(async () => {
    await organization?.close();
    await system?.release();
  });

  /** Calls through one gateway, so that only its own state matters. */
  function clientOf(account: Pick<TestAccount, 'email' | 'apiKey'>, gateway = 0): ApiClient {
    const { email, apiKey } = account;
    return new ApiClient({ urls: [system.gatewayUrls()[gateway] ?? ''], email, apiKey });
  }

  async function msgOf(answer: Promise<Answer>): Promise<unknown> {
    const { body } = await answer;
    return body['result'] === 'success' ? 'success' : body['msg'];
  }

  /** A change, and its outcome through the same gateway at once and through the other one when it has heard of it. */
  async function changeThenAct(
    change: readonly [Method, string, Parameters?],
    act: (gateway: number) => Promise<unknown>,
    outcome: unknown,
  ): Promise<void> {
    await clientOf(ada).call(...change);
    expect(await act(0)).toEqual(outcome);
    await settle();
    expect(await act(1)).toEqual(outcome);
  }

  describe('accounts', () => {
    const mustAdminister = 'Must be an organization administrator';

    test('promote or demote, then act', async () => {
      const max = await organization.makeAccount('Max Member');
      const administer = (gateway: number): Promise<unknown> =>
        msgOf(clientOf(max, gateway).request('PATCH', 'realm', { description: `from ${gateway}` }));
      expect(await administer(0)).toBe(mustAdminister);
      for (let round = 0; round < rounds; round += 1) {
        await changeThenAct(
          ['PATCH', `users/${max.id}`, { is_admin: true }],
          administer,
          'success',
        );
        await changeThenAct(
          ['PATCH', `users/${max.id}`, { is_admin: false }],
          administer,
          mustAdminister,
        );
      }
    });

    test("demote an owner, then act with the bot's old key", async () => {
      for (let round = 0; round < rounds; round += 1) {
        const owner = await organization.makeAccount(`Owner ${round}`, { role: 'administrator' });
        const bot = await organization.makeAccount(`Owner Bot ${round}`, {
          botType: 1,
          owner,
          role: 'administrator',
        });
        const read = (gateway: number): Promise<unknown> =>
          msgOf(clientOf(bot, gateway).request('GET', 'users/me'));
        expect(await read(0)).toBe('success');
        await changeThenAct(
          ['PATCH', `users/${owner.id}`, { is_admin: false }],
          read,
          'Invalid API key',
        );
      }
    });

    test('make a guest or a member, then act', async () => {
      const gia = await organization.makeAccount('Gia Guest');
      await organization.makeStream('lobby', [gia]);
      const subscribe = (gateway: number): Promise<unknown> =>
        msgOf(
          clientOf(gia, gateway).request('POST', 'users/me/subscriptions', {
            subscriptions: [{ name: 'lobby' }],
          }),
        );
      expect(await subscribe(0)).toBe('success');
      for (let round = 0; round < rounds; round += 1) {
        await changeThenAct(
          ['PATCH', `users/${gia.id}`, { is_guest: true }],
          subscribe,
          'Not allowed for guest users',
        );
        await changeThenAct(
          ['PATCH', `users/${gia.id}`, { is_guest: false }],
          subscribe,
          'success',
        );
      }
    });

    test('deactivate or reactivate a person with bots, then act as each of them', async () => {
      const rina = await organization.makeAccount('Rina With');
      const bot = await organization.makeAccount('Rina Bot', { botType: 1, owner: rina });
      const read = (gateway: number): Promise<unknown> =>
        Promise.all(
          [rina, bot].map((account) =>
            msgOf(clientOf(account, gateway).request('GET', 'users/me')),
          ),
        );
      expect(await read(0)).toEqual(['success', 'success']);
      const gone = 'Account is deactivated';
      for (let round = 0; round < rounds; round += 1) {
        await changeThenAct(['DELETE', `users/${rina.id}`], read, [gone, gone]);
        await changeThenAct(['POST', `users/${rina.id}/reactivate`], read, ['success', gone]);
        await changeThenAct(['POST', `users/${bot.id}/reactivate`], read, ['success', 'success']);
        await changeThenAct(['DELETE', `bots/${bot.id}`], read, ['success', gone]);
        await changeThenAct(['POST', `users/${bot.id}/reactivate`], read, ['success', 'success']);
      }
    });

    test('replace a key, then use both', async () => {
      const kim = await organization.makeAccount('Kim Key');
      const bot = await organization.makeAccount('Kim Bot', { botType: 1, owner: kim });
      let kimKey = kim.apiKey;
      let botKey = bot.apiKey;
      const read = (account: TestAccount, apiKey: string, gateway: number): Promise<unknown> =>
        msgOf(clientOf({ ...account, apiKey }, gateway).request('GET', 'users/me'));
      for (let round = 0; round < rounds; round += 1) {
        for (const account of [kim, bot]) {
          const path =
            account === kim ? 'users/me/api_key/regenerate' : `bots/${bot.id}/api_key/regenerate`;
          const old = account === kim ? kimKey : botKey;
          expect(await read(account, old, 0)).toBe('success');
          expect(await read(account, old, 1)).toBe('success');
          const answer = await postFreshly(system.cluster.gatewayUrls[0] ?? '', kim.email, path);
          const fresh = String(answer['api_key']);
          if (account === kim) kimKey = fresh;
          else botKey = fresh;
          const both = (gateway: number): Promise<unknown> =>
            Promise.all([read(account, old, gateway), read(account, fresh, gateway)]);
          expect(await both(0)).toEqual(['Invalid API key', 'success']);
          await settle();
          expect(await both(1)).toEqual(['Invalid API key', 'success']);
        }
      }
    });
  });

  describe('the organization, its streams, and personal settings', () => {
    let mia: TestAccount;
    /** He subscribes to nothing. */
    let otto: TestAccount;
    let hallId: number;
    let made = 0;

    beforeAll(async () => {
      mia = await organization.makeAccount('Mia Member');
      otto = await organization.makeAccount('Otto Outside');
      hallId = (await organization.makeStream('hall', [ada, mia])).id;
    });

    const as = (account: TestAccount, gateway = 0): ApiClient => clientOf(account, gateway);
    const unused = (word: string): string => `${word} ${(made += 1)}`;

    async function isTaken(answer: Promise<Answer>): Promise<boolean> {
      return (await msgOf(answer)) === 'success';
    }

    async function render(content: string, gateway: number): Promise<unknown> {
      return (await as(mia, gateway).post('messages/render', { content }))['rendered'];
    }

    function maySend(stream: string, gateway: number): Promise<boolean> {
      const message = { type: 'stream', to: stream, topic: 'lunch', content: unused('message') };
      return isTaken(as(mia, gateway).request('POST', 'messages', message));
    }

    async function register(type: string, gateway: number): Promise<JsonObject> {
      return as(mia, gateway).post('register', { fetch_event_types: [type], event_types: [] });
    }

    const setRealm = (settings: Parameters) => (): Promise<unknown> =>
      as(ada).patch('realm', settings);
    const setHall = (properties: Parameters) => (): Promise<unknown> =>
      as(ada).patch(`streams/${hallId}`, properties);

    async function addEmoji(): Promise<void> {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(await drawDefaultAvatar(20))]), 'party.png');
      const url = `${system.gatewayUrls()[0]}/api/v1/realm/emoji/party`;
      const authorization = `Basic ${Buffer.from(`${ada.email}:${ada.apiKey}`).toString('base64')}`;
      const answer = await fetch(url, { method: 'POST', body: form, headers: { authorization } });
      expect(answer.status).toBe(200);
    }

    let linkifierId: unknown;
    let groupId: unknown;
    let fieldId: unknown;

    type Change = {
      readonly change: () => Promise<unknown>;
      readonly undo: () => Promise<unknown>;
      readonly act: (gateway: number) => Promise<unknown>;
      /** The result of `act` before the change and after undoing it, and after the change. */
      readonly outcomes: readonly [before: unknown, after: unknown];
    };

    const changes: Readonly<Record<string, Change>> = {
      'who may create streams': {
        change: setRealm({ create_stream_policy: 2 }),
        undo: setRealm({ create_stream_policy: 1 }),
        act: (gateway) => {
          const subscriptions = [{ name: unused('stream') }];
          return isTaken(
            as(mia, gateway).request('POST', 'users/me/subscriptions', { subscriptions }),
          );
        },
        outcomes: [true, false],
      },
      'who may create bots': {
        change: setRealm({ bot_creation_policy: 3 }),
        undo: setRealm({ bot_creation_policy: 1 }),
        act: (gateway) => {
          const bot = { full_name: unused('Bot'), short_name: `bot${made}` };
          return isTaken(as(mia, gateway).request('POST', 'bots', bot));
        },
        outcomes: [true, false],
      },
      'who may make user groups': {
        change: setRealm({ user_group_edit_policy: 2 }),
        undo: setRealm({ user_group_edit_policy: 1 }),
        act: (gateway) => {
          const group = { name: unused('group'), members: [], description: '' };
          return isTaken(as(mia, gateway).request('POST', 'user_groups/create', group));
        },
        outcomes: [true, false],
      },
      'whether names may be changed': {
        change: setRealm({ name_changes_disabled: true }),
        undo: setRealm({ name_changes_disabled: false }),
        act: async (gateway) =>
          'full_name' in (await as(mia, gateway).patch('settings', { full_name: unused('Mia') })),
        outcomes: [true, false],
      },
      'whether a message may be edited': {
        change: setRealm({
          allow_message_editing: false,
          message_content_edit_limit_seconds: 600,
          allow_community_topic_editing: false,
        }),
        undo: setRealm({
          allow_message_editing: true,
          message_content_edit_limit_seconds: 600,
          allow_community_topic_editing: true,
        }),
        act: async (gateway) => {
          const client = as(mia, gateway);
          const id = await client.sendToStream('hall', 'lunch', 'soup');
          return isTaken(client.request('PATCH', `messages/${id}`, { content: 'salad' }));
        },
        outcomes: [true, false],
      },
      'who sees addresses': {
        change: setRealm({ email_address_visibility: 3 }),
        undo: setRealm({ email_address_visibility: 1 }),
        act: async (gateway) => {
          const { email } = await as(mia, gateway).get('users/me');
          // Her request is accepted with the address that is shown to her.
          const subscriptions = [{ name: 'hall' }];
          const subscribed = await as(mia, gateway).post('users/me/subscriptions', {
            subscriptions,
            principals: [email],
          });
          return [
            email === mia.email,
            Object.keys(subscribed['already_subscribed'] as object)[0] === email,
          ];
        },
        outcomes: [
          [true, true],
          [false, true],
        ],
      },
      'who may send to a stream': {
        change: setHall({ is_announcement_only: true }),
        undo: setHall({ is_announcement_only: false }),
        act: (gateway) => maySend('hall', gateway),
        outcomes: [true, false],
      },
      'whether a stream is private': {
        change: setHall({ is_private: true }),
        undo: setHall({ is_private: false }),
        act: (gateway) => isTaken(as(otto, gateway).request('GET', `users/me/${hallId}/topics`)),
        outcomes: [true, false],
      },
      'the name of a stream': {
        change: setHall({ new_name: 'ballroom' }),
        undo: setHall({ new_name: 'hall' }),
        act: (gateway) => Promise.all([maySend('hall', gateway), maySend('ballroom', gateway)]),
        outcomes: [
          [true, false],
          [false, true],
        ],
      },
      'the name of a person': {
        change: () => as(ada).patch(`users/${mia.id}`, { full_name: 'Mia Other' }),
        undo: () => as(ada).patch(`users/${mia.id}`, { full_name: 'Mia Member' }),
        act: (gateway) => render('@**Mia Other**', gateway),
        outcomes: [
          '<p>@<strong>Mia Other</strong></p>',
          expect.stringContaining('class="user-mention"'),
        ],
      },
      linkifiers: {
        change: async () => {
          const linkifier = {
            pattern: 'T-(?P<n>[0-9]+)',
            url_format_string: 'https://t.example/%(n)s',
          };
          linkifierId = (await as(ada).post('realm/filters', linkifier))['id'];
        },
        undo: () => as(ada).delete(`realm/filters/${String(linkifierId)}`),
        act: (gateway) => render('T-7', gateway),
        outcomes: ['<p>T-7</p>', expect.stringContaining('https://t.example/7')],
      },
      'custom emoji': {
        change: addEmoji,
        undo: () => as(ada).delete('realm/emoji/party'),
        act: (gateway) => render(':party:', gateway),
        outcomes: ['<p>:party:</p>', expect.stringContaining('class="emoji"')],
      },
      'user groups': {
        change: async () => {
          const group = { name: 'cooks', members: [ada.id], description: '' };
          await as(ada).post('user_groups/create', group);
          const groups = readObjects(await as(ada).get('user_groups'), 'user_groups');
          groupId = groups.find(({ name }) => name === 'cooks')?.['id'];
        },
        undo: () => as(ada).delete(`user_groups/${String(groupId)}`),
        act: (gateway) => render('@*cooks*', gateway),
        outcomes: ['<p>@<em>cooks</em></p>', expect.stringContaining('user-group-mention')],
      },
      'profile fields': {
        change: async () => {
          fieldId = (await as(ada).post('realm/profile_fields', { name: 'Team', field_type: 1 }))[
            'id'
          ];
        },
        undo: () => as(ada).delete(`realm/profile_fields/${String(fieldId)}`),
        act: async (gateway) => {
          const { custom_fields: fields } = await as(mia, gateway).get('realm/profile_fields');
          return (fields as JsonObject[]).length;
        },
        outcomes: [0, 1],
      },
      'default streams': {
        change: () => as(ada).post('default_streams', { stream_name: 'hall' }),
        undo: () => as(ada).delete('default_streams', { stream_name: 'hall' }),
        act: async (gateway) => {
          const email = `${unused('new').replace(' ', '')}@example.com`;
          const person = { email, password: 'xkzq93-vbn-41', full_name: 'New Person' };
          await as(ada, gateway).post('users', person);
          const members = await as(ada, gateway).get(`streams/${hallId}/members`);
          return (members['subscribers'] as string[]).includes(email);
        },
        outcomes: [false, true],
      },
      'alert words': {
        change: () => as(mia).post('users/me/alert_words', { alert_words: ['soup'] }),
        undo: () => as(mia).delete('users/me/alert_words', { alert_words: ['soup'] }),
        act: async (gateway) => {
          const id = await as(ada, gateway).sendPrivately([mia.email], 'soup');
          const page = await as(mia, gateway).get('messages', {
            anchor: id,
            num_before: 0,
            num_after: 0,
          });
          return readObjects(page, 'messages').map(({ flags }) => flags);
        },
        outcomes: [[[]], [['has_alert_word']]],
      },
      'muted topics': {
        change: () =>
          as(mia).patch('users/me/subscriptions/muted_topics', {
            stream: 'hall',
            topic: 'lunch',
            op: 'add',
          }),
        undo: () =>
          as(mia).patch('users/me/subscriptions/muted_topics', {
            stream: 'hall',
            topic: 'lunch',
            op: 'remove',
          }),
        act: async (gateway) => (await register('muted_topics', gateway))['muted_topics'],
        outcomes: [[], [['hall', 'lunch']]],
      },
      'who is here': {
        change: () => as(ada).delete(`users/${mia.id}`),
        undo: () => as(ada).post(`users/${mia.id}/reactivate`),
        act: async (gateway) => {
          const answer = await as(ada, gateway).post('users/me/presence', { status: 'active' });
          return mia.email in (answer['presences'] as object);
        },
        outcomes: [true, false],
      },
    };

    test.each(Object.entries(changes))('%s', async (name, { change, undo, act, outcomes }) => {
      if (name === 'who is here') await as(mia).post('users/me/presence', { status: 'active' });
      const [before, after] = outcomes;
      expect(await act(0)).toEqual(before);
      for (let round = 0; round < rounds; round += 1) {
        await change();
        // Gateways keep none of this, so both have it at once.
        expect(await Promise.all([act(0), act(1)])).toEqual([after, after]);
        await undo();
        expect(await Promise.all([act(1), act(0)])).toEqual([before, before]);
      }
    });

    test('the end of the organization', async () => {
      expect(await isTaken(as(mia).request('GET', 'users/me'))).toBe(true);
      await as(ada).post('realm/deactivate');
      const read = (gateway: number): Promise<unknown> =>
        msgOf(as(mia, gateway).request('GET', 'users/me'));
      expect(await read(0)).toBe('This organization has been deactivated');
      await settle();
      expect(await read(1)).toBe('This organization has been deactivated');
    });
  });
}
