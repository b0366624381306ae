/** Invitations by address and by link, and joining by them (reference facts, people 14.5; decision 0050). */
import { rm } from 'node:fs/promises';

import { listKeptMails } from '@parley/mail/kept-mails';
import { readObjects, waitUntil } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { Browser } from '../support/browser.ts';
import { makeMailFolder, readMail, tokenIn } from '../support/kept-mails.ts';
import { FollowedQueue } from './follow-queue.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey, SmallOrganization } from './small-organization.ts';

let folder: string;
let organization: SmallOrganization;
let open: number;
let hidden: number;
beforeAll(async () => {
  folder = makeMailFolder();
  organization = await startSmallOrganization({
    gateways: 2,
    people: 2,
    events: 1,
    environment: { PARLEY_MAIL_DIR: folder },
  });
  const make = async (name: string, isPrivate: boolean): Promise<number> => {
    await organization.client('bob').post('users/me/subscriptions', {
      subscriptions: [{ name }],
      invite_only: isPrivate,
    });
    const { stream_id: id } = await organization
      .client('bob')
      .get('get_stream_id', { stream: name });
    return Number(id);
  };
  open = await make('open', false);
  hidden = await make('hidden', true);
});
afterAll(async () => {
  await organization?.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await organization.pool.query({ text: `UPDATE realm SET settings = '{}'` });
});

const password = 'the heron sleeps on one leg';
const success = { result: 'success', msg: '' };
const notValid = { result: 'error', msg: 'This link is not valid any more.', code: 'BAD_REQUEST' };

let count = 0;
function newAddress(): string {
  count += 1;
  return `new${count}@example.com`;
}

async function call(
  who: PersonKey | undefined,
  path: string,
  parameters: Parameters = {},
): Promise<JsonObject> {
  return (await organization.client(who).request('POST', path, parameters)).body;
}

async function invite(
  who: PersonKey,
  invitee_emails: string,
  more: Parameters = {},
): Promise<JsonObject> {
  return call(who, 'invites', { invitee_emails, stream_ids: [open], ...more });
}

async function listed(): Promise<readonly JsonObject[]> {
  return readObjects(await organization.client('ann').get('invites'), 'invites');
}

async function join(token: string, more: Parameters = {}): Promise<JsonObject> {
  return call(undefined, 'join', { token, full_name: 'New Person', password, ...more });
}

async function streamsOf(userId: unknown): Promise<number[]> {
  const { rows } = await organization.pool.query<{ id: number }>(
    'SELECT stream_id AS id FROM subscriptions WHERE user_id = $1 ORDER BY 1',
    [userId],
  );
  return rows.map(({ id }) => id);
}

