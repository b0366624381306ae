import { audienceKey } from '@parley/event-log';
import { connectMaker } from '@parley/demo';
import { applyEmailPolicy } from '@parley/store';
import type { JsonObject } from '@parley/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { anyNumber, listWith } from '../support/matchers.ts';
import { updateRealmSettings } from '../support/realm-settings.ts';
import {
  age,
  as,
  email,
  forgetAll,
  inPostgres,
  nowSecs,
  presenceOf,
  realm,
  report,
  settle,
  startPresence,
  stopPresence,
  stored,
} from './presence-fixture.ts';
import type { Clients } from './presence-fixture.ts';
import { coded, expectRefusal, success, uncoded } from './refusals.ts';
import type { PersonKey, SmallOrganization } from './small-organization.ts';
import { WatchedQueues } from './watched-queues.ts';

let organization: SmallOrganization;
beforeAll(async () => {
  organization = await startPresence();
});
afterAll(stopPresence);

describe('POST users/me/presence', () => {
  beforeEach(forgetAll);

  test("stores the report and returns everybody's presence, including the caller's", async () => {
    await report('bob', 'idle', 'ZulipTerminal');
    const before = nowSecs();
    const answer = await report('ann', 'active');
    expect(answer).toEqual({
      ...success,
      server_timestamp: anyNumber,
      presences: {
        [email('ann')]: {
          website: { client: 'website', status: 'active', timestamp: anyNumber, pushable: false },
          aggregated: { client: 'website', status: 'active', timestamp: anyNumber },
        },
        [email('bob')]: {
          ZulipTerminal: {
            client: 'ZulipTerminal',
            status: 'idle',
            timestamp: anyNumber,
            pushable: false,
          },
          aggregated: { client: 'ZulipTerminal', status: 'idle', timestamp: anyNumber },
        },
      },
    });
    const { website } = await presenceOf('ann');
    expect(website?.timestamp).toBeGreaterThanOrEqual(before);
    expect(website?.timestamp).toBeLessThanOrEqual(nowSecs());
    expect(answer['server_timestamp']).toBeGreaterThanOrEqual(website?.timestamp ?? Infinity);
  });

  test('the server timestamp has a fraction', async () => {
    const { text } = await as('ann').withoutChecks('POST', 'users/me/presence', {
      status: 'active',
    });
    expect(text).toMatch(/"server_timestamp":\d+\.\d+[,}]/);
  });

  test("the client's name comes from the request, and the desktop program counts as the website", async () => {
    await report('ann', 'active', 'ZulipDesktop');
    await as('ann').post(
      'users/me/presence',
      { status: 'active' },
      { headers: { 'user-agent': 'ZulipTerminal/0.7.0+git Linux' } },
    );
    await as('ann').post('users/me/presence', { status: 'active' });
    expect(Object.keys(await presenceOf('ann')).toSorted()).toEqual([
      'ParleyTest',
      'ZulipTerminal',
      'aggregated',
      'website',
    ]);
  });

  test('names with a meaning in JavaScript are ordinary names', async () => {
    for (const client of ['__proto__', 'constructor', '@version', 'a"b\\c/d', '7', 'été 🎉']) {
      await report('ann', 'idle', client);
      const presence = await presenceOf('ann');
      expect(Object.entries(presence).find(([name]) => name === client)?.[1].client).toBe(client);
    }
    await settle();
  });

  test('aggregated is the client with the last report', async () => {
    await report('ann', 'active', 'website');
    await report('ann', 'idle', 'ZulipMobile');
    expect((await presenceOf('ann'))['aggregated']).toEqual({
      client: 'ZulipMobile',
      status: 'idle',
      timestamp: anyNumber,
    });
    await report('ann', 'active', 'website');
    expect((await presenceOf('ann'))['aggregated']).toEqual({
      client: 'website',
      status: 'active',
      timestamp: anyNumber,
    });
  });

  test('ping_only returns no data, and the report counts', async () => {
    expect(await report('gil', 'active', 'website', { ping_only: true })).toEqual(success);
    expect(
      await report('gil', 'active', 'website', { ping_only: true, new_user_input: true }),
    ).toEqual(success);
    expect(Object.keys(await realm())).toEqual([email('gil')]);
  });

  test('an active client that reports idle within 70 seconds stays active', async () => {
    await report('ann', 'active');
    await age('ann', 60);
    const before = await presenceOf('ann');
    const answer = await report('ann', 'idle');
    expect((answer['presences'] as Record<string, Clients>)[email('ann')]).toEqual(before);
    await age('ann', 20);
    await report('ann', 'idle');
    const { website } = await presenceOf('ann');
    expect(website?.status).toBe('idle');
    expect(website?.timestamp).toBeGreaterThan((before['website']?.timestamp ?? 0) + 20);
  });

  test('a repeated report updates the time; an idle client becomes active at once', async () => {
    await report('ann', 'active');
    await age('ann', 30);
    await report('ann', 'active');
    expect((await presenceOf('ann'))['website']?.timestamp).toBeGreaterThan(nowSecs() - 20);
    await age('ann', 100);
    await report('ann', 'idle');
    await age('ann', 30);
    await report('ann', 'idle');
    expect((await presenceOf('ann'))['website']).toMatchObject({ status: 'idle' });
    expect((await presenceOf('ann'))['website']?.timestamp).toBeGreaterThan(nowSecs() - 20);
    await report('ann', 'active');
    expect((await presenceOf('ann'))['website']).toMatchObject({ status: 'active' });
  });

  test('a person has at most four clients, those with the latest reports', async () => {
    for (let n = 0; n < 20; n += 1)
      await report('ann', 'active', `client ${n}`, { ping_only: true });
    const clients = Object.keys(await presenceOf('ann'));
    expect(clients).toHaveLength(5);
    expect(clients).not.toContain('client 15');
    expect(clients).toContain('client 16');
    await settle();
  });

  test('everybody sees a report at once, at every replica', async () => {
    for (let n = 0; n < 10; n += 1) {
      await report('bob', 'active', `replica ${n}`, { ping_only: true });
      const [one, two, three] = await Promise.all([
        report('ann', 'active'),
        realm('gil'),
        presenceOf('bob', 'cat'),
      ]);
      const ofBob = (one['presences'] as Record<string, Clients>)[email('bob')];
      expect(Object.keys(ofBob ?? {})).toContain(`replica ${n}`);
      expect(Object.keys(two[email('bob')] ?? {})).toContain(`replica ${n}`);
      expect(Object.keys(three)).toContain(`replica ${n}`);
    }
  });

  test('after many concurrent reports every replica has the same state', async () => {
    const people = ['ann', 'bob', 'cat', 'gil'] as const;
    await Promise.all(
      Array.from({ length: 80 }, (_, n) =>
        report(people[n % 4] ?? 'ann', n % 3 === 0 ? 'idle' : 'active', `c${n % 7}`, {
          ping_only: n % 2 === 0,
        }),
      ),
    );
    const answers = await Promise.all(Array.from({ length: 8 }, () => realm()));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    await settle();
  });

  test.each([
    [{ status: 'offline' }, coded('Invalid status: offline')],
    [{ status: '' }, coded('Invalid status: ')],
    [{ status: '"active"' }, coded('Invalid status: "active"')],
    [{ status: 'Active' }, coded('Invalid status: Active')],
    [{ status: 'nonsense', new_user_input: '"x"' }, coded('new_user_input is not a boolean')],
  ])('refuses %o', async (parameters, expected) => {
    await expectRefusal(as('ann').post('users/me/presence', parameters), expected);
    expect(await realm()).toEqual({});
  });

  test('refuses deactivated accounts', async () => {
    const { person } = await organization.makePersonWithBot('dora');
    const client = organization.clientOf(person);
    await client.post('users/me/presence', { status: 'active' });
    expect(Object.keys(await realm())).toEqual(['dora@example.com']);
    await as('ann').delete(`users/${person.user.id}`);
    expect(await realm()).toEqual({});
    await settle();
    const gone = await client.request('POST', 'users/me/presence', { status: 'active' });
    expect(gone.status).toBe(401);
    expect(gone.body).toMatchObject({ result: 'error' });
    await expectRefusal(as('ann').get('users/dora@example.com/presence'), uncoded('No such user'));
  });
});

