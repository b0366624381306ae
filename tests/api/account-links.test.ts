/** Links in mails that open an account (decision 0050): a lost password, and another address. */
import { rm } from 'node:fs/promises';

import { listKeptMails } from '@parley/mail/kept-mails';
import { waitUntil } from '@parley/test-kit';
import type { Answer, JsonObject } from '@parley/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { Browser } from '../support/browser.ts';
import { makeMailFolder, readMail, tokenIn } from '../support/kept-mails.ts';
import { FollowedQueue } from './follow-queue.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { SmallOrganization } from './small-organization.ts';

let folder: string;
let organization: SmallOrganization;
beforeAll(async () => {
  folder = makeMailFolder();
  organization = await startSmallOrganization({
    gateways: 2,
    people: 2,
    events: 1,
    subscriptions: 0,
    environment: { PARLEY_MAIL_DIR: folder },
  });
});
afterAll(async () => {
  await organization?.stop();
  await rm(folder, { recursive: true, force: true });
});

let count = 0;
/** Another person for each test, because links end with what they change. */
async function makePerson(): Promise<{
  readonly email: string;
  readonly client: ReturnType<SmallOrganization['clientOf']>;
  readonly bot: ReturnType<SmallOrganization['clientOf']>;
  readonly id: number;
}> {
  count += 1;
  const { person, bot } = await organization.makePersonWithBot(`person${count}`);
  return {
    email: person.user.email,
    client: organization.clientOf(person),
    bot: organization.clientOf(bot),
    id: person.user.id,
  };
}

const password = 'the heron sleeps on one leg';
const notValid = { result: 'error', msg: 'This link is not valid any more.', code: 'BAD_REQUEST' };
const success = { result: 'success', msg: '' };

async function ask(path: string, parameters: Record<string, string>): Promise<Answer> {
  return organization.client().request('POST', path, parameters);
}

async function askReset(email: string): Promise<JsonObject> {
  return (await ask('password_reset', { email })).body;
}

/** @param spelling the address as it is asked for */
async function resetTokenOf(email: string, spelling = email): Promise<string> {
  const before = (await listKeptMails(folder)).find(({ recipient }) => recipient === email);
  expect(await askReset(spelling)).toEqual(success);
  return tokenIn(await readMail(folder, email, before));
}

async function reset(token: string, new_password = password): Promise<JsonObject> {
  return (await ask('password_reset/confirm', { token, new_password })).body;
}

async function signIn(username: string, secret = password): Promise<number> {
  return (await new Browser(organization.cluster.url).signIn(username, secret)).status;
}

/** No mail waits that was written until now. */
async function untilSent(): Promise<void> {
  await waitUntil(
    'no mail waits',
    async () => (await organization.pool.query('SELECT 1 FROM mails')).rowCount === 0,
    { deadlineMs: 30_000 },
  );
}

beforeEach(async () => {
  await organization.pool.query({ text: `UPDATE realm SET settings = '{}'` });
});