describe('by address', () => {
  test('a person joins once by the link in the mail, with role and streams, and signs in', async () => {
    const email = newAddress();
    const events = await FollowedQueue.open(organization.client('ann'), {
      event_types: ['invites_changed', 'realm_user'],
    });
    const others = await FollowedQueue.open(organization.client('bob'), {
      event_types: ['invites_changed', 'realm_user'],
    });
    expect(
      await invite('bob', ` Nils <${email}> `, { invite_as: 3, stream_ids: [open, hidden] }),
    ).toEqual(success);
    expect(await events.next(1)).toEqual([{ type: 'invites_changed' }]);
    const found = (await listed()).find((each) => each['email'] === email);
    expect(found).toEqual({
      id: found?.['id'],
      email,
      ref: 'bob@example.com',
      invited: found?.['invited'],
      invited_as: 3,
      is_multiuse: false,
      expiry_date: Number(found?.['invited']) + 864_000,
      stream_ids: [open, hidden],
      uses: 0,
      uses_max: 1,
    });
    const mail = await readMail(folder, email);
    expect(mail.subject).toBe('“Bob Ray” invites you to “Example”');
    const token = tokenIn(mail);
    expect(mail.text).toContain(`/#join/${token}`);
    expect(await call(undefined, 'join/look', { token })).toEqual({
      ...success,
      organization: 'Example',
      email,
      inviter: 'Bob Ray',
      providers: [],
    });
    const joined = await join(token);
    expect(joined).toEqual({ ...success, user_id: joined['user_id'], email });
    expect((await events.next(2)).map(({ type }) => type)).toEqual([
      'realm_user',
      'invites_changed',
    ]);
    expect((await others.next(1)).map(({ type }) => type)).toEqual(['realm_user']);
    const browser = new Browser(organization.cluster.url);
    expect((await browser.signIn(email, password)).status).toBe(200);
    const { body: me } = await browser.call('GET', 'users/me');
    expect(me).toMatchObject({ email, full_name: 'New Person', is_admin: false });
    const { members } = await organization.client('ann').get('users');
    expect(members).toContainEqual(expect.objectContaining({ email, is_guest: true }));
    expect(await streamsOf(joined['user_id'])).toEqual([open, hidden]);
    expect(await join(token)).toEqual(notValid);
    expect(await call(undefined, 'join/look', { token })).toEqual(notValid);
    expect((await listed()).some((each) => each['email'] === email)).toBe(false);
  });

  test('a list may be as mail programs write it', async () => {
    const emails = [newAddress(), newAddress(), newAddress(), newAddress()];
    const [nils, pia, ola, ida] = emails;
    const list = `"Ask, Nils; Harbour" <${nils}>; Pia <${pia}>;\n${ola} , "Ida" <${ida}>,;`;
    expect(await invite('ann', list)).toEqual(success);
    const invited = (await listed()).map(({ email }) => email);
    expect(invited).toEqual(expect.arrayContaining(emails));
    expect(await invite('ann', `Ask, Nils <${newAddress()}>`)).toMatchObject({
      code: 'INVITATION_FAILED',
      errors: [['Ask', 'Invalid address.']],
    });
  });

  test('the refusals are those of the reference, in its order', async () => {
    const refused = async (
      who: PersonKey,
      parameters: Parameters,
      msg: string,
      more: object = {},
    ): Promise<void> =>
      expect(await call(who, 'invites', parameters)).toEqual({ result: 'error', msg, ...more });
    const email = newAddress();
    await refused(
      'gil',
      { invitee_emails: email, stream_ids: [open] },
      'Not allowed for guest users',
      { code: 'BAD_REQUEST' },
    );
    await refused(
      'bobBot',
      { invitee_emails: email, stream_ids: [open] },
      'This endpoint does not accept bot requests.',
    );
    await refused(
      'bob',
      { invitee_emails: '', invite_as: 4, stream_ids: [] },
      'Must be invited as an valid type of user',
    );
    await refused(
      'bob',
      { invitee_emails: '', invite_as: 2, stream_ids: [] },
      'Must be an organization administrator',
    );
    await refused(
      'bob',
      { invitee_emails: ' ,\n', stream_ids: [] },
      'You must specify at least one email address.',
    );
    await refused(
      'bob',
      { invitee_emails: email, stream_ids: [] },
      'You must specify at least one stream for invitees to join.',
    );
    for (const [who, id] of [
      ['bob', 999_999],
      ['cat', hidden],
    ] as const)
      await refused(
        who,
        { invitee_emails: email, stream_ids: [id] },
        `Stream does not exist with id: ${id}. No invites were sent.`,
      );
    await refused(
      'bob',
      { invitee_emails: email, stream_ids: [open], invite_expires_in_minutes: 0 },
      'Invalid invite_expires_in_minutes',
    );
    const many = Array.from({ length: 101 }, (_, n) => `many${n}@example.com`).join();
    await refused(
      'bob',
      { invitee_emails: many, stream_ids: [open] },
      'At most 100 people can be invited at once.',
    );
    await organization.client('ann').patch('realm', { invite_by_admins_only: true });
    await refused(
      'bob',
      { invitee_emails: email, stream_ids: [open] },
      'Must be an organization administrator',
    );
    expect(await invite('ann', email)).toEqual(success);
  });

  test('addresses that cannot be invited are named with their reasons, and others only with them', async () => {
    const email = newAddress();
    const failed = { result: 'error', code: 'INVITATION_FAILED' };
    expect(await invite('bob', `${email}, nobody, BOB@example.com\neve@mailinator.com`)).toEqual({
      ...failed,
      msg: "Some emails did not validate, so we didn't send any invitations.",
      errors: [
        ['eve@mailinator.com', 'Please use your real email address.'],
        ['nobody', 'Invalid address.'],
        ['BOB@example.com', 'Already has an account.'],
      ],
      sent_invitations: false,
    });
    expect(await invite('bob', 'bob@example.com')).toEqual({
      ...failed,
      msg: "We weren't able to invite anyone.",
      errors: [['bob@example.com', 'Already has an account.']],
      sent_invitations: false,
    });
    expect((await listed()).some((each) => each['email'] === email)).toBe(false);
    expect(await invite('bob', `${email},bob@example.com`)).toMatchObject({
      ...failed,
      errors: [['bob@example.com', 'Already has an account.']],
      sent_invitations: true,
    });
    expect(tokenIn(await readMail(folder, email))).toHaveLength(43);
  });

  test('is resent with another link, and revoked with all links', async () => {
    const email = newAddress();
    await invite('bob', email);
    const first = await readMail(folder, email);
    const id = (await listed()).find((each) => each['email'] === email)?.['id'];
    const resent = await call('ann', `invites/${String(id)}/resend`);
    expect(resent).toEqual({ ...success, timestamp: resent['timestamp'] });
    const second = await readMail(folder, email, first);
    expect(tokenIn(second)).not.toBe(tokenIn(first));
    await organization.client('ann').delete(`invites/${String(id)}`);
    for (const mail of [first, second]) expect(await join(tokenIn(mail))).toEqual(notValid);
    for (const path of [
      `invites/${String(id)}`,
      'invites/999999',
      `invites/multiuse/${String(id)}`,
    ])
      expect((await organization.client('ann').request('DELETE', path)).body).toEqual({
        result: 'error',
        msg: 'No such invitation',
        code: 'BAD_REQUEST',
      });
  });

  test('ends with the activity and the rights of who invited', async () => {
    const { person } = await organization.makePersonWithBot(`inviter${(count += 1)}`);
    const inviter = organization.clientOf(person);
    const [first, second] = [newAddress(), newAddress()];
    for (const email of [first, second])
      await inviter.post('invites', { invitee_emails: email, stream_ids: [open] });
    const tokens = [
      tokenIn(await readMail(folder, first)),
      tokenIn(await readMail(folder, second)),
    ];
    await organization.client('ann').patch(`users/${person.user.id}`, { is_guest: true });
    expect(await join(tokens[0] ?? '')).toEqual(notValid);
    await organization.client('ann').delete(`users/${person.user.id}`);
    expect(await join(tokens[1] ?? '')).toEqual(notValid);
    expect((await listed()).some((each) => each['ref'] === person.user.email)).toBe(false);
  });

  test('of a member works no more while only administrators invite', async () => {
    const email = newAddress();
    await invite('bob', email);
    const token = tokenIn(await readMail(folder, email));
    await organization.client('ann').patch('realm', { invite_by_admins_only: true });
    expect(await join(token)).toEqual(notValid);
    await organization.client('ann').patch('realm', { invite_by_admins_only: false });
    expect(await join(token)).toMatchObject(success);
  });

  test('of two requests with one link one makes an account', async () => {
    const email = newAddress();
    await invite('bob', email);
    const token = tokenIn(await readMail(folder, email));
    const answers = await Promise.all([join(token), join(token)]);
    expect(answers.map(({ result }) => String(result)).toSorted()).toEqual(['error', 'success']);
  });

  test('many invitations of the same people at once are all answered', async () => {
    const emails = [newAddress(), newAddress(), newAddress()];
    const answers = await Promise.all(
      [emails, emails.toReversed(), emails].flatMap((list) => [
        invite('bob', list.join()),
        invite('ann', list.join('\n')),
      ]),
    );
    for (const answer of answers) expect(answer).toEqual(success);
    const invited = (await listed()).filter(({ email }) => emails.includes(String(email)));
    expect(invited).toHaveLength(3);
  });

  test('again for an address changes what its links are good for, and nobody gets more than five mails in an hour', async () => {
    const email = newAddress();
    for (let invited = 0; invited < 7; invited += 1)
      expect(await invite('bob', email, { invite_as: invited < 6 ? 1 : 3 })).toEqual(success);
    await waitUntil(
      'no mail waits',
      async () => (await organization.pool.query('SELECT 1 FROM mails')).rowCount === 0,
      { deadlineMs: 30_000 },
    );
    const mails = (await listKeptMails(folder)).filter(({ recipient }) => recipient === email);
    expect(mails).toHaveLength(5);
    expect((await listed()).filter((each) => each['email'] === email)).toHaveLength(1);
    const [first] = mails;
    expect(await join(first === undefined ? '' : tokenIn(first))).toMatchObject(success);
    const { members } = await organization.client('ann').get('users');
    expect(members).toContainEqual(expect.objectContaining({ email, is_guest: true }));
  });

  test('a wrong name or a weak password does not use the link up', async () => {
    const email = newAddress();
    await invite('bob', email);
    const token = tokenIn(await readMail(folder, email));
    expect(await join(token, { full_name: 'A@B' })).toMatchObject({
      msg: 'Invalid characters in name!',
    });
    expect(await join(token, { password: 'x' })).toEqual({
      result: 'error',
      msg: 'The password is too weak.',
    });
    expect(await join(token)).toMatchObject(success);
  });
});

