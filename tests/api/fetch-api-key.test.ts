import { expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { startSmallOrganization } from './small-organization.ts';

const organization = useFixture(() => startSmallOrganization());

async function refusal(
  path: string,
  parameters: Record<string, string>,
): Promise<{ status: number; body: unknown }> {
  const { status, body } = await organization.client().request('POST', path, parameters);
  return { status, body };
}

const uncoded = (status: number, msg: string, reason: string): object => ({
  status,
  body: { result: 'error', msg, reason },
});

test('returns the key for the right password, with the stored address', async () => {
  const answer = await organization
    .client()
    .post('fetch_api_key', { username: 'ANN@example.com', password: 'ann-secret' });
  expect(answer).toEqual({
    result: 'success',
    msg: '',
    api_key: organization.accounts.ann.apiKey,
    email: 'Ann@example.com',
  });
  expect(answer['api_key']).toMatch(/^[A-Za-z0-9]{32}$/);
});

test('gives the same refusal for wrong, empty and missing passwords, unknown people and bots', async () => {
  const incorrect = uncoded(403, 'Your username or password is incorrect.', 'incorrect_creds');
  for (const [username, password] of [
    ['ann@example.com', 'bob-secret'],
    ['ann@example.com', ''],
    ['cat@example.com', 'cat-secret'],
    ['nobody@example.com', 'ann-secret'],
    ['bob-bot@example.com', 'bob-secret'],
  ] as const) {
    expect(await refusal('fetch_api_key', { username, password })).toEqual(incorrect);
  }
});

test('refuses invalid addresses and missing parameters, with codes', async () => {
  expect(await refusal('fetch_api_key', { username: 'ann', password: 'x' })).toEqual({
    status: 400,
    body: { result: 'error', msg: 'Enter a valid email address.', code: 'BAD_REQUEST' },
  });
  expect(await refusal('fetch_api_key', { username: 'a\u0000', password: 'x' })).toMatchObject({
    body: { code: 'REQUEST_VARIABLE_INVALID', var_name: 'username' },
  });
  expect(await refusal('fetch_api_key', { username: 'ann@example.com' })).toMatchObject({
    body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'password' },
  });
});

test('a deactivated account gets its own refusal, whatever the password', async () => {
  await organization.client('ann').delete(`users/${organization.id('bob')}`);
  const disabled = uncoded(403, 'Your account has been disabled.', 'user disable');
  const username = 'bob@example.com';
  expect(await refusal('fetch_api_key', { username, password: 'wrong' })).toEqual(disabled);
  expect(await refusal('dev_fetch_api_key', { username })).toEqual(disabled);
});

test('a development server returns any key by the address', async () => {
  const answer = await organization
    .client()
    .post('dev_fetch_api_key', { username: 'cat@example.com' });
  expect(answer).toMatchObject({
    api_key: organization.accounts.cat.apiKey,
    email: 'cat@example.com',
  });
  expect(await refusal('dev_fetch_api_key', { username: 'nobody@example.com' })).toEqual(
    uncoded(403, 'This user is not registered.', 'unregistered'),
  );
});

test('dev_list_users lists active people', async () => {
  const person = (email: string): object => ({ email, realm_uri: 'http://127.0.0.1:9991' });
  for (const method of ['GET', 'POST'] as const) {
    const { body } = await organization.client().request(method, 'dev_list_users');
    expect(body).toMatchObject({
      result: 'success',
      direct_admins: [person('Ann@example.com')],
    });
    expect(body['direct_users']).toContainEqual(person('gil@example.com'));
    expect(body['direct_users']).not.toContainEqual(person('bob-bot@example.com'));
  }
});
