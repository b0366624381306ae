/**
 * Whom a program removes by SCIM is out everywhere (decision 0052): at both replicas of every service, with all sessions, keys, polls and
 * streams, and so are the bots of the person.
 */
import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';

import { botTypes } from '@parley/api';
import { TestOrganization, startCluster, waitUntil } from '@parley/test-kit';
import type { Cluster, TestAccount } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { ScimClient } from '../api/scim-client.ts';
import { Browser, postFreshly } from '../support/browser.ts';
import type { BrowserAnswer } from '../support/browser.ts';

let cluster: Cluster;
let organization: TestOrganization;
let administrator: TestAccount;
let scim: ScimClient;

beforeAll(async () => {
  cluster = await startCluster({
    gateways: 2,
    people: 2,
    events: 2,
    presence: 0,
    messages: 0,
    subscriptions: 0,
  });
  organization = await TestOrganization.create(cluster.settings, () => cluster.gatewayUrls);
  administrator = await organization.makeAccount('Ada Admin', { role: 'administrator' });
  const { token } = await postFreshly(cluster.url, administrator.email, 'scim_tokens', {
    name: 'test',
  });
  scim = new ScimClient(cluster.gatewayUrls, String(token));
}, 120_000);

afterAll(async () => {
  await organization?.[Symbol.asyncDispose]();
  await cluster?.stop();
});

/** A session, or a key, at one gateway. */
type Entry = { readonly browser: Browser; readonly headers: Readonly<Record<string, string>> };

function withKey(url: string, { email, apiKey }: TestAccount): Entry {
  const credentials = Buffer.from(`${email}:${apiKey}`).toString('base64');
  return { browser: new Browser(url), headers: { authorization: `Basic ${credentials}` } };
}

function ask({ browser, headers }: Entry, method: string, path: string): Promise<BrowserAnswer> {
  return browser.call(method, path, { headers });
}

/** Every way in that the person and the bot have, at every gateway. */
async function enter(person: TestAccount, bot: TestAccount): Promise<Entry[]> {
  const entries = cluster.gatewayUrls.map(async (url) => {
    const browser = new Browser(url);
    expect((await browser.signIn(person.email)).status).toBe(200);
    return [{ browser, headers: {} }, withKey(url, person), withKey(url, bot)];
  });
  return (await Promise.all(entries)).flat();
}

async function register(entry: Entry): Promise<string> {
  const { body } = await ask(
    entry,
    'POST',
    'register?fetch_event_types=[]&event_types=["pointer"]',
  );
  return `queue_id=${String(body['queue_id'])}&last_event_id=${String(body['last_event_id'])}`;
}

/** @returns whether the answer ended, rather than the connection broke */
async function readToEnd(answer: IncomingMessage): Promise<boolean> {
  answer.resume();
  await new Promise((resolve) => answer.once('close', resolve));
  return answer.complete;
}

type Held = {
  readonly polls: readonly Promise<BrowserAnswer>[];
  readonly streams: readonly Promise<boolean>[];
};

async function hold(entries: readonly Entry[]): Promise<Held> {
  const queries = await Promise.all(entries.map(register));
  const streams = await Promise.all(
    entries.map(({ browser, headers }, n) =>
      browser.open('GET', `events/stream?${queries[n]}`, { headers }),
    ),
  );
  expect(streams.map(({ statusCode }) => statusCode)).toEqual(entries.map(() => 200));
  const polled = await Promise.all(entries.map(register));
  const polls = entries.map((entry, n) => ask(entry, 'GET', `events?${polled[n]}`));
  await waitUntil('all polls are held', async () => {
    const held = await Promise.all(
      cluster
        .findProcesses('gateway')
        .map((gateway) => gateway.readMetric('parley_gateway_held_polls')),
    );
    return held.reduce((sum, count) => sum + count, 0) === entries.length;
  });
  return { polls, streams: streams.map(readToEnd) };
}

test.each([
  {
    how: 'deactivated',
    remove: (id: number) =>
      scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
    takeBack: (id: number) =>
      scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true }),
  },
  {
    how: 'deleted',
    remove: (id: number) => scim.send('DELETE', `/Users/${id}`),
    takeBack: (_id: number, userName: string) =>
      scim.send('POST', '/Users', { userName, displayName: 'Kim Again' }),
  },
])('a person who is $how', async ({ how, remove, takeBack }) => {
  const person = await organization.makeAccount(`Kim ${how}`);
  const bot = await organization.makeAccount(`Bot of ${how}`, {
    botType: botTypes.generic,
    owner: person,
  });
  const entries = await enter(person, bot);
  const { polls, streams } = await hold(entries);

  expect((await remove(person.id)).status).toBeLessThan(300);
  // They end at once, not with a heartbeat.
  for (const poll of polls) expect((await poll).body['events'] ?? []).toEqual([]);
  expect(await Promise.all(streams)).toEqual(entries.map(() => true));
  const statuses = async (): Promise<number[]> =>
    Promise.all(entries.map(async (entry) => (await ask(entry, 'GET', 'users/me')).status));
  await waitUntil(
    'every gateway refuses sessions and keys',
    async () => (await statuses()).every((status) => status === 401),
    // A second, and some time for a busy machine.
  );

  expect(await takeBack(person.id, person.email)).toMatchObject({
    body: { id: String(person.id), active: true },
  });
  // The person comes back as after any other deactivation: with the same key, without the sessions, and without the bot.
  const [ofSession, ofKey, ofBot] = [401, 200, 401];
  const expected = cluster.gatewayUrls.flatMap(() => [ofSession, ofKey, ofBot]);
  await waitUntil('the key, and nothing else, is right again', async () =>
    isDeepStrictEqual(await statuses(), expected),
  );
});