describe('by a link', () => {
  async function makeLink(parameters: Parameters = {}): Promise<{ token: string; id: unknown }> {
    const { invite_link: link } = await organization
      .client('ann')
      .post('invites/multiuse', parameters);
    const found = (await listed()).find((each) => each['link_url'] === link);
    expect(found).toMatchObject({ is_multiuse: true, ref: 'Ann@example.com' });
    expect(found).not.toHaveProperty('email');
    return { token: String(link).split('/').at(-1) ?? '', id: found?.['id'] };
  }

  async function joinBy(link: string, email: string): Promise<JsonObject> {
    expect(await call(undefined, 'join/request', { email, token: link })).toEqual(success);
    return join(tokenIn(await readMail(folder, email)));
  }

  test('people join with a confirmed address, as often as it says', async () => {
    const { token } = await makeLink({ stream_ids: [open], uses_max: 2 });
    expect(await call(undefined, 'join/look', { token })).toEqual({
      ...success,
      organization: 'Example',
      email: null,
      inviter: 'Ann Lee',
      providers: [],
    });
    expect(await join(token)).toEqual(notValid);
    const joined = await joinBy(token, newAddress());
    expect(joined).toMatchObject(success);
    expect(await streamsOf(joined['user_id'])).toEqual([open]);
    const waiting = newAddress();
    await call(undefined, 'join/request', { email: waiting, token });
    const late = tokenIn(await readMail(folder, waiting));
    expect(await joinBy(token, newAddress())).toMatchObject(success);
    expect(await join(late)).toEqual(notValid);
    expect(await call(undefined, 'join/request', { email: newAddress(), token })).toEqual(notValid);
  });

  test('is for administrators, and revoked', async () => {
    for (const who of ['bob', 'gil'] as const)
      for (const path of ['invites/multiuse', 'invites/1/resend'])
        expect(await call(who, path)).toMatchObject({
          msg: 'Must be an organization administrator',
        });
    const { token, id } = await makeLink();
    await organization.client('ann').delete(`invites/multiuse/${String(id)}`);
    expect(await call(undefined, 'join/request', { email: newAddress(), token })).toEqual(notValid);
    expect(
      (await organization.client('ann').request('POST', 'invites/multiuse', { uses_max: 0 })).body,
    ).toEqual({
      result: 'error',
      msg: 'Invalid uses_max',
    });
  });

  test('ends when who made it is no administrator any more', async () => {
    const { person } = await organization.makePersonWithBot(`inviter${(count += 1)}`);
    const path = `users/${person.user.id}`;
    await organization.client('ann').patch(path, { is_admin: true });
    const made = await organization.clientOf(person).post('invites/multiuse');
    const token = String(made['invite_link']).split('/').at(-1) ?? '';
    await organization.client('ann').patch(path, { is_admin: false });
    expect(await joinBy(token, newAddress())).toEqual(notValid);
    await organization.client('ann').patch(path, { is_admin: true });
    expect(await joinBy(token, newAddress())).toMatchObject(success);
    await organization.client('ann').patch(path, { is_admin: false });
  });

  test('an address with an account gets another mail, and the same answer', async () => {
    const { token } = await makeLink();
    const before = (await listKeptMails(folder)).length;
    expect(await call(undefined, 'join/request', { email: 'cat@example.com', token })).toEqual(
      success,
    );
    await waitUntil('a mail came', async () => (await listKeptMails(folder)).length > before);
    const { text, subject } = await readMail(folder, 'cat@example.com');
    expect(subject).toBe('You have an account in “Example”');
    expect(text).not.toContain('#join');
  });

  test('the database holds no link', async () => {
    const { token } = await makeLink();
    const { rows } = await organization.pool.query<{ row: string }>(
      'SELECT i::text AS row FROM invitations i',
    );
    for (const { row } of rows) {
      expect(row).not.toContain(token);
      expect(row).not.toContain(Buffer.from(token).toString('hex'));
    }
  });
});

