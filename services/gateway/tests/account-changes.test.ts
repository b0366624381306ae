/** An answer that names changed accounts makes its gateway forget them. The client does not see the names. */
import { afterEach, beforeEach, expect, it } from 'vitest';

import {
  GatewayUnderTest,
  answerJson,
  authorization,
  success,
} from './support/gateway-under-test.ts';
import type { TestUser } from './support/gateway-under-test.ts';

let gateway: GatewayUnderTest;
let user: TestUser;
let other: TestUser;

beforeEach(async () => {
  gateway = await GatewayUnderTest.start();
  user = await gateway.addUser();
  other = await gateway.addUser();
});

afterEach(() => gateway.stop());

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

async function addPeople(isLinked: boolean, changed: () => string): Promise<void> {
  const answer = async (method: string): Promise<Record<string, string>> => {
    if (method === 'GET') return {};
    await deactivate(user.userId);
    return { 'x-parley-accounts-changed': changed() };
  };
  await gateway.addUpstream(
    'people',
    (request, response) => {
      void answer(request.method ?? '').then((named) => {
        for (const [name, value] of Object.entries(named)) response.setHeader(name, value);
        answerJson(response, success);
      });
    },
    isLinked
      ? {
          linkHandler: async ({ method }) => ({
            status: 200,
            kind: 'json',
            headers: await answer(method),
            shared: JSON.stringify(success),
            own: '',
          }),
        }
      : {},
  );
}

for (const isLinked of [false, true]) {
  for (const whom of ['those it names', 'everybody'] as const) {
    it(`forgets ${whom} with an answer ${isLinked ? 'over a link' : 'by HTTP'}`, async () => {
      await addPeople(isLinked, () =>
        whom === 'everybody' ? 'all' : `${other.userId},${user.userId}`,
      );
      expect((await call(user)).status).toBe(200);
      const changed = await call(user, 'DELETE');
      expect(changed.status).toBe(200);
      expect([...changed.headers.keys()].filter((name) => name.startsWith('x-parley'))).toEqual([]);
      expect((await call(user)).status).toBe(401);
      expect((await call(other)).status).toBe(200);
    });
  }
}
