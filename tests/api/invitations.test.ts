/** Invitations by address and by link, and joining by them (reference facts, people 14.5; decision 0050). */
import { listKeptMails } from '@parley/outgoing/mail/kept-mails';
import { hasRoomForToken } from '@parley/store/account-tokens';
import { readObjects, settle, sharedMailFolder } from '@parley/test-kit';
import type { ApiClient, JsonObject, Parameters } from '@parley/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { Browser } from '../support/browser.ts';
import {
  meetTransaction,
  untilStatementsWait,
  waitsInCircle,
} from '../support/held-transaction.ts';
import { readMail, tokenIn } from '../support/kept-mails.ts';
import { FollowedQueue } from './follow-queue.ts';
import { refusalOf } from './message-fixture.ts';
import { expectOneSuccess, expectRefusal, notAdministrator, success, uncoded } from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey, SmallOrganization } from './small-organization.ts';

let folder: string;
let organization: SmallOrganization;
let open: number;
let hidden: number;
beforeAll(async () => {
  folder = sharedMailFolder();
  organization = await startSmallOrganization({
    gateways: 2,
    people: 2,
    events: 1,
    environment: { PARLEY_MAIL_DIR: folder },
  });
  const bob = organization.client('bob');
  await bob.subscribe('open');
  await bob.subscribe('hidden', { invite_only: true });
  open = await bob.streamId('open');
  hidden = await bob.streamId('hidden');
});
afterAll(() => organization?.stop());
beforeEach(async () => {
  await organization.pool.query({ text: `UPDATE realm SET settings = '{}'` });
});

const password = 'the heron sleeps on one leg';
const notValid = 'This link is not valid any more.';
const hasJoined = 'You have joined by this link already. Sign in.';

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
  return organization.client(who).post(path, parameters);
}

async function invite(
  who: PersonKey,
  invitee_emails: string,
  more: Parameters = {},
): Promise<JsonObject> {
  return call(who, 'invites', { invitee_emails, stream_ids: [open], ...more });
}

const ann = (): ApiClient => organization.client('ann');

async function listed(): Promise<readonly JsonObject[]> {
  return readObjects(await ann().get('invites'), 'invites');
}

async function invitationOf(email: string): Promise<JsonObject | undefined> {
  return (await listed()).find((each) => each['email'] === email);
}

/** @returns what the link in the mail to an address ends with */
async function tokenFor(email: string): Promise<string> {
  return tokenIn(await readMail(folder, email));
}

