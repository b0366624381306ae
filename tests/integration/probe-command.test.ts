/** `parley probe`: from the command line to the event and back, and its report of a failure. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { SmallOrganization } from '../api/small-organization.ts';
import { runParley } from '../support/run-parley.ts';
import type { Ended } from '../support/run-parley.ts';

let organization: SmallOrganization;
let folder: string;

beforeAll(async () => {
  organization = await startSmallOrganization({ messages: 1, events: 1 });
  folder = await mkdtemp(join(tmpdir(), 'parley-probe-'));
});
afterAll(async () => {
  await organization?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function probe(apiKey: string, ...more: readonly string[]): Promise<Ended> {
  const file = join(folder, 'key');
  await writeFile(file, `${apiKey}\n`);
  const env = { PARLEY_PUBLIC_URL: organization.cluster.url };
  return runParley(env, ['probe', '--email', 'bob@example.com', '--key-file', file, ...more]);
}

test('a message goes only to its sender', async () => {
  const queue = await organization.client('ann').post('register', { event_types: ['message'] });
  const { apiKey } = organization.accounts.bob;
  const ended = await probe(apiKey, '--json');
  expect(ended).toMatchObject({ code: 0, error: '' });
  const { message_id: id, ...report } = JSON.parse(ended.out) as Record<string, unknown>;
  expect(report).toEqual({
    site: organization.cluster.url,
    sent_ms: expect.any(Number) as number,
    received_ms: expect.any(Number) as number,
  });
  const { messages } = await organization
    .client('bob')
    .get('messages', { anchor: id, num_before: 0, num_after: 0, apply_markdown: false });
  expect(messages).toMatchObject([{ id, content: 'probe', sender_email: 'bob@example.com' }]);
  const { events } = await organization.client('ann').get('events', {
    queue_id: queue['queue_id'],
    last_event_id: queue['last_event_id'],
    dont_block: true,
  });
  expect((events as { type: string }[]).filter(({ type }) => type === 'message')).toEqual([]);
  expect((await probe(apiKey)).out).toMatch(/ works: message \d+ was acknowledged after [\d.]+ ms/);
});

test('errors are printed without a stack, and never with the key', async () => {
  const key = 'x'.repeat(32);
  const refused = await probe(key);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.error).toMatch(/does not work: .*Invalid API key/);
  const away = await probe(key, '--site', 'http://127.0.0.1:1');
  expect(away.code).toBe(1);
  expect(away.error).toMatch(/http:\/\/127\.0\.0\.1:1 does not work: /);
  for (const { error } of [refused, away]) {
    expect(error).not.toContain(key);
    expect(error).not.toMatch(/^\s+at /m);
  }
  expect((await probe(key, '--site', 'nowhere')).code).toBe(2);
});