describe('a lost password', () => {
  test('is replaced once by the link, and ends all sessions but no key', async () => {
    const { email, client } = await makePerson();
    const token = await resetTokenOf(email, ` ${email.toUpperCase()} `);
    const first = await reset(token);
    expect(first).toEqual({ ...success, email });
    expect(await signIn(email)).toBe(200);
    const browser = new Browser(organization.cluster.url);
    await browser.signIn(email, password);
    const next = await resetTokenOf(email);
    expect(await reset(next, 'another heron sleeps here')).toEqual({ ...success, email });
    await waitUntil(
      'the session has ended',
      async () => (await browser.call('GET', 'users/me')).status === 401,
    );
    expect(await signIn(email)).toBe(403);
    expect(await signIn(email, 'another heron sleeps here')).toBe(200);
    expect((await client.request('GET', 'users/me')).status).toBe(200);
    for (const used of [token, next]) expect(await reset(used)).toEqual(notValid);
  });

  test('of two requests with one link one succeeds', async () => {
    const { email } = await makePerson();
    const token = await resetTokenOf(email);
    const answers = await Promise.all(
      ['the first new password', 'the second new password'].map((each) => reset(token, each)),
    );
    expect(answers.map(({ result }) => String(result)).toSorted()).toEqual(['error', 'success']);
    expect(answers).toContainEqual(notValid);
  });

  test('may not be weak, and a weak one does not use the link up', async () => {
    const { email } = await makePerson();
    const token = await resetTokenOf(email);
    for (const weak of ['', 'short', email, 'password1'])
      expect(await reset(token, weak)).toEqual({
        result: 'error',
        msg: 'New password is too weak!',
      });
    expect(await reset(token)).toMatchObject(success);
  });

  test('the answer does not tell who has an account, and only who has one gets a mail', async () => {
    const { email, client, bot } = await makePerson();
    const { email: gone, id } = await makePerson();
    await organization.client('ann').delete(`users/${id}`);
    const bodies: JsonObject[] = [];
    const others = ['nobody@example.com', gone, bot.email ?? '', 'notification-bot@zulip.com'];
    for (const each of [...others, email]) bodies.push(await askReset(each));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    await readMail(folder, email);
    await untilSent();
    const mailed = (await listKeptMails(folder)).map(({ recipient }) => recipient);
    for (const each of others) expect(mailed).not.toContain(each);
    // The same is written for everybody.
    const { rows } = await organization.pool.query<{ email: string; open: boolean }>(
      'SELECT email, user_id IS NOT NULL AS open FROM account_tokens WHERE email = ANY ($1)',
      [[...others, email]],
    );
    expect(new Set(rows.map((row) => row.email))).toEqual(new Set([...others, email]));
    expect(rows.filter(({ open }) => open).map((row) => row.email)).toEqual([email]);
    expect(client.email).toBe(email);
  });

  test('nobody gets more than five mails in an hour, however many ask at once, and all get the same answer', async () => {
    const { email } = await makePerson();
    const answers = await Promise.all(Array.from({ length: 12 }, () => askReset(email)));
    expect(answers).toEqual(Array.from({ length: 12 }, () => success));
    await untilSent();
    const mails = (await listKeptMails(folder)).filter(({ recipient }) => recipient === email);
    expect(mails).toHaveLength(5);
    const tokens = mails.map(tokenIn);
    expect(new Set(tokens).size).toBe(5);
    expect(await reset(tokens[0] ?? '')).toMatchObject(success);
    // The others were for the account as it was.
    expect(await reset(tokens[1] ?? '')).toEqual(notValid);
  });

  test('a link ends after an hour, with the account, and with another address', async () => {
    const { email } = await makePerson();
    const token = await resetTokenOf(email);
    await organization.pool.query({
      text: `UPDATE account_tokens SET expires_at = now() WHERE email = $1`,
      values: [email],
    });
    expect(await reset(token)).toEqual(notValid);
    const ended = await makePerson();
    const endedToken = await resetTokenOf(ended.email);
    await organization.client('ann').delete(`users/${ended.id}`);
    expect(await reset(endedToken)).toEqual(notValid);
    await organization.client('ann').post(`users/${ended.id}/reactivate`);
    expect(await reset(endedToken)).toEqual(notValid);
  });

  test('the database holds no link, and a link for something else opens nothing', async () => {
    const { email, client } = await makePerson();
    const token = await resetTokenOf(email);
    await client.patch('settings', { email: `new.${email}` });
    const other = tokenIn(await readMail(folder, `new.${email}`));
    expect(await reset(other)).toEqual(notValid);
    expect((await ask('settings/email/confirm', { token })).body).toEqual(notValid);
    const { rows } = await organization.pool.query<{ row: string }>(
      'SELECT t::text AS row FROM account_tokens t UNION ALL SELECT m::text FROM mails m',
    );
    for (const { row } of rows) for (const each of [token, other]) expect(row).not.toContain(each);
  });

  test.each(['', 'x', 'x'.repeat(42), 'x'.repeat(43), 'x'.repeat(5_000), '../..', '%00'])(
    'an invented secret opens nothing: %j',
    async (token) => {
      expect(await reset(token)).toEqual(notValid);
      expect((await ask('settings/email/confirm', { token })).body).toEqual(notValid);
    },
  );

  test('what is missing or no address is refused', async () => {
    expect((await ask('password_reset', {})).body).toMatchObject({
      code: 'REQUEST_VARIABLE_MISSING',
      var_name: 'email',
    });
    for (const email of [
      '',
      'ann',
      'a@b, c@d',
      'ann@example.com\r\nBcc: eve@example.com',
      'x'.repeat(300),
    ])
      expect(await askReset(email)).toEqual({
        result: 'error',
        msg: 'Enter a valid email address.',
        code: 'BAD_REQUEST',
      });
    expect((await ask('password_reset/confirm', { token: 'x' })).body).toMatchObject({
      var_name: 'new_password',
    });
  });
});

const confirmationSent = {
  ...success,
  account_email: 'Check your email for a confirmation link. ',
};

