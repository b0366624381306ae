/** Links in mails that open an account (decision 0050): a lost password, and another address. */
import { listKeptMails } from '@parley/outgoing/mail/kept-mails';
import { ApiClient, settle, sharedMailFolder } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { Browser } from '../support/browser.ts';
import { readMail, tokenIn } from '../support/kept-mails.ts';
import { updateRealmSettings } from '../support/realm-settings.ts';
import { FollowedQueue } from './follow-queue.ts';
import { anyNumber } from '../support/matchers.ts';
import { expectOneSuccess, expectRefusal, missing, success, uncoded } from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { SmallOrganization } from './small-organization.ts';

let folder: string;
let organization: SmallOrganization;
beforeAll(async () => {
  folder = sharedMailFolder();
  organization = await startSmallOrganization({
    gateways: 2,
    people: 2,
    events: 1,
    subscriptions: 0,
    environment: {
      PARLEY_MAIL_DIR: folder,
      PARLEY_MAIL_LIMITS_PER_ACCOUNT: '3600:8',
      PARLEY_MAIL_LIMITS_PER_DOMAIN: '3600:40',
      PARLEY_MAIL_LIMITS: '3600:60',
    },
  });
});
afterAll(() => organization?.stop());

let count = 0;
/** Another person for each test, because links end with what they change. */
async function makePerson(): Promise<{
  readonly email: string;
  readonly client: ReturnType<SmallOrganization['clientOf']>;
  readonly bot: ReturnType<SmallOrganization['clientOf']>;
  readonly id: number;
}> {
  count += 1;
  const { person, bot } = await organization.makePersonWithBot(`person${count}`, password);
  return {
    email: person.user.email,
    client: organization.clientOf(person),
    bot: organization.clientOf(bot),
    id: person.user.id,
  };
}

const password = 'the heron sleeps on one leg';
const notValid = 'This link is not valid any more.';

function ask(path: string, parameters: Record<string, string>): Promise<JsonObject> {
  return organization.client().post(path, parameters);
}

const askReset = (email: string): Promise<JsonObject> => ask('password_reset', { email });

/** @param spelling the address as it is asked for */
async function resetTokenOf(email: string, spelling = email): Promise<string> {
  const before = await listKeptMails(folder);
  expect(await askReset(spelling)).toEqual(success);
  return tokenIn(await readMail(folder, email, before));
}

const reset = (token: string, new_password = password): Promise<JsonObject> =>
  ask('password_reset/confirm', { token, new_password });

const confirm = (token: string): Promise<JsonObject> => ask('settings/email/confirm', { token });

/** Whoever knows the password gets the key, also after a new one ended the previous key. */
async function keyHolder(email: string): Promise<ApiClient> {
  const { api_key: apiKey } = await ask('fetch_api_key', { username: email, password });
  return new ApiClient({ urls: organization.gatewayUrls, email, apiKey: String(apiKey) });
}

async function signIn(username: string, secret = password): Promise<number> {
  return (await new Browser(organization.cluster.url).signIn(username, secret)).status;
}

beforeEach(async () => {
  await organization.pool.query({ text: `UPDATE realm SET settings = '{}'` });
});

