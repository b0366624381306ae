/** Compressed answers as the programs that read them see them. */
import { request as sendRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';

import type { ApiClient } from '@parley/test-kit';
import { describe, expect, test } from 'vitest';

import { movedClockOf } from '../support/moved-clock.ts';
import { useFixture } from '../support/use-fixture.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';

const organization = useFixture(() => startSmallOrganization());

const as = (who: PersonKey): ApiClient => organization.client(who);
type Received = { readonly headers: IncomingHttpHeaders; readonly body: Buffer };

function ask(
  path: string,
  options: { who?: PersonKey; accepted?: string; method?: string; form?: string } = {},
): Promise<Received> {
  const { who = 'bob', accepted = 'gzip', method = 'GET', form = '' } = options;
  return new Promise((resolve, reject) => {
    const headers = {
      ...as(who).credentials,
      'accept-encoding': accepted,
      'content-type': 'application/x-www-form-urlencoded',
    };
    sendRequest(`${organization.cluster.url}/api/v1/${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
      response.on('error', reject);
    })
      .on('error', reject)
      .end(form);
  });
}

describe('the presence of everybody', () => {
  type Presences = Readonly<Record<string, Readonly<Record<string, { timestamp: number }>>>>;

  const clientNames = ['a', 'b', 'c', 'd'].map((name) => name.padEnd(30, 'x'));
  const people = ['ann', 'bob', 'cat', 'gil'] as const;

  function presencesOf({ body }: Received): Presences {
    return (JSON.parse(body.toString()) as { presences: Presences }).presences;
  }

  const report = (who: PersonKey, client: string, accepted = 'gzip'): Promise<Received> =>
    ask('users/me/presence', {
      who,
      accepted,
      method: 'POST',
      form: `status=active&client=${encodeURIComponent(client)}`,
    });

  const unpacked = ({ headers, body }: Received): Received => ({
    headers,
    body: headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body,
  });

  test('is equal in both forms, with the report that was just made, at every replica', async () => {
    const crowd = await Promise.all(
      Array.from({ length: 30 }, (_, n) => organization.makePersonWithBot(`person${n}`)),
    );
    for (const { person } of crowd)
      for (const client of clientNames)
        await organization
          .clientOf(person)
          .post('users/me/presence', { status: 'active', client, ping_only: true });
    for (let n = 0; n < 6; n += 1)
      for (const who of people) {
        const client = 'last';
        const beganAtSecs = Math.floor(organization.cluster.settings.clock.nowMs() / 1_000);
        const packed = await report(who, client);
        expect(packed.headers['content-encoding']).toBe('gzip');
        const plain = await report(who, client, 'identity');
        expect(plain.headers).not.toHaveProperty('content-encoding');
        expect(packed.body.length).toBeLessThan(plain.body.length);
        const email = organization.accounts[who].user.email;
        for (const answer of [unpacked(packed), plain]) {
          const presences = presencesOf(answer);
          expect(presences[email]?.[client]?.timestamp).toBeGreaterThanOrEqual(beganAtSecs);
          expect(presences[email]?.['aggregated']).toMatchObject({ client, status: 'active' });
          for (const { person } of crowd)
            for (const name of clientNames)
              expect(presences[person.user.email]).toHaveProperty([name]);
        }
      }
    const [packed, plain] = [
      unpacked(await ask('realm/presence')),
      await ask('realm/presence', { accepted: 'identity' }),
    ];
    expect(presencesOf(packed)).toEqual(presencesOf(plain));
  });

  test('contains a new client, a status or a return at once, whichever replica accepted the report', async () => {
    const seen = async (client: string): Promise<unknown> =>
      presencesOf(unpacked(await report('ann', 'website')))[organization.accounts.bob.user.email]?.[
        client
      ];
    for (let n = 0; n < 4; n += 1) {
      const client = `new ${n}`;
      // The clients that a person reported longest ago are forgotten.
      await movedClockOf(organization.cluster).advance(1);
      await as('bob').post('users/me/presence', { status: 'idle', client, ping_only: true });
      expect(await seen(client)).toMatchObject({ status: 'idle' });
      await as('bob').post('users/me/presence', { status: 'active', client, ping_only: true });
      expect(await seen(client)).toMatchObject({ status: 'active' });
    }
  });
});

describe('a state', () => {
  type State = Readonly<Record<string, unknown>>;

  const stateOf = async (who: PersonKey, accepted: string, form: string): Promise<State> => {
    const { headers, body } = await ask('register', { who, accepted, method: 'POST', form });
    expect(headers['content-encoding']).toBe(accepted === 'gzip' ? 'gzip' : undefined);
    const text = (accepted === 'gzip' ? gunzipSync(body) : body).toString();
    const {
      queue_id: _queue,
      last_event_id: _last,
      presences,
      ...state
    } = JSON.parse(text) as State;
    expect(presences).toBeDefined();
    return state;
  };

  test.each(['', 'client_gravatar=true', 'include_subscribers=true'])(
    "is equal in both forms, with each reader's own data: %s",
    async (form) => {
      // So many people that the services keep lists of them in memory.
      for (let n = 0; n < 12 && form === ''; n += 1)
        await organization.makePersonWithBot(`somebody-${n}`);
      for (let times = 0; times < 2; times += 1)
        for (const who of ['ann', 'bob', 'gil', 'bobBot'] as const) {
          const packed = await stateOf(who, 'gzip', form);
          expect(packed).toEqual(await stateOf(who, 'identity', form));
          expect(packed).toMatchObject({
            user_id: organization.id(who),
            email: organization.accounts[who].user.email,
            is_admin: who === 'ann',
            is_guest: who === 'gil',
          });
        }
    },
  );

  test('contains a name and a deactivation that just changed, although parts are kept', async () => {
    const people = async (member: string): Promise<string[]> => {
      const state = await stateOf('cat', 'gzip', '');
      return (state[member] as { full_name: string }[]).map(({ full_name: name }) => name);
    };
    const { person } = await organization.makePersonWithBot('renamed');
    expect(await people('realm_users')).toContain(person.user.fullName);
    await as('ann').patch(`users/${person.user.id}`, { full_name: '"Renamed"' });
    expect(await people('realm_users')).toContain('Renamed');
    await as('ann').delete(`users/${person.user.id}`);
    expect(await people('realm_users')).not.toContain('Renamed');
    expect(await people('realm_non_active_users')).toContain('Renamed');
  });
});

describe('keys', () => {
  /** Enough bots for a long list. */
  const botCount = 30;

  test('are not compressed in lists of bots, events or states', async () => {
    const registered = await as('bob').post('register', { event_types: ['realm_bot'] });
    const queue = `events?queue_id=${String(registered['queue_id'])}&last_event_id=${String(registered['last_event_id'])}`;
    for (let n = 0; n < botCount; n += 1)
      await as('bob').post('bots', { full_name: `Keeper ${n}`, short_name: `keeper${n}` });
    const answers = [await ask('bots'), await ask(`${queue}&dont_block=true`), await ask(queue)];
    for (const { headers, body } of answers) {
      expect(headers).not.toHaveProperty('content-encoding');
      expect(headers['cache-control']).toContain('no-transform');
      expect(body.length).toBeGreaterThan(8_192);
      expect(body.toString().match(/"api_key":"\w{32}"/g)?.length).toBeGreaterThanOrEqual(botCount);
    }
    const { headers, body } = await ask('register', { method: 'POST' });
    expect(headers['content-encoding']).toBe('gzip');
    const written = body.toString('latin1').match(/"api_key":"\w{32}"/g);
    expect(written?.length).toBeGreaterThanOrEqual(botCount);
    const state = JSON.parse(gunzipSync(body).toString()) as { readonly realm_bots: unknown[] };
    expect(state.realm_bots).toHaveLength(written?.length ?? 0);
  });
});
