import { rm } from 'node:fs/promises';

import {
  DeliveryLedger,
  QueueFollower,
  makeOrganization,
  serviceNames,
  startCluster,
  waitUntil,
} from '@parley/test-kit';
import type { Cluster, TestOrganization } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { EventStreamReader } from '../cluster/event-stream-reader.ts';
import { readAlerts, readPanels, readRecordings, withoutBound } from '../deploy/monitoring.ts';
import { makeMailFolder } from '../support/kept-mails.ts';
import { Prometheus, runPromtool } from './prometheus.ts';

/** Series that exist only after a failure, or after actions that this test does not take. */
const emptyInPeace: Readonly<Record<string, string>> = {
  parley_gateway_moved_polls_total: 'no event node goes, and none is so busy that its lease lapses',
  parley_gateway_upstream_retries_total: 'no process is away',
  parley_mail_answers_total: 'mails cannot be answered here',
  parley_mail_repeats_total: 'every mail is taken at the first attempt',
  'parley_mails_total{outcome=~"refused|given up"}': 'and none is refused',
  parley_pushes_total: 'nobody has a browser that takes pushes',
};

const mailFolder = makeMailFolder();
let cluster: Cluster | undefined;
let organization: TestOrganization | undefined;
let prometheus: Prometheus | undefined;
const followers: QueueFollower[] = [];
let stream: EventStreamReader | undefined;

function isEmptyInPeace(expr: string): boolean {
  return Object.keys(emptyInPeace).some((name) => expr.includes(name));
}

/** Queries like the dashboard and the rules, but over the few seconds of this test. */
function forSeconds(expr: string): string {
  return expr.replaceAll('$__rate_interval', '1m');
}

async function scrapes(): Promise<number> {
  const [sample] = (await prometheus?.query('min(count_over_time(up{job="parley"}[10m]))')) ?? [];
  return Number(sample?.value ?? 0);
}

beforeAll(async () => {
  // Without mail there are no metrics of it.
  cluster = await startCluster({ events: 2, environment: { PARLEY_MAIL_DIR: mailFolder } });
  organization = await makeOrganization(cluster);
  const processes = serviceNames.flatMap((name) => cluster?.findProcesses(name) ?? []);
  prometheus = await Prometheus.start(
    processes.map(({ internalUrl }) => new URL(internalUrl).host),
  );
  const [ann, ben, cat] = await organization.makeAccounts(['Ann Lee', 'Ben Moe', 'Cat Nye']);
  if (ann === undefined || ben === undefined || cat === undefined)
    throw new Error('nobody is here');
  await organization.makeStream('watched', [ann, ben, cat]);
  const ledger = new DeliveryLedger();
  for (const { client, id } of [ann, ben])
    followers.push(await QueueFollower.open(client, id, ledger));
  const queue = await cat.client.post('register', { event_types: ['message'] });
  stream = await EventStreamReader.open(cat.client, {
    queueId: queue['queue_id'] as string,
    lastEventId: queue['last_event_id'] as number,
  });
  await waitUntil('all processes were scraped', async () => (await scrapes()) >= 2);
  // Spread over several scrapes, so that rates see growth.
  const sentFrom = await scrapes();
  await ann.client.post('password_reset', { email: ann.email });
  for (let n = 0; (await scrapes()) < sentFrom + 5; n += 1) {
    await ann.client.sendToStream('watched', 'figures', `Number ${n}`);
    await ben.client.post('users/me/presence', { status: 'active' });
    const subscriptions = [{ name: `made ${n}` }];
    await cat.client.post('users/me/subscriptions', { subscriptions });
    // The notice is a side effect.
    await cat.client.post('users/me/subscriptions', { subscriptions, principals: [ben.email] });
    await cat.client.get('messages', { anchor: 'newest', num_before: 5, num_after: 0 });
  }
  const after = await scrapes();
  await waitUntil('what was done is scraped', async () => (await scrapes()) >= after + 3);
}, 300_000);

