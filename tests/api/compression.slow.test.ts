/** Compressed answers in a browser: one that the gateway compresses, and two made of parts that were compressed earlier. */
import { existsSync } from 'node:fs';

import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startSmallOrganization } from './small-organization.ts';
import type { SmallOrganization } from './small-organization.ts';

const browserPath = '/usr/bin/chromium';
const messageCount = 40;

let organization: SmallOrganization;
let browser: Browser;
beforeAll(async () => {
  if (!existsSync(browserPath))
    throw new Error(
      `There is no ${browserPath}: \`apt-get install --no-install-recommends chromium\` installs it.`,
    );
  organization = await startSmallOrganization({ messages: 1, people: 1, events: 1, presence: 1 });
  // Chromium's sandbox does not run as root, which continuous integration uses.
  browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  await organization?.stop();
});

test('a browser reads pages, states and the presence of everybody', async () => {
  const bob = organization.client('bob');
  for (let n = 0; n < messageCount; n += 1)
    await bob.post('messages', {
      type: 'private',
      to: [organization.id('bob')],
      content: 'Ünïcode '.repeat(40),
    });
  for (const who of ['ann', 'bob', 'cat', 'gil'] as const)
    for (let n = 0; n < 16; n += 1)
      await organization.client(who).post('users/me/presence', {
        status: 'active',
        client: `client ${n} `.padEnd(30, 'x'),
        ping_only: true,
      });
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${organization.cluster.url}/api/docs`);
  const { user, apiKey } = organization.accounts.bob;
  const authorization = `Basic ${Buffer.from(`${user.email}:${apiKey}`).toString('base64')}`;
  const ask = (
    path: string,
    method: string,
    body: string | null,
  ): Promise<[string | null, string]> =>
    page.evaluate(
      async ([address, how, form, credentials]) => {
        const response = await fetch(`/api/v1/${address}`, {
          method: how,
          body: form,
          headers: {
            Authorization: credentials,
            'Content-Type': 'application/x-www-form-urlencoded',
          },
        });
        return [response.headers.get('content-encoding'), await response.text()] as [
          string | null,
          string,
        ];
      },
      [path, method, body, authorization] as const,
    );
  const answers = [
    await ask('messages?anchor=newest&num_before=100&num_after=0&narrow=%5B%5D', 'GET', null),
    await ask('register', 'POST', ''),
    await ask('users/me/presence', 'POST', 'status=active'),
  ];
  const members = answers.map(([encoding, text]) => {
    expect(encoding).toBe('gzip');
    return JSON.parse(text) as Readonly<Record<string, object>>;
  });
  expect(members[0]?.['messages']).toHaveLength(messageCount);
  expect(members[1]?.['realm_users']).toHaveLength(6);
  expect(Object.keys(members[2]?.['presences'] ?? {})).toHaveLength(4);
});
