/** The gateway's own headers on every answer: of services, of nodes that hold polls, and of refusals. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { GatewayUnderTest, authorization, success } from './support/gateway-under-test.ts';
import type { TestUser } from './support/gateway-under-test.ts';

const permitted = 'https://chat.example';
const other = 'https://elsewhere.example';

let gateway: GatewayUnderTest;
let user: TestUser;

beforeAll(async () => {
  gateway = await GatewayUnderTest.start({
    PARLEY_ALLOWED_ORIGINS: `http://localhost:3000,${permitted}`,
    PARLEY_PUBLIC_URL: 'https://parley.example',
  });
  user = await gateway.addUser();
  const forged = { Vary: 'Accept-Language', 'X-Content-Type-Options': 'forged' };
  const answer = {
    status: 200,
    kind: 'json',
    headers: forged,
    shared: JSON.stringify(success),
    own: '',
  } as const;
  for (const service of ['people', 'events']) await gateway.addUpstream(service, () => answer);
});
afterAll(() => gateway?.stop());

const answers: readonly (readonly [what: string, path: string, status: number])[] = [
  ['a service', 'users/me', 200],
  ['a node that holds polls', 'events?queue_id=1:1&last_event_id=-1', 200],
  ['nobody: an unknown path', 'nothing', 404],
];

function ask(path: string, origin?: string, method = 'GET'): Promise<Response> {
  const headers = { ...authorization(user), ...(origin === undefined ? {} : { Origin: origin }) };
  return fetch(`${gateway.url}/api/v1/${path}`, { method, headers });
}

async function headersOf(path: string, origin: string | undefined): Promise<Headers> {
  const answer = await ask(path, origin);
  await answer.arrayBuffer();
  return answer.headers;
}

describe.each(answers)('the answer of %s', (_what, path, status) => {
  it(`has status ${status}, and requires its type and TLS`, async () => {
    const answer = await ask(path);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000');
  });

  it('permits only the configured origins', async () => {
    const permission = await headersOf(path, permitted);
    expect(permission.get('access-control-allow-origin')).toBe(permitted);
    expect(permission.get('access-control-allow-headers')).toBe('Authorization');
    for (const origin of [other, undefined, 'null', `${permitted}.elsewhere.example`]) {
      const refusal = await headersOf(path, origin);
      expect(refusal.get('access-control-allow-origin')).toBeNull();
      expect(refusal.get('access-control-allow-methods')).toBeNull();
    }
  });

  it('tells caches that it differs by origin', async () => {
    for (const origin of [permitted, other, undefined])
      expect((await headersOf(path, origin)).get('vary')).toBe(
        'Accept-Language, Accept-Encoding, Origin',
      );
  });
});

it('answers a preflight of a permitted origin only', async () => {
  const permissionOf = async (origin: string): Promise<string | null> =>
    (await ask('users/me', origin, 'OPTIONS')).headers.get('access-control-allow-origin');
  expect(await permissionOf(permitted)).toBe(permitted);
  expect(await permissionOf(other)).toBeNull();
});

describe('the answer to a cookie', () => {
  const cookie = `__Host-parley-session=${'a'.repeat(43)}`;

  it('permits no origin, whatever is configured, and stays in this browser', async () => {
    for (const [origin, status] of [
      [permitted, 403],
      ['https://parley.example', 401],
    ] as const) {
      const answer = await fetch(`${gateway.url}/api/v1/users/me`, {
        headers: { cookie, origin },
      });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(answer.headers.get('vary')).toContain('Cookie');
      expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000');
      expect(answer.headers.get('www-authenticate')).toBeNull();
    }
  });

  it('with a key is that to the key', async () => {
    const answer = await fetch(`${gateway.url}/api/v1/users/me`, {
      headers: { ...authorization(user), cookie, origin: permitted },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe(permitted);
  });
});