afterAll(async () => {
  await Promise.all(followers.map((follower) => follower.stop()));
  stream?.close();
  await prometheus?.stop();
  await organization?.close();
  await cluster?.stop();
  await rm(mailFolder, { recursive: true });
}, 60_000);

test('promtool accepts the configuration and the rules, and their tests pass', async () => {
  expect(await runPromtool(['check', 'config', 'prometheus.yaml'])).toContain('SUCCESS');
  expect(await runPromtool(['test', 'rules', 'alerts.test.yaml'])).toContain('SUCCESS');
});

test('every query of the dashboard returns data', async () => {
  const targets = readPanels().flatMap(({ title, targets: queries = [] }) =>
    queries.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
  );
  expect(targets.length).toBeGreaterThan(40);
  for (const { title, expr, legendFormat } of targets) {
    const found = await prometheus?.query(forSeconds(expr));
    if (!isEmptyInPeace(expr)) expect(found?.length, `${title}: ${expr}`).toBeGreaterThan(0);
    // Each label in a legend exists in the results.
    for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
      for (const { metric } of found ?? [])
        expect(Object.keys(metric), `${title}: ${legendFormat}`).toContain(label);
  }
});

test('activity is visible: messages, deliveries, held polls, a stream', async () => {
  const valueOf = async (expr: string): Promise<number> => {
    const [sample] = (await prometheus?.query(expr)) ?? [];
    return Number(sample?.value);
  };
  expect(await valueOf('parley:sends:rate5m')).toBeGreaterThan(0);
  expect(await valueOf('parley:events_delivered:rate5m')).toBeGreaterThan(0);
  await waitUntil(
    'both polls are held',
    async () => (await valueOf('sum(parley_event_polls_held)')) === 2,
  );
  // An event stream ends when a busy node loses its lease, and nothing reopens this one, but its bytes stay counted.
  expect(stream?.status).toBe(200);
  expect(await valueOf('sum(parley_gateway_stream_bytes_total)')).toBeGreaterThan(0);
  // One process of each service, and a second event node.
  expect(await valueOf('count(parley_build_info)')).toBe(serviceNames.length + 1);
  expect(await valueOf('min(parley_redis_connected)')).toBe(1);
  expect(await valueOf('sum(parley_event_poll_hold_seconds_count)')).toBeGreaterThan(0);
  expect(await valueOf('sum(parley_log_hint_delay_seconds_count)')).toBeGreaterThan(0);
});

test('every rule runs, recording rules record, and no alert fires in a healthy system', async () => {
  const rules = (await prometheus?.rules()) ?? [];
  for (const { name, health, lastError } of rules)
    expect(`${name} ${health} ${lastError ?? ''}`.trim()).toBe(`${name} ok`);
  for (const { record } of readRecordings())
    expect((await prometheus?.query(record))?.length, `samples of ${record}`).toBeGreaterThan(0);
  expect(rules.filter(({ state }) => state === 'firing').map(({ name }) => name)).toEqual([]);
  expect(rules.filter(({ type }) => type === 'alerting')).toHaveLength(readAlerts().length);
});

test('the metrics of each alert exist, so that silence has a meaning', async () => {
  const unseen: string[] = [];
  for (const { alert, expr } of readAlerts()) {
    // That alert looks for missing services, and none is missing here.
    if (alert === 'ParleyServiceAbsent' || isEmptyInPeace(expr)) continue;
    const found = await prometheus?.query(withoutBound(expr) ?? expr);
    if (found === undefined || found.length === 0) unseen.push(`${alert}: ${expr}`);
  }
  expect(unseen).toEqual([]);
});

test('a dead process and a service without processes are noticed', async () => {
  await cluster?.kill('subscriptions', 0, 'SIGKILL');
  await waitUntil('Prometheus notices', async () => {
    const states = (await prometheus?.rules()) ?? [];
    return ['ParleyProcessDown', 'ParleyServiceAbsent'].every((name) =>
      states.some((rule) => rule.name === name && rule.state === 'pending'),
    );
  });
});
