/** Mails of a development server: the command has one written, the service puts it into the folder, and the gateway shows it. */
import { readdir } from 'node:fs/promises';

import { systemClock } from '@parley/clock';
import { settle, sharedMailFolder } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { movedClockOf } from '../support/moved-clock.ts';
import { environmentOf, parley, runParley } from '../support/run-parley.ts';
import type { Environment } from '../support/run-parley.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { SmallOrganization } from './small-organization.ts';

let folder: string;
let organization: SmallOrganization;
let env: Environment;
beforeAll(async () => {
  folder = sharedMailFolder();
  organization = await startSmallOrganization({
    people: 2,
    subscriptions: 0,
    presence: 0,
    environment: { PARLEY_MAIL_DIR: folder },
  });
  env = { ...environmentOf(organization.cluster.settings), PARLEY_MODE: 'development' };
});
afterAll(() => organization?.stop());

async function page(method = 'GET'): Promise<Response> {
  return fetch(`${organization.cluster.url}/dev/mails`, { method });
}

test('a mail goes to the folder once and is shown, and its words are no markup of the page', async () => {
  expect(await (await page()).text()).toContain('There are none yet.');
  await organization.pool.query({ text: `UPDATE realm SET name = '<b>Acme</b>'` });
  const sending = { ...env, PARLEY_MAIL_DIR: folder };
  await parley(sending, ['mail', 'test', 'ann@example.com']);
  // The command has the time of the machine.
  movedClockOf(organization.cluster).setTimeOfDay(systemClock.nowMs());
  await settle();
  expect((await runParley(env, ['mail', 'list'])).out).toMatch(/^No mail waits/);
  const response = await page();
  const shown = await response.text();
  expect(shown).toContain('ann@example.com');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
  expect(shown).not.toContain('<b>Acme');
  expect(shown).toContain('&lt;b&gt;Acme');
  expect(shown).toMatch(/<iframe sandbox /);
  expect(await readdir(folder)).toHaveLength(1);
  const head = await page('HEAD');
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect((await page('POST')).status).toBe(405);
});

test('the command refuses what is no address, and a server without mail', async () => {
  const wrong = await runParley({ ...env, PARLEY_MAIL_DIR: folder }, ['mail', 'test', 'ann']);
  expect(wrong).toMatchObject({ code: 1, out: '' });
  expect(wrong.error).toContain('ann is not an address');
  const without = await runParley(env, ['mail', 'test', 'ann@example.com']);
  expect(without).toMatchObject({ code: 1, out: '' });
  expect(without.error).toContain('PARLEY_SMTP_URL');
});

test('a mail that failed is listed with the reason', async () => {
  await organization.pool.query(
    `INSERT INTO mails (message_id, kind, recipient, expires_at, attempts, failed_at, last_error)
     VALUES (gen_random_uuid(), 'test', 'gone@example.com', parley_now(), 3, parley_now(), E'550 no such\\nperson')`,
  );
  const { out } = await runParley(env, ['mail', 'list']);
  expect(out).toMatch(
    /^FAILED .* test to "gone@example\.com", 3 attempt\(s\): "550 no such\\nperson"\n$/,
  );
  const { mails } = await parley(env, ['mail', 'list']);
  expect(mails).toMatchObject([{ recipient: 'gone@example.com', attempts: 3 }]);
});

test('parley check tries the way of mails', async () => {
  const look = async (change: Environment): Promise<string> =>
    (await runParley({ ...env, ...change }, ['check'])).out;
  expect(await look({ PARLEY_MAIL_DIR: folder })).toMatch(/ok +mail +kept in /);
  const smtp = { PARLEY_SMTP_URL: 'smtps://127.0.0.1:1', PARLEY_MAIL_FROM: 'a@b.example' };
  expect(await look(smtp)).toMatch(/FAULT +mail +.*ECONNREFUSED/);
  expect(await look({ PARLEY_SMTP_URL: 'smtp+plain://u:secret@mail.example' })).toMatch(
    /FAULT +configuration +PARLEY_SMTP_URL must not send a password/,
  );
  expect(await look({ PARLEY_SMTP_URL: 'smtps://mail.example' })).toMatch(
    /PARLEY_MAIL_FROM is required with PARLEY_SMTP_URL/,
  );
  expect(await look({ PARLEY_MAIL_DIR: folder, PARLEY_MODE: 'production' })).toMatch(
    /PARLEY_MAIL_DIR is for PARLEY_MODE=development only/,
  );
});