/** Gives somebody another address, as if it had always been so. */
function readdress(from: string, to: string): Promise<unknown> {
  return organization.pool.query(
    'UPDATE users SET email = $2, email_folded = upper($2) WHERE email = $1',
    [from, to],
  );
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
    const events = await FollowedQueue.open(ann(), {
      event_types: ['invites_changed', 'realm_user'],
    });
    const others = await FollowedQueue.open(organization.client('bob'), {
      event_types: ['invites_changed', 'realm_user'],
    });
    expect(
      await invite('bob', ` Nils <${email}> `, { invite_as: 3, stream_ids: [open, hidden] }),
    ).toEqual(success);
    expect(await events.next(1)).toEqual([{ type: 'invites_changed' }]);
    const found = await invitationOf(email);
    expect(found).toEqual({
      id: found?.['id'],
      email,
      full_name: 'Nils',
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
      full_name: 'Nils',
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
    const { members } = await ann().get('users');
    expect(members).toContainEqual(expect.objectContaining({ email, is_guest: true }));
    expect(await streamsOf(joined['user_id'])).toEqual([open, hidden]);
    await expectRefusal(join(token), hasJoined);
    await expectRefusal(call(undefined, 'join/look', { token }), hasJoined);
    expect(await invitationOf(email)).toBeUndefined();
    await ann().delete(`users/${Number(joined['user_id'])}`);
    await expectRefusal(join(token), notValid);
  });

  test('a list may be as mail programs write it', async () => {
    const emails = [newAddress(), newAddress(), newAddress(), newAddress()];
    const [nils, pia, ola, ida] = emails;
    const list = `"Ask, Nils; Harbour" <${nils}>; Pia <${pia}>;\n${ola} , "Ida" <${ida}>,;`;
    expect(await invite('ann', list)).toEqual(success);
    const all = await listed();
    const invited = emails.map((email) => all.find((each) => each['email'] === email));
    expect(invited.map((each) => each?.['full_name'])).toEqual([
      'Ask, Nils; Harbour',
      'Pia',
      undefined,
      'Ida',
    ]);
    expect(await refusalOf(invite('ann', `Ask, Nils <${newAddress()}>`))).toMatchObject({
      code: 'INVITATION_FAILED',
      errors: [['Ask', 'Invalid address.']],
    });
  });

  test('the refusals are those of the reference, in its order', async () => {
    const email = newAddress();
    const many = Array.from({ length: 101 }, (_, n) => `many${n}@example.com`).join();
    const noStream = (id: number): string =>
      `Stream does not exist with id: ${id}. No invites were sent.`;
    const refusals: readonly (readonly [PersonKey, string, Parameters, string])[] = [
      ['bob', '', { invite_as: 4, stream_ids: [] }, 'Must be invited as an valid type of user'],
      ['bob', '', { invite_as: 2, stream_ids: [] }, 'Must be an organization administrator'],
      ['bob', ' ,\n', { stream_ids: [] }, 'You must specify at least one email address.'],
      [
        'bob',
        email,
        { stream_ids: [] },
        'You must specify at least one stream for invitees to join.',
      ],
      ['bob', email, { stream_ids: [999_999] }, noStream(999_999)],
      ['cat', email, { stream_ids: [hidden] }, noStream(hidden)],
      ['bob', email, { invite_expires_in_minutes: 0 }, 'Invalid invite_expires_in_minutes'],
      ['bob', many, {}, 'At most 100 people can be invited at once.'],
    ];
    for (const [who, emails, more, msg] of refusals)
      await expectRefusal(invite(who, emails, more), uncoded(msg));
    await ann().patch('realm', { invite_by_admins_only: true });
    await expectRefusal(invite('bob', email), uncoded('Must be an organization administrator'));
    expect(await invite('ann', email)).toEqual(success);
  });

  test('addresses that cannot be invited are named with their reasons, and others only with them', async () => {
    const email = newAddress();
    const failed = (msg: string, errors: readonly unknown[]): JsonObject => ({
      ...uncoded(msg),
      code: 'INVITATION_FAILED',
      errors,
      sent_invitations: false,
    });
    const ofBob = ['bob@example.com', 'Already has an account.'];
    const someFailed = "Some emails did not validate, so we didn't send any invitations.";
    await expectRefusal(
      invite('bob', `${email}, nobody, BOB@example.com\neve@mailinator.com`),
      failed(someFailed, [
        ['eve@mailinator.com', 'Please use your real email address.'],
        ['nobody', 'Invalid address.'],
        ['BOB@example.com', 'Already has an account.'],
      ]),
    );
    await expectRefusal(
      invite('bob', 'bob@example.com'),
      failed("We weren't able to invite anyone.", [ofBob]),
    );
    expect(await invitationOf(email)).toBeUndefined();
    expect(await refusalOf(invite('bob', `${email},bob@example.com`))).toMatchObject({
      code: 'INVITATION_FAILED',
      errors: [ofBob],
      sent_invitations: true,
    });
    expect(await tokenFor(email)).toHaveLength(43);
  });

  test('is resent with another link, and revoked with all links', async () => {
    const email = newAddress();
    await invite('bob', email);
    const first = await readMail(folder, email);
    const id = (await invitationOf(email))?.['id'];
    const queue = await FollowedQueue.open(ann(), {
      event_types: ['invites_changed'],
    });
    const resent = await call('ann', `invites/${String(id)}/resend`);
    expect(await queue.next(1)).toMatchObject([{ type: 'invites_changed' }]);
    expect(resent).toEqual({ ...success, timestamp: resent['timestamp'] });
    const second = await readMail(folder, email, [first]);
    expect(tokenIn(second)).not.toBe(tokenIn(first));
    await ann().delete(`invites/${String(id)}`);
    for (const mail of [first, second]) await expectRefusal(join(tokenIn(mail)), notValid);
    for (const path of [
      `invites/${String(id)}`,
      'invites/999999',
      `invites/multiuse/${String(id)}`,
    ])
      await expectRefusal(ann().delete(path), 'No such invitation');
  });

  test('ends with the activity and the rights of who invited', async () => {
    const { person } = await organization.makePersonWithBot(`inviter${(count += 1)}`);
    const inviter = organization.clientOf(person);
    const [first, second] = [newAddress(), newAddress()];
    for (const email of [first, second])
      await inviter.post('invites', { invitee_emails: email, stream_ids: [open] });
    const tokens = [await tokenFor(first), await tokenFor(second)];
    await ann().patch(`users/${person.user.id}`, { is_guest: true });
    await expectRefusal(join(tokens[0] ?? ''), notValid);
    await ann().delete(`users/${person.user.id}`);
    await expectRefusal(join(tokens[1] ?? ''), notValid);
    expect((await listed()).some((each) => each['ref'] === person.user.email)).toBe(false);
  });

  test('of a member works no more while only administrators invite', async () => {
    const email = newAddress();
    await invite('bob', email);
    const token = await tokenFor(email);
    await ann().patch('realm', { invite_by_admins_only: true });
    await expectRefusal(join(token), notValid);
    await ann().patch('realm', { invite_by_admins_only: false });
    expect(await join(token)).toMatchObject(success);
  });

  test('of two requests with one link one makes an account', async () => {
    const email = newAddress();
    await invite('bob', email);
    const token = await tokenFor(email);
    await expectOneSuccess([join(token), join(token)], hasJoined);
  });

  test('many invitations of the same people at once are all answered', async () => {
    const emails = [newAddress(), newAddress(), newAddress()];
    const answers = await Promise.all(
      [emails, emails.toReversed(), emails].flatMap((list) => [
        invite('ann', list.join()),
        invite('ann', list.join('\n')),
      ]),
    );
    for (const answer of answers) expect(answer).toEqual(success);
    const invited = (await listed()).filter(({ email }) => emails.includes(String(email)));
    expect(invited).toHaveLength(3);
  });

  test('lists that share mailboxes under several addresses wait for one another in one order', async () => {
    const shared = newAddress();
    const tagged = (tag: string): string => shared.replace('@', `${tag}@`);
    // In alphabetical order the shared mailbox is the first of one list, and the last of the other.
    const lists = [
      [tagged('+a'), tagged('-b')],
      [tagged('-b'), shared],
    ].map((list) => list.join());
    const { pool } = organization;
    let second: Promise<JsonObject> | undefined;
    const answers = meetTransaction(
      pool,
      (client) => hasRoomForToken(client, 'join', shared),
      () => invite('ann', lists[0] ?? ''),
      async () => {
        second = invite('ann', lists[1] ?? '');
        await untilStatementsWait(pool, 2);
      },
    ).then(async (first) => [first, await second]);
    expect(await waitsInCircle(pool, answers)).toBe(false);
    expect(await answers).toEqual([success, success]);
  });

  test('by somebody else does not replace an open one, except by an administrator', async () => {
    const email = newAddress();
    expect(await invite('ann', email, { invite_as: 3 })).toEqual(success);
    const before = await invitationOf(email);
    expect(await refusalOf(invite('bob', email.toUpperCase()))).toMatchObject({
      code: 'INVITATION_FAILED',
      errors: [[email.toUpperCase(), 'Somebody else has invited this address.']],
      sent_invitations: false,
    });
    expect(await listed()).toContainEqual(before);
    const other = newAddress();
    expect(await invite('bob', other)).toEqual(success);
    expect(await invite('ann', other, { invite_as: 3 })).toEqual(success);
    expect(await listed()).toContainEqual(expect.objectContaining({ email: other, invited_as: 3 }));
  });

  test('of an address that only looks like one of somebody else is refused with words', async () => {
    const invited = newAddress();
    expect(await invite('ann', `i${invited}`)).toEqual(success);
    const email = `ı${invited}`;
    expect(await refusalOf(invite('ann', email))).toMatchObject({
      errors: [[email, 'Too similar to the address of somebody else.']],
      sent_invitations: false,
    });
    const pair = newAddress();
    expect(await refusalOf(invite('ann', `i${pair},ı${pair}`))).toMatchObject({
      errors: [[`ı${pair}`, 'Too similar to the address of somebody else.']],
    });
    expect((await listed()).filter((each) => String(each['email']).endsWith(pair))).toEqual([]);
    await readdress('cat@example.com', 'chief@office.example');
    expect(await refusalOf(invite('ann', 'chief@offıce.example'))).toMatchObject({
      errors: [['chief@offıce.example', 'Too similar to the address of somebody else.']],
    });
    expect(await refusalOf(invite('ann', 'Chief@OFFICE.example'))).toMatchObject({
      errors: [['Chief@OFFICE.example', 'Already has an account.']],
    });
    await readdress('chief@office.example', 'cat@example.com');
  });

  test('that ended does not come back by one of an address that only looks like it', async () => {
    const { person } = await organization.makePersonWithBot('inviter');
    const address = newAddress();
    const invitee_emails = `i${address}`;
    await organization.clientOf(person).post('invites', { invitee_emails, stream_ids: [open] });
    const token = await tokenFor(invitee_emails);
    await ann().delete(`users/${person.user.id}`);
    expect(await invite('ann', `ı${address}`, { invite_as: 2 })).toEqual(success);
    await expectRefusal(join(token), notValid);
  });

  test('leads only into the default streams, by whoever may not add others to streams', async () => {
    await ann().subscribe('everyone');
    const byDefault = await ann().streamId('everyone');
    await ann().post('default_streams', { stream_id: byDefault });
    const [early, refused] = [newAddress(), newAddress()];
    expect(await invite('bob', early, { stream_ids: [open, byDefault] })).toEqual(success);
    const token = await tokenFor(early);
    await ann().patch('realm', { invite_to_stream_policy: 2 });
    await expectRefusal(
      invite('bob', refused),
      uncoded("Only administrators can modify other users' subscriptions."),
    );
    expect(await invite('bob', refused, { stream_ids: [byDefault] })).toEqual(success);
    expect(await streamsOf((await join(token))['user_id'])).toEqual([byDefault]);
    expect(await invite('ann', newAddress())).toEqual(success);
    await ann().delete('default_streams', { stream_id: byDefault });
  });

  test('again for an address changes what its links are good for, and nobody gets more than five mails in an hour', async () => {
    const email = newAddress();
    for (let invited = 0; invited < 7; invited += 1)
      expect(await invite('bob', email, { invite_as: invited < 6 ? 1 : 3 })).toEqual(success);
    await settle();
    const mails = (await listKeptMails(folder)).filter(({ recipient }) => recipient === email);
    expect(mails).toHaveLength(5);
    expect((await listed()).filter((each) => each['email'] === email)).toHaveLength(1);
    const [first] = mails;
    expect(await join(first === undefined ? '' : tokenIn(first))).toMatchObject(success);
    const { members } = await ann().get('users');
    expect(members).toContainEqual(expect.objectContaining({ email, is_guest: true }));
  });

  test('of a day have a limit, those that ended after a minute among them', async () => {
    await organization.pool.query({
      text: `INSERT INTO invitations (email, email_folded, inviter_id, role, stream_ids, expires_at, uses_max)
        SELECT n || '@minute.example', n || '@MINUTE.EXAMPLE', $1, 'member', '{}', parley_now() - interval '1 minute', 1
        FROM generate_series(1, 1000) n`,
      values: [organization.id('cat')],
    });
    const tooMany = uncoded('There may be at most 1000 open invitations.');
    await expectRefusal(invite('bob', newAddress()), tooMany);
    await organization.pool.query(
      `UPDATE invitations SET invited_at = invited_at - interval '1 day' WHERE email LIKE '%@minute.example'`,
    );
    expect(await invite('bob', newAddress())).toEqual(success);
  });

  test('a wrong name or a weak password does not use the link up', async () => {
    const email = newAddress();
    await invite('bob', email);
    const token = await tokenFor(email);
    await expectRefusal(join(token, { full_name: 'A@B' }), 'Invalid characters in name!');
    await expectRefusal(join(token, { password: 'x' }), uncoded('The password is too weak.'));
    expect(await join(token)).toMatchObject(success);
  });
});

