import { generateKeyPairSync, randomBytes } from 'node:crypto';

import { systemClock } from '@parley/clock';
import { PushRunner, missedMailWriter, takeNewMessages } from '@parley/jobs';
import { createLogger } from '@parley/logging';
import { deriveKeySecrets } from '@parley/secrets';
import { waitUntil } from '@parley/test-kit';
import type { Cluster, ServiceProcess, TestAccount } from '@parley/test-kit';
import type { Pool } from '@parley/database';
import { Registry } from 'prom-client';

import { untilLookedAt } from '../../support/notifications.ts';
import { readCpuNs, readTreeCpuNs } from '../accounting.ts';
import { getOwn } from '../load-system.ts';
import type { LoadSystem } from '../load-system.ts';
import { makePeople } from '../make-people.ts';

/** Medians of the rounds, in microseconds of processor time. */
type Cost = { readonly node_us: number; readonly postgres_us: number };

export type NotificationsResult = {
  readonly subscribers: number;
  readonly away: number;
  readonly rounds: number;
  /** What gateway, `messages` and event nodes take for a send that notifies nobody, and for one that mentions all; with and without notifications beside them. */
  readonly send: Readonly<Record<'plain' | 'mention_of_all', SendCost>>;
  /** For each recipient. */
  readonly candidate: Cost;
  readonly decision_and_mail: Cost;
  readonly candidate_of_push: Cost;
  readonly decision_and_push: Cost;
};

type SendCost = {
  readonly services_us: number;
  readonly services_us_with_notifications: number;
  /** What a send costs with notifications, in relation to one without. */
  readonly ratio: number;
};

/** Mails are due only after the measurement, so nothing is sent to this address. */
const mails = {
  PARLEY_SMTP_URL: 'smtp+plain://127.0.0.1:9',
  PARLEY_MAIL_FROM: 'Parley <parley@chat.example>',
};
const plainSends = 200;
const mentions = 20;
const topic = 'load';
const activeShare = 0.1;

type Setting = {
  readonly pool: Pool;
  readonly cluster: Cluster<ServiceProcess>;
  readonly postgresPid: number;
  readonly sender: TestAccount;
  readonly streamId: number;
  readonly keySecret: string;
};

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

async function sendMany({ sender, streamId }: Setting, count: number, content: string) {
  for (let n = 0; n < count; n += 1)
    await sender.client.post('messages', { type: 'stream', to: streamId, topic, content });
}

/** Nobody waits for a notification. */
async function forgetAll({ pool }: Setting): Promise<void> {
  await pool.query('UPDATE told_upto SET message_id = (SELECT coalesce(max(id), 0) FROM messages)');
  for (const table of ['messages_to_mail', 'mails', 'messages_to_push'])
    await pool.query(`TRUNCATE ${table}`);
}

/** @returns what a send costs the services that are part of it, in microseconds */
async function costOfSends(
  setting: Setting,
  count: number,
  content: string,
  isNotifying: boolean,
): Promise<number> {
  const { cluster, pool } = setting;
  await forgetAll(setting);
  const notifier = isNotifying ? await cluster.startAnother('people', mails) : undefined;
  const pids = (['gateway', 'messages', 'events'] as const).flatMap((name) =>
    cluster.findProcesses(name).map(({ pid }) => pid),
  );
  const read = async (): Promise<number> =>
    (await Promise.all(pids.map(readCpuNs))).reduce((sum, ns) => sum + ns, 0);
  await sendMany(setting, count, content);
  const before = await read();
  await sendMany(setting, count, content);
  const took = (await read()) - before;
  if (notifier !== undefined) {
    await untilLookedAt(pool);
    await notifier.kill('SIGTERM');
  }
  return took / count / 1_000;
}

async function compareSends(
  setting: Setting,
  rounds: number,
  count: number,
  content: string,
): Promise<SendCost> {
  const without: number[] = [];
  const beside: number[] = [];
  for (let n = 0; n < rounds; n += 1) {
    without.push(await costOfSends(setting, count, content, false));
    beside.push(await costOfSends(setting, count, content, true));
  }
  return {
    services_us: round(median(without)),
    services_us_with_notifications: round(median(beside)),
    ratio: round(median(beside) / median(without)),
  };
}

/** @returns what one of the items costs that the work is done for */
async function costOf(
  { postgresPid }: Setting,
  items: number,
  work: () => Promise<unknown>,
): Promise<Cost> {
  const [node, postgres] = [process.cpuUsage(), await readTreeCpuNs(postgresPid, 'all')];
  await work();
  const { user, system } = process.cpuUsage(node);
  const postgresNs = (await readTreeCpuNs(postgresPid, 'all')) - postgres;
  return { node_us: (user + system) / items, postgres_us: postgresNs / 1_000 / items };
}

function medianCost(costs: readonly Cost[]): Cost {
  return {
    node_us: round(median(costs.map(({ node_us }) => node_us))),
    postgres_us: round(median(costs.map(({ postgres_us }) => postgres_us))),
  };
}

async function countOf({ pool }: Setting, table: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
  return rows[0]?.count ?? 0;
}