describe('a lost password', () => {
  test('is replaced once by the link, which ends all by which others could have the account', async () => {
    const { email, client, bot, id } = await makePerson();
    const token = await resetTokenOf(email, ` ${email.toUpperCase()} `);
    const first = await reset(token);
    expect(first).toEqual({ ...success, email });
    expect(await signIn(email)).toBe(200);
    const browser = new Browser(organization.cluster.url);
    await browser.signIn(email, password);
    await organization.pool.query(
      `INSERT INTO linked_identities (user_id, issuer, subject) VALUES ($1, 'https://id.example', $2)`,
      [id, email],
    );
    const known = await keyHolder(email);
    await known.post('push_subscriptions', {
      endpoint: `https://push.example/${id}`,
      p256dh:
        'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    });
    const next = await resetTokenOf(email);
    expect(await reset(next, 'another heron sleeps here')).toEqual({ ...success, email });
    await settle();
    expect((await browser.call('GET', 'users/me')).status).toBe(401);
    for (const each of [client, known])
      expect((await each.request('GET', 'users/me')).status).toBe(401);
    const { rows } = await organization.pool.query(
      'SELECT user_id FROM linked_identities WHERE user_id = $1 UNION ALL SELECT user_id FROM push_subscriptions WHERE user_id = $1',
      [id],
    );
    expect(rows).toEqual([]);
    expect((await bot.request('GET', 'users/me')).status).toBe(200);
    expect(await signIn(email)).toBe(403);
    expect(await signIn(email, 'another heron sleeps here')).toBe(200);
    for (const used of [token, next]) await expectRefusal(reset(used), notValid);
  });

  test('is worth no new key, however close it is tried to the new one', async () => {
    const { email } = await makePerson();
    const token = await resetTokenOf(email);
    const replaced = reset(token, 'a new heron sleeps here');
    const former = Array.from({ length: 8 }, () => keyHolder(email));
    const holders = await Promise.allSettled(former);
    expect(await replaced).toMatchObject(success);
    await settle();
    for (const holder of holders)
      if (holder.status === 'fulfilled')
        expect((await holder.value.request('GET', 'users/me')).status).toBe(401);
  });

  test('of two requests with one link one succeeds', async () => {
    const { email } = await makePerson();
    const token = await resetTokenOf(email);
    await expectOneSuccess(
      ['the first new password', 'the second new password'].map((each) => reset(token, each)),
      notValid,
    );
  });

  test('may not be weak, and a weak one does not use the link up', async () => {
    const { email } = await makePerson();
    const token = await resetTokenOf(email);
    for (const weak of ['', 'short', email, 'password1'])
      await expectRefusal(reset(token, weak), uncoded('New password is too weak!'));
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
    await settle();
    const mails = (await listKeptMails(folder)).filter(({ recipient }) => recipient === email);
    expect(mails).toHaveLength(5);
    const tokens = mails.map(tokenIn);
    expect(new Set(tokens).size).toBe(5);
    expect(await reset(tokens[0] ?? '')).toMatchObject(success);
    // The others were for the account as it was.
    await expectRefusal(reset(tokens[1] ?? ''), notValid);
  });

  test('a link ends after an hour, with the account, and with another address', async () => {
    const { email } = await makePerson();
    const token = await resetTokenOf(email);
    await organization.pool.query({
      text: `UPDATE account_tokens SET expires_at = parley_now() WHERE email = $1`,
      values: [email],
    });
    await expectRefusal(reset(token), notValid);
    const ended = await makePerson();
    const endedToken = await resetTokenOf(ended.email);
    await organization.client('ann').delete(`users/${ended.id}`);
    await expectRefusal(reset(endedToken), notValid);
    await organization.client('ann').post(`users/${ended.id}/reactivate`);
    await expectRefusal(reset(endedToken), notValid);
  });

  test('the database holds no link, and a link for something else opens nothing', async () => {
    const { email, client } = await makePerson();
    const token = await resetTokenOf(email);
    await client.patch('settings', { email: `new.${email}`, old_password: password });
    const other = tokenIn(await readMail(folder, `new.${email}`));
    await expectRefusal(reset(other), notValid);
    await expectRefusal(confirm(token), notValid);
    const { rows } = await organization.pool.query<{ row: string }>(
      'SELECT t::text AS row FROM account_tokens t UNION ALL SELECT m::text FROM mails m',
    );
    for (const { row } of rows) for (const each of [token, other]) expect(row).not.toContain(each);
  });

  test.each(['', 'x', 'x'.repeat(42), 'x'.repeat(43), 'x'.repeat(5_000), '../..', '%00'])(
    'an invented secret opens nothing: %j',
    async (token) => {
      await expectRefusal(reset(token), notValid);
      await expectRefusal(confirm(token), notValid);
    },
  );

  test('what is missing or no address is refused', async () => {
    await expectRefusal(ask('password_reset', {}), missing('email'));
    for (const email of [
      '',
      'ann',
      'a@b, c@d',
      'ann@example.com\r\nBcc: eve@example.com',
      'x'.repeat(300),
    ])
      await expectRefusal(askReset(email), 'Enter a valid email address.');
    await expectRefusal(ask('password_reset/confirm', { token: 'x' }), missing('new_password'));
  });
});

const confirmationSent = {
  ...success,
  account_email: 'Check your email for a confirmation link. ',
};

describe('another address', () => {
  test('is used when its link was opened, once, and the previous one is told', async () => {
    const { email, client, id } = await makePerson();
    const wanted = `moved.${email}`;
    const queue = await FollowedQueue.open(organization.client('bob'), {
      event_types: ['realm_user'],
    });
    expect(
      await client.patch('settings', { email: ` ${wanted} `, old_password: password }),
    ).toEqual(confirmationSent);
    expect((await client.get('users/me'))['email']).toBe(email);
    const mail = await readMail(folder, wanted);
    expect(mail.subject).toBe('Confirm your address for “Example”');
    const token = tokenIn(mail);
    expect(mail.text).toContain(`/#confirm/${token}`);
    expect(await confirm(token)).toEqual({ ...success, email: wanted });
    await expectRefusal(confirm(token), notValid);
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
    let old_password = password;
    for (let asked = 0; asked < 7; asked += 1) {
      if (asked === 5) {
        const new_password = `${password} today`;
        expect(await client.patch('settings', { old_password, new_password })).toMatchObject(
          success,
        );
        old_password = new_password;
      }
      expect(await client.patch('settings', { email: wanted, old_password })).toEqual(
        confirmationSent,
      );
    }
    await settle();
    const mails = (await listKeptMails(folder)).filter(({ recipient }) => recipient === wanted);
    expect(mails).toHaveLength(5);
    for (const mail of mails) await expectRefusal(confirm(tokenIn(mail)), notValid);
  });

  test('whoever asks for many different ones gets few mails sent, and `name+anything` is one mailbox', async () => {
    const flood = await makePerson();
    const one = await makePerson();
    const change = (email: string): { readonly email: string; readonly old_password: string } => ({
      email,
      old_password: password,
    });
    for (let asked = 0; asked < 5; asked += 1) {
      const email = `victim+${asked}@flood.example`;
      expect(await flood.client.patch('settings', change(email))).toEqual(confirmationSent);
      expect(await one.client.patch('settings', change(`a${email}`))).toEqual(confirmationSent);
    }
    const next = change('next@flood.example');
    const refused = await flood.client.request('PATCH', 'settings', next);
    expect(refused).toMatchObject({ status: 429, body: { 'retry-after': anyNumber } });
    expect(await one.bot.request('PATCH', 'settings', next)).toMatchObject({ status: 400 });
    const other = await makePerson();
    const sixth = change('victim+six@flood.example');
    expect(await other.client.patch('settings', sixth)).toEqual(confirmationSent);
    await settle();
    const recipients = (await listKeptMails(folder)).map(({ recipient }) => recipient);
    expect(recipients.filter((each) => each.startsWith('victim'))).toHaveLength(5);
    expect(recipients).not.toContain('next@flood.example');
  });

  test('is refused with the texts of the reference', async () => {
    const { email, client } = await makePerson();
    const { email: gone, id } = await makePerson();
    await organization.client('ann').delete(`users/${id}`);
    const refuses = (wanted: string, msg: string): Promise<void> =>
      expectRefusal(
        client.patch('settings', { email: wanted, old_password: password }),
        uncoded(msg),
      );
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
    const change = { email: 'ann2@example.com', old_password: 'ann-secret' };
    expect(await administrator.patch('settings', change)).toEqual(confirmationSent);
    expect(tokenIn(await readMail(folder, 'ann2@example.com'))).toHaveLength(43);
  });

  test('that somebody took meanwhile is refused, and only one of two requests changes it', async () => {
    const [one, two] = [await makePerson(), await makePerson()];
    const wanted = `both.${one.email}`;
    await one.client.patch('settings', { email: wanted, old_password: password });
    const first = await readMail(folder, wanted);
    await two.client.patch('settings', { email: wanted, old_password: password });
    const second = await readMail(folder, wanted, [first]);
    await expectOneSuccess(
      [first, second].map((mail) => confirm(tokenIn(mail))),
      uncoded('Already has an account.'),
    );
  });

  test('the own one in another case is confirmed too', async () => {
    const { email, client } = await makePerson();
    const wanted = email.replace('person', 'PERSON');
    expect(await client.patch('settings', { email: wanted, old_password: password })).toEqual(
      confirmationSent,
    );
    expect(await confirm(tokenIn(await readMail(folder, wanted)))).toEqual({
      ...success,
      email: wanted,
    });
  });

  test('a bot has none to change', async () => {
    const { bot } = await makePerson();
    await expectRefusal(
      bot.patch('settings', { email: 'x@example.com' }),
      uncoded('This endpoint does not accept bot requests.'),
    );
  });
});

describe('mails with links', () => {
  const invite = (who: 'ann' | 'bob', domain: string, from: number, count: number) =>
    organization.client(who).request('POST', 'invites', {
      invitee_emails: Array.from({ length: count }, (_, n) => `i${from + n}@${domain}`).join(),
      stream_ids: [streamId],
    });
  let streamId = 0;
  beforeAll(async () => {
    await organization.pool.query('DELETE FROM made_counts');
    const { rows } = await organization.pool.query<{ id: number }>(
      `INSERT INTO streams (name, name_folded, email_token) VALUES ('hall', 'HALL', '') RETURNING id`,
    );
    streamId = rows[0]?.id ?? 0;
  });
  const tooMany = {
    status: 429,
    body: { result: 'error', msg: 'API usage exceeded rate limit', 'retry-after': anyNumber },
  };

  test('have limits by account, domain and in all, and links for new passwords are counted apart', async () => {
    expect((await invite('bob', 'one.example', 0, 8)).status).toBe(200);
    expect(await invite('bob', 'two.example', 0, 1)).toMatchObject(tooMany);
    expect((await invite('ann', 'one.example', 8, 32)).status).toBe(200);
    // The whole request is refused, and counts for nothing.
    expect(await invite('ann', 'one.example', 40, 1)).toMatchObject(tooMany);
    expect(await invite('ann', 'two.example', 0, 21)).toMatchObject(tooMany);
    expect((await invite('ann', 'two.example', 0, 20)).status).toBe(200);
    expect(await invite('ann', 'two.example', 20, 1)).toMatchObject(tooMany);
    const { invites } = await organization.client('ann').get('invites');
    expect(invites).toHaveLength(60);
    const { email } = await makePerson();
    expect(await reset(await resetTokenOf(email))).toMatchObject(success);
  });

  test('to strangers take nothing from those of invitations', async () => {
    await organization.pool.query(`DELETE FROM made_counts`);
    await updateRealmSettings(organization.pool, { invite_required: false });
    for (let n = 0; n < 40; n += 1)
      expect(await ask('join/request', { email: `s${n}@three.example` })).toEqual(success);
    expect((await invite('bob', 'three.example', 0, 1)).status).toBe(200);
  });
});