describe('presence events', () => {
  beforeEach(forgetAll);

  const event = (who: PersonKey, client: string, status: string): object => ({
    type: 'presence',
    email: email(who),
    user_id: organization.id(who),
    server_timestamp: anyNumber,
    presence: { [client]: { client, status, timestamp: anyNumber, pushable: false } },
  });

  test("go to every queue, also the reporter's, at the documented transitions only", async () => {
    const queues = await WatchedQueues.open(
      { ann: as('ann'), bob: as('bob'), gil: as('gil'), bobBot: as('bobBot') },
      as('cat'),
    );
    const step = async (): Promise<JsonObject[]> => {
      await settle();
      const { ann, bob, gil, bobBot } = await queues.step();
      expect([ann, gil, bobBot]).toEqual([bob, bob, bob]);
      return bob;
    };
    await report('bob', 'idle', 'ZulipMobile');
    expect(await step()).toEqual([event('bob', 'ZulipMobile', 'idle')]);
    await report('bob', 'idle', 'ZulipMobile');
    expect(await step()).toEqual([]);
    await report('bob', 'active', 'ZulipMobile');
    expect(await step()).toEqual([event('bob', 'ZulipMobile', 'active')]);
    await report('bob', 'active', 'ZulipMobile');
    await report('bob', 'idle', 'ZulipMobile');
    expect(await step()).toEqual([]);
    await report('bob', 'active', 'ZulipDesktop');
    expect(await step()).toEqual([event('bob', 'website', 'active')]);
    await age('bob', 60);
    await report('bob', 'active', 'ZulipMobile');
    expect(await step()).toEqual([]);
    await age('bob', 71);
    await report('bob', 'idle', 'ZulipMobile');
    expect(await step()).toEqual([]);
    await age('bob', 71);
    await report('bob', 'idle', 'ZulipMobile');
    expect(await step()).toEqual([]);
    await age('bob', 71);
    await report('bob', 'active', 'ZulipMobile');
    await report('bob', 'active', 'website');
    // Each replica sends events for the reports that it accepted, in any order.
    const both = await step();
    expect(both).toHaveLength(2);
    expect(both).toEqual(
      listWith(event('bob', 'ZulipMobile', 'active'), event('bob', 'website', 'active')),
    );
  });

  test.each(['active', 'idle'])(
    'one for %s is sent however soon the client reports again',
    async (status) => {
      const queues = await WatchedQueues.open({ cat: as('cat') }, as('cat'));
      const clients = Array.from({ length: 6 }, (_, n) => `${status} ${n}`);
      for (const client of clients) {
        // The replica that accepts the third report as well writes first.
        await report('ann', status, `other ${client}`, { ping_only: true });
        await report('bob', status, client, { ping_only: true });
        await report('bob', status, client, { ping_only: true });
      }
      await settle();
      const { cat } = await queues.step();
      const reported = cat
        .filter((one) => one['user_id'] === organization.id('bob'))
        .flatMap((one) => Object.values(one['presence'] as Clients));
      expect(reported.map((one) => one.client).toSorted()).toEqual(clients);
      expect(new Set(reported.map((one) => one.status))).toEqual(new Set([status]));
    },
  );

  test('the last one of a client is its last report, whichever replicas accepted it', async () => {
    const queues = await WatchedQueues.open({ cat: as('cat') }, as('cat'));
    const clients = Array.from({ length: 6 }, (_, n) => `c${n}`);
    for (const client of clients) {
      // The replica that accepts the third report as well writes first.
      await report('ann', 'active', `other ${client}`, { ping_only: true });
      await report('bob', 'idle', client, { ping_only: true });
      await report('bob', 'active', client, { ping_only: true });
      await settle();
    }
    const { cat } = await queues.step();
    const reported = cat
      .filter((one) => one['user_id'] === organization.id('bob'))
      .flatMap((one) => Object.values(one['presence'] as Clients))
      .map(({ client, status }) => [client, status] as const);
    expect(Object.fromEntries(reported)).toEqual(
      Object.fromEntries(clients.map((client) => [client, 'active'])),
    );
  });

  test('of one second share a log entry, and nothing else is written to the log', async () => {
    const position = await organization.position();
    await Promise.all((['ann', 'bob', 'cat', 'gil'] as const).map((who) => report(who, 'active')));
    await settle();
    const entries = (await organization.entriesAfter(position)).filter(
      ({ kind }) => kind !== 'tick',
    );
    // One from each of the two replicas, or two if more than a second passed.
    expect(entries.length).toBeLessThanOrEqual(4);
    const events = entries.flatMap((entry) => (entry.kind === 'change' ? entry.events : []));
    expect(events).toHaveLength(4);
    expect(events.every((part) => part.form === 'same' && part.audience.to === 'everyone')).toBe(
      true,
    );
  });
});