/** Everybody who is away has a telephone, at a push service that takes all at once. */
async function subscribeAway({ pool }: Setting): Promise<void> {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
    format: 'jwk',
  });
  const point = Buffer.concat([
    Buffer.from([4]),
    Buffer.from(x, 'base64url'),
    Buffer.from(y, 'base64url'),
  ]);
  await pool.query({
    text: `INSERT INTO push_subscriptions (user_id, endpoint, origin, p256dh, auth)
      SELECT u.id, 'https://push.example/' || u.id, 'https://push.example', $1, $2 FROM users u
      WHERE u.is_active AND u.bot_type IS NULL AND NOT EXISTS (SELECT 1 FROM presence p WHERE p.user_id = u.id)`,
    values: [point.toString('base64url'), randomBytes(16).toString('base64url')],
  });
}

async function pushAll({ pool, keySecret }: Setting): Promise<void> {
  const runner = new PushRunner({
    clock: systemClock,
    pool,
    keySecrets: deriveKeySecrets(keySecret),
    subject: 'https://chat.example',
    call: () =>
      Promise.resolve({ kind: 'answer', status: 201, text: '', retryAfter: undefined } as const),
    log: createLogger({ service: 'load', nodeId: 'load', level: 'silent' }),
    registry: new Registry(),
  });
  runner.start();
  await waitUntil(
    'all is pushed',
    async () => {
      const { rowCount } = await pool.query(
        'SELECT 1 FROM messages_to_push WHERE pushed_at IS NULL LIMIT 1',
      );
      return rowCount === 0;
    },
    { deadlineMs: 120_000, pauseMs: 100 },
  );
  await runner.stop();
}

/** The steps from one message that mentions all to its notifications, done here, where they can be measured one by one. */
async function costOfNotifications(setting: Setting, rounds: number) {
  const { pool, keySecret } = setting;
  const costs: Record<'candidates' | 'mails' | 'pushCandidates' | 'pushes', Cost[]> = {
    candidates: [],
    mails: [],
    pushCandidates: [],
    pushes: [],
  };
  const options = {
    clock: systemClock,
    pool,
    keySecrets: deriveKeySecrets(keySecret),
    publicUrl: 'https://chat.example',
    answerAddresses: undefined,
  };
  const mention = (): Promise<void> => sendMany(setting, 1, '@**all** hello');
  for (let n = 0; n < rounds; n += 1) {
    await forgetAll(setting);
    await mention();
    const taken = await costOf(setting, 1, () => takeNewMessages(pool, { mail: true }));
    const candidates = await countOf(setting, 'messages_to_mail');
    costs.candidates.push(each(taken, candidates));
    await pool.query('UPDATE messages_to_mail SET due_at = parley_now()');
    costs.mails.push(await costOf(setting, candidates, missedMailWriter(options)));
  }
  const away = await countOf(setting, 'mails');
  await subscribeAway(setting);
  for (let n = 0; n < rounds; n += 1) {
    await forgetAll(setting);
    await mention();
    const taken = await costOf(setting, 1, () => takeNewMessages(pool, { mail: false }));
    const candidates = await countOf(setting, 'messages_to_push');
    if (candidates !== away) throw new Error(`${candidates} pushes are due, and ${away} mails`);
    costs.pushCandidates.push(each(taken, candidates));
    costs.pushes.push(await costOf(setting, candidates, () => pushAll(setting)));
  }
  return { away, costs };
}

function each(whole: Cost, items: number): Cost {
  return { node_us: whole.node_us / items, postgres_us: whole.postgres_us / items };
}

/**
 * Measures what notifications cost: whether a send takes more while people are notified of it, and what each recipient of a message
 * to a large stream takes of whom nine of ten are away.
 *
 * @throws Error if not everybody who is away would be notified
 */
export async function measureNotifications(
  system: LoadSystem,
  options: { readonly audience: number; readonly rounds: number },
): Promise<NotificationsResult> {
  const { organization, cluster, stores } = getOwn(system, 'notifications');
  const { audience, rounds } = options;
  const sender = await organization.makeAccount('Sender of notifications', {
    role: 'administrator',
  });
  const stream = await organization.makeStream('notifications', [sender]);
  const people = await makePeople(organization, audience, 'notified');
  await organization.maker.subscribe(stream.id, people);
  const { pool } = organization.maker;
  // In the future, so that nobody becomes away meanwhile.
  await pool.query({
    text: `INSERT INTO presence (user_id, client, status, reported_at)
      SELECT id, 'website', 'active', parley_now() + interval '1 day' FROM unnest($1::integer[]) id`,
    values: [people.slice(0, Math.round(audience * activeShare))],
  });
  await pool.query('ANALYZE');
  const setting: Setting = {
    pool,
    cluster,
    postgresPid: stores.postgres.pid,
    sender,
    streamId: stream.id,
    keySecret: cluster.settings.keySecret,
  };
  const send = {
    plain: await compareSends(setting, rounds, plainSends, 'hello'),
    mention_of_all: await compareSends(setting, rounds, mentions, '@**all** hello'),
  };
  const { away, costs } = await costOfNotifications(setting, rounds);
  return {
    subscribers: audience,
    away,
    rounds,
    send,
    candidate: medianCost(costs.candidates),
    decision_and_mail: medianCost(costs.mails),
    candidate_of_push: medianCost(costs.pushCandidates),
    decision_and_push: medianCost(costs.pushes),
  };
}
