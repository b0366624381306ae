/** An answer that names changed accounts makes its gateway forget them. The client does not see the names. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';

import {
  GatewayUnderTest,
  answerOf,
  authorization,
  success,
} from './support/gateway-under-test.ts';
import type { TestUser } from './support/gateway-under-test.ts';

let gateway: GatewayUnderTest;
let user: TestUser;
let other: TestUser;

beforeAll(async () => {
  gateway = await GatewayUnderTest.start();
});

beforeEach(async () => {
  user = await gateway.addUser();
  other = await gateway.addUser();
});

afterEach(() => gateway.removeUpstreams());

afterAll(() => gateway.stop());

async function call(caller: TestUser, method = 'GET'): Promise<Response> {
  const response = await fetch(`${gateway.url}/api/v1/users/me`, {
    method,
    headers: authorization(caller),
  });
  await response.arrayBuffer();
  return response;
}

/** Changes only the row, as if the announcement came much later, so that only the answer reports it. */
async function deactivate(userId: number): Promise<void> {
  await gateway.pool.query('UPDATE users SET is_active = false WHERE id = $1', [userId]);
}

for (const whom of ['those it names', 'everybody'] as const) {
  it(`forgets ${whom}`, async () => {
    const named = whom === 'everybody' ? 'all' : `${other.userId},${user.userId}`;
    await gateway.addUpstream('people', async ({ endpoint }) => {
      if (endpoint === 'get-own-profile') return answerOf(success);
      await deactivate(user.userId);
      return answerOf(success, 200, { 'x-parley-accounts-changed': named });
    });
    expect((await call(user)).status).toBe(200);
    const changed = await call(user, 'DELETE');
    expect(changed.status).toBe(200);
    expect([...changed.headers.keys()].filter((name) => name.startsWith('x-parley'))).toEqual([]);
    expect((await call(user)).status).toBe(401);
    expect((await call(other)).status).toBe(200);
  });
}