describe('GET users/{email}/presence', () => {
  beforeEach(forgetAll);

  test.each(['ann', 'bob', 'gil', 'bobBot'] as const)('%s may ask', async (who) => {
    await report('cat', 'active');
    expect(await as(who).get(`users/${email('cat')}/presence`)).toEqual({
      ...success,
      presence: {
        website: { client: 'website', status: 'active', timestamp: anyNumber, pushable: false },
        aggregated: { client: 'website', status: 'active', timestamp: anyNumber },
      },
    });
  });

  test('finds the address in any case and percent-encoded, and returns reports older than two weeks', async () => {
    await report('ann', 'active');
    await age('ann', 15 * 86_400);
    for (const path of ['ANN@example.COM', 'ann%40example.com', 'ann@example.com'])
      expect(await as('bob').get(`users/${path}/presence`)).toMatchObject({
        presence: { aggregated: { status: 'active', client: 'website' } },
      });
    expect(await realm()).toEqual({});
  });

  test.each([
    ['nobody@example.com', 'No such user'],
    ['%00', 'No such user'],
    ['1', 'No such user'],
    ['%F0%9F%8E%89', 'No such user'],
    ['x'.repeat(5_000), 'No such user'],
    ['notification-bot@localhost', 'No such user'],
    ['bob-bot@example.com', 'Presence is not supported for bot users.'],
    ['CAT@example.com', 'No presence data for cat@example.com'],
  ])('%s: %s', async (path, msg) => {
    await expectRefusal(as('bob').get(`users/${path}/presence`), uncoded(msg));
  });
});

