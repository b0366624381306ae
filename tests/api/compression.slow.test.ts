/**
 * Compressed answers in curl, Python and a browser: one that the gateway compresses, and two made of parts that were compressed earlier.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { launchBrowser } from '../browser/chromium.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { SmallOrganization } from './small-organization.ts';

const run = promisify(execFile);
const outputMaxBytes = 64 * 1_048_576;
const messageCount = 40;

let organization: SmallOrganization;
let browser: Browser;
beforeAll(async () => {
  organization = await startSmallOrganization({
    time: 'flows',
    messages: 1,
    people: 1,
    events: 1,
    presence: 1,
  });
  const bob = organization.client('bob');
  for (let n = 0; n < messageCount; n += 1)
    await bob.post('messages', {
      type: 'private',
      to: [organization.id('bob')],
      content: 'Ünïcode '.repeat(40),
    });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await organization?.stop();
});

const authorizationOfBob = (): string =>
  organization.client('bob').credentials['authorization'] ?? '';

test.each([
  ['curl', ['curl', '-sS', '--compressed', '-H']],
  [
    'Python',
    [
      'python3',
      '-c',
      `import gzip, sys, urllib.request
name, _, value = sys.argv[1].partition(': ')
request = urllib.request.Request(sys.argv[2], headers={name: value, 'Accept-Encoding': 'gzip'})
with urllib.request.urlopen(request) as response:
    assert response.headers['Content-Encoding'] == 'gzip'
    sys.stdout.buffer.write(gzip.decompress(response.read()))`,
    ],
  ],
  [
    // Like urllib3, which most Python programs use for requests.
    'Python piece by piece',
    [
      'python3',
      '-c',
      `import sys, urllib.request, zlib
name, _, value = sys.argv[1].partition(': ')
request = urllib.request.Request(sys.argv[2], headers={name: value, 'Accept-Encoding': 'gzip, deflate'})
unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
with urllib.request.urlopen(request) as response:
    while piece := response.read(100):
        sys.stdout.buffer.write(unpacker.decompress(piece))
assert unpacker.eof and unpacker.unused_data == b''`,
    ],
  ],
])('a page of messages is read by %s', async (_who, [program = '', ...args]) => {
  const url = `${organization.cluster.url}/api/v1/messages?anchor=newest&num_before=1000&num_after=0&narrow=%5B%5D`;
  const words = [...args, `Authorization: ${authorizationOfBob()}`, url];
  const { stdout } = await run(program, words, { maxBuffer: outputMaxBytes });
  const { messages } = JSON.parse(stdout) as { messages: readonly { readonly content: string }[] };
  expect(messages).toHaveLength(messageCount);
  expect(messages[0]?.content).toContain('Ünïcode');
});

test('a browser reads pages, states and the presence of everybody', async () => {
  const crowd = await Promise.all(
    Array.from({ length: 30 }, (_, n) => organization.makePersonWithBot(`person${n}`)),
  );
  for (const { person } of crowd)
    for (const client of ['a', 'b', 'c', 'd'])
      await organization.clientOf(person).post('users/me/presence', {
        status: 'active',
        client: client.padEnd(30, 'x'),
        ping_only: true,
      });
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${organization.cluster.url}/api/docs`);
  const authorization = authorizationOfBob();
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
  expect(members[1]?.['realm_users']).toHaveLength(6 + 2 * crowd.length);
  expect(Object.keys(members[2]?.['presences'] ?? {})).toHaveLength(crowd.length + 1);
});