describe('by a link', () => {
  async function makeLink(parameters: Parameters = {}): Promise<{ token: string; id: unknown }> {
    const { invite_link: link } = await ann().post('invites/multiuse', parameters);
    const found = (await listed()).find((each) => each['link_url'] === link);
    expect(found).toMatchObject({ is_multiuse: true, ref: 'Ann@example.com' });
    expect(found).not.toHaveProperty('email');
    return { token: String(link).split('/').at(-1) ?? '', id: found?.['id'] };
  }

  async function joinBy(link: string, email: string): Promise<JsonObject> {
    expect(await call(undefined, 'join/request', { email, token: link })).toEqual(success);
    return join(await tokenFor(email));
  }

  test('people join with a confirmed address, as often as it says', async () => {
    const { token } = await makeLink({ stream_ids: [open], uses_max: 2 });
    expect(await call(undefined, 'join/look', { token })).toEqual({
      ...success,
      organization: 'Example',
      email: null,
      full_name: null,
      inviter: 'Ann Lee',
      providers: [],
    });
    await expectRefusal(join(token), notValid);
    const joined = await joinBy(token, newAddress());
    expect(joined).toMatchObject(success);
    expect(await streamsOf(joined['user_id'])).toEqual([open]);
    const waiting = newAddress();
    await call(undefined, 'join/request', { email: waiting, token });
    const late = await tokenFor(waiting);
    expect(await joinBy(token, newAddress())).toMatchObject(success);
    await expectRefusal(join(late), notValid);
    await expectRefusal(call(undefined, 'join/request', { email: newAddress(), token }), notValid);
  });

  test('is for administrators, and revoked', async () => {
    for (const who of ['bob', 'gil'] as const)
      for (const path of ['invites/multiuse', 'invites/1/resend'])
        await expectRefusal(call(who, path), notAdministrator);
    const { token, id } = await makeLink();
    await ann().delete(`invites/multiuse/${String(id)}`);
    await expectRefusal(call(undefined, 'join/request', { email: newAddress(), token }), notValid);
    await expectRefusal(
      call('ann', 'invites/multiuse', { uses_max: 0 }),
      uncoded('Invalid uses_max'),
    );
  });

  test('ends when who made it is no administrator any more', async () => {
    const { person } = await organization.makePersonWithBot(`inviter${(count += 1)}`);
    const path = `users/${person.user.id}`;
    await ann().patch(path, { is_admin: true });
    const made = await organization.clientOf(person).post('invites/multiuse');
    const token = String(made['invite_link']).split('/').at(-1) ?? '';
    await ann().patch(path, { is_admin: false });
    await expectRefusal(joinBy(token, newAddress()), notValid);
    await ann().patch(path, { is_admin: true });
    expect(await joinBy(token, newAddress())).toMatchObject(success);
    await ann().patch(path, { is_admin: false });
  });

  test('an address with an account gets another mail, and the same answer', async () => {
    const { token } = await makeLink();
    const email = 'cat@example.com';
    const before = await listKeptMails(folder);
    expect(await call(undefined, 'join/request', { email, token })).toEqual(success);
    const { text, subject } = await readMail(folder, email, before);
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
    await expectRefusal(
      call(undefined, 'join/request', { email }),
      uncoded('You need an invitation to join this organization.'),
    );
    expect(await settings()).toMatchObject({ signup_enabled: false });
    await ann().patch('realm', { invite_required: false });
    expect(await settings()).toMatchObject({ signup_enabled: true });
    await ann().post('realm/domains', { domain: 'example.com', allow_subdomains: false });
    await ann().patch('realm', { emails_restricted_to_domains: true });
    await expectRefusal(
      call(undefined, 'join/request', { email: 'eve@elsewhere.example' }),
      uncoded("Email 'eve@elsewhere.example' not allowed in this organization"),
    );
    expect(await call(undefined, 'join/request', { email })).toEqual(success);
    const token = await tokenFor(email);
    await ann().patch('realm', { invite_required: true });
    await refusalOf(join(token));
    await ann().patch('realm', { invite_required: false });
    expect(await join(token)).toMatchObject(success);
  });
});