describe('another address', () => {
  async function confirm(token: string): Promise<JsonObject> {
    return (await ask('settings/email/confirm', { token })).body;
  }

  test('is used when its link was opened, once, and the previous one is told', async () => {
    const { email, client, id } = await makePerson();
    const wanted = `moved.${email}`;
    const queue = await FollowedQueue.open(organization.client('bob'), {
      event_types: ['realm_user'],
    });
    expect(await client.patch('settings', { email: ` ${wanted} ` })).toEqual(confirmationSent);
    expect((await client.get('users/me'))['email']).toBe(email);
    const mail = await readMail(folder, wanted);
    expect(mail.subject).toBe('Confirm your address for “Example”');
    const token = tokenIn(mail);
    expect(mail.text).toContain(`/#confirm/${token}`);
    expect(await confirm(token)).toEqual({ ...success, email: wanted });
    expect(await confirm(token)).toEqual(notValid);
    // The picture of the new address, and the address.
    expect(await queue.next(2)).toContainEqual(
      expect.objectContaining({ op: 'update', person: { user_id: id, new_email: wanted } }),
    );
    expect((await readMail(folder, email)).subject).toBe('Your address for “Example” has changed');
    expect((await client.request('GET', 'users/me')).status).toBe(401);
    const renamed = organization.client(undefined);
    expect((await renamed.request('GET', 'server_settings')).status).toBe(200);
    const { rows } = await organization.pool.query('SELECT email FROM users WHERE id = $1', [id]);
    expect(rows).toEqual([{ email: wanted }]);
  });

  test('nobody gets more than five mails in an hour, also when who asks changes a password in between', async () => {
    const { client, email } = await makePerson();
    const wanted = `flooded.${email}`;
    await reset(await resetTokenOf(email), password);
    for (let asked = 0; asked < 7; asked += 1) {
      if (asked === 5)
        expect(
          await client.patch('settings', {
            old_password: password,
            new_password: `${password} today`,
          }),
        ).toMatchObject(success);
      expect(await client.patch('settings', { email: wanted })).toEqual(confirmationSent);
    }
    await untilSent();
    const mails = (await listKeptMails(folder)).filter(({ recipient }) => recipient === wanted);
    expect(mails).toHaveLength(5);
    for (const mail of mails) expect(await confirm(tokenIn(mail))).toEqual(notValid);
  });

  test('is refused with the texts of the reference', async () => {
    const { email, client } = await makePerson();
    const { email: gone, id } = await makePerson();
    await organization.client('ann').delete(`users/${id}`);
    const refuses = async (wanted: string, msg: string): Promise<void> =>
      expect((await client.request('PATCH', 'settings', { email: wanted })).body).toEqual({
        result: 'error',
        msg,
      });
    for (const wanted of ['ann', 'a@b, c@d', 'a@b\r\nBcc: c@d', `${'x'.repeat(300)}@example.com`])
      await refuses(wanted, 'Invalid address.');
    await refuses('BOB@example.com', 'Already has an account.');
    await refuses(gone, 'Account has been deactivated.');
    await refuses('eve@mailinator.com', 'Please use your real email address.');
    await organization.client('ann').post('realm/domains', {
      domain: 'example.com',
      allow_subdomains: false,
    });
    await organization.client('ann').patch('realm', { emails_restricted_to_domains: true });
    await refuses('eve@elsewhere.example', 'Outside your domain.');
    await refuses('eve+1@example.com', 'Email addresses containing + are not allowed.');
    await organization.client('ann').patch('realm', { email_changes_disabled: true });
    await refuses('eve@example.com', 'Email address changes are disabled in this organization.');
    expect(await client.patch('settings', { email, full_name: 'The Same' })).toEqual({
      ...success,
      full_name: 'The Same',
    });
    const administrator = organization.client('ann');
    expect(await administrator.patch('settings', { email: 'ann2@example.com' })).toEqual(
      confirmationSent,
    );
    expect(tokenIn(await readMail(folder, 'ann2@example.com'))).toHaveLength(43);
  });

  test('that somebody took meanwhile is refused, and only one of two requests changes it', async () => {
    const [one, two] = [await makePerson(), await makePerson()];
    const wanted = `both.${one.email}`;
    await one.client.patch('settings', { email: wanted });
    const first = await readMail(folder, wanted);
    await two.client.patch('settings', { email: wanted });
    const second = await readMail(folder, wanted, first);
    const answers = await Promise.all([first, second].map((mail) => confirm(tokenIn(mail))));
    expect(answers.map(({ result }) => String(result)).toSorted()).toEqual(['error', 'success']);
    expect(answers).toContainEqual({ result: 'error', msg: 'Already has an account.' });
  });

  test('the own one in another case is confirmed too', async () => {
    const { email, client } = await makePerson();
    const wanted = email.replace('person', 'PERSON');
    expect(await client.patch('settings', { email: wanted })).toEqual(confirmationSent);
    expect(await confirm(tokenIn(await readMail(folder, wanted)))).toEqual({
      ...success,
      email: wanted,
    });
  });

  test('a bot has none to change', async () => {
    const { bot } = await makePerson();
    const { body } = await bot.request('PATCH', 'settings', { email: 'x@example.com' });
    expect(body).toEqual({ result: 'error', msg: 'This endpoint does not accept bot requests.' });
  });
});