describe('without an invitation', () => {
  test('people join only where none is needed, with an address that the organization admits', async () => {
    const email = newAddress();
    const settings = async (): Promise<unknown> => organization.client().get('server_settings');
    expect(await call(undefined, 'join/request', { email })).toEqual({
      result: 'error',
      msg: 'You need an invitation to join this organization.',
    });
    expect(await settings()).toMatchObject({ signup_enabled: false });
    await organization.client('ann').patch('realm', { invite_required: false });
    expect(await settings()).toMatchObject({ signup_enabled: true });
    await organization
      .client('ann')
      .post('realm/domains', { domain: 'example.com', allow_subdomains: false });
    await organization.client('ann').patch('realm', { emails_restricted_to_domains: true });
    expect(await call(undefined, 'join/request', { email: 'eve@elsewhere.example' })).toEqual({
      result: 'error',
      msg: "Email 'eve@elsewhere.example' not allowed in this organization",
    });
    expect(await call(undefined, 'join/request', { email })).toEqual(success);
    const token = tokenIn(await readMail(folder, email));
    await organization.client('ann').patch('realm', { invite_required: true });
    expect(await join(token)).toMatchObject({ result: 'error' });
    await organization.client('ann').patch('realm', { invite_required: false });
    expect(await join(token)).toMatchObject(success);
  });
});