describe('GET realm/presence', () => {
  beforeEach(forgetAll);

  test('lists the people with a report in the last 14 days, client by client', async () => {
    await report('ann', 'active', 'website');
    await report('bob', 'active', 'website');
    await age('bob', 14 * 86_400 + 5);
    await report('bob', 'idle', 'ZulipMobile');
    await report('cat', 'active', 'website');
    await age('cat', 14 * 86_400 + 5);
    for (const who of ['ann', 'gil', 'bobBot'] as const) {
      const answer = await as(who).get('realm/presence');
      expect(answer).toEqual({
        ...success,
        server_timestamp: anyNumber,
        presences: expect.anything() as unknown,
      });
      const presences = answer['presences'] as Record<string, Clients>;
      expect(Object.keys(presences).toSorted()).toEqual([email('ann'), email('bob')]);
      expect(Object.keys(presences[email('bob')] ?? {})).toEqual(['ZulipMobile', 'aggregated']);
    }
  });

  test('excludes a deactivated account, and includes it again after reactivation', async () => {
    const { person } = await organization.makePersonWithBot('eve');
    await organization.clientOf(person).post('users/me/presence', { status: 'active' });
    await as('ann').delete(`users/${person.user.id}`);
    expect(await realm()).toEqual({});
    expect(await as('ann').post('register', { fetch_event_types: ['presence'] })).toMatchObject({
      presences: {},
    });
    await as('ann').post(`users/${person.user.id}/reactivate`);
    expect(Object.keys(await realm())).toEqual(['eve@example.com']);
  });
});

describe('register', () => {
  beforeEach(forgetAll);

  test("returns everybody's presence as of the call", async () => {
    const register = async (): Promise<unknown> =>
      (await as('gil').post('register', { event_types: ['presence'] }))['presences'];
    expect(await register()).toEqual({});
    for (let n = 0; n < 3; n += 1) {
      await report('bob', 'active', `c${n}`);
      expect(await register()).toEqual(await realm());
    }
    await age('bob', 14 * 86_400 + 5);
    expect(await register()).toEqual({});
    const { presences } = await as('bob').post('register', { fetch_event_types: ['message'] });
    expect(presences).toBeUndefined();
  });
});

describe('where addresses are hidden', () => {
  const domain = '127.0.0.1';

  async function setVisibility(visibility: 1 | 3): Promise<void> {
    await using connected = connectMaker({ ...organization.cluster.settings });
    await connected.maker.eventLog.transaction(async (client) => {
      await updateRealmSettings(client, { email_address_visibility: visibility });
      const changed = await applyEmailPolicy(client, { emailsHidden: visibility === 3, domain });
      const entry = { v: 1 as const, kind: 'change' as const, effects: [], events: [] };
      return {
        result: undefined,
        append: {
          entries: [{ entry, audience: audienceKey.everyone }],
          accountUserIds: changed.map(({ id }) => id),
        },
      };
    });
  }

  test('uses the visible address, and finds the real one for those who know it', async () => {
    await forgetAll();
    await setVisibility(3);
    try {
      const shown = `user${organization.id('bob')}@${domain}`;
      const queues = await WatchedQueues.open({ gil: as('gil') }, as('cat'));
      await settle();
      // An answer shares what is up to a second old.
      await organization.cluster.advance(1_000);
      const { presences } = await report('bob', 'active');
      expect(Object.keys(presences as object)).toEqual([shown]);
      expect(Object.keys(await realm('gil'))).toEqual([shown]);
      const registered = await as('gil').post('register', { fetch_event_types: ['presence'] });
      expect(Object.keys(registered['presences'] as object)).toEqual([shown]);
      await settle();
      const { gil } = await queues.step();
      expect(gil).toMatchObject([{ type: 'presence', email: shown }]);
      const found = { result: 'success', presence: { website: { status: 'active' } } };
      expect(await as('gil').get(`users/${shown}/presence`)).toMatchObject(found);
      expect(await as('ann').get('users/bob@example.com/presence')).toMatchObject(found);
      expect(await as('bob').get('users/BOB@example.com/presence')).toMatchObject(found);
      for (const who of ['cat', 'gil', 'bobBot'] as const)
        await expectRefusal(as(who).get('users/bob@example.com/presence'), uncoded('No such user'));
      await expectRefusal(
        as('ann').get('users/cat@example.com/presence'),
        uncoded(`No presence data for user${organization.id('cat')}@${domain}`),
      );
    } finally {
      await setVisibility(1);
    }
    await organization.cluster.advance(1_000);
    const { presences } = await report('bob', 'active');
    expect(Object.keys(presences as object)).toEqual([email('bob')]);
  });
});

test('a replica that stops writes its reports first', async () => {
  await forgetAll();
  await report('ann', 'active');
  await report('bob', 'active');
  const before = await stored();
  await organization.cluster.kill('presence', 0, 'SIGTERM');
  await organization.cluster.kill('presence', 0, 'SIGTERM');
  expect(await inPostgres()).toEqual(before);
});
