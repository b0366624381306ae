/**
 * Notifications while the process that sends them dies between two steps: everybody is notified at least once, twice only where that is
 * counted, and nobody of what they may no longer see.
 */
import {
  FaultProxy,
  getTestStores,
  makeOrganization,
  openTestPool,
  processOf,
  startCluster,
  waitUntil,
} from '@parley/test-kit';
import type { Cluster, ServiceProcess, TestAccount, TestOrganization } from '@parley/test-kit';
import type { Pool } from '@parley/database';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { MailServer } from '../support/mail-server.ts';
import { PushService, PushSubscriber } from '../support/push-service.ts';
import { letTimeForMailsCome, untilLookedAt } from '../support/notifications.ts';

/** The connections by which the process notifies. */
const applications = ['parley notifications', 'parley mails'];

let cluster: Cluster;
let organization: TestOrganization;
let pool: Pool;
let mailServer: MailServer;
let pushService: PushService;
let postgres: FaultProxy;
let ann: TestAccount;
let made = 0;

beforeAll(async () => {
  postgres = await FaultProxy.start(getTestStores().databaseUrl);
  mailServer = await MailServer.start();
  pushService = await PushService.start();
  cluster = await startCluster({
    events: 0,
    presence: 0,
    people: 0,
    environment: {
      ...mailServer.settings,
      PARLEY_OUTGOING_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      NODE_EXTRA_CA_CERTS: pushService.caFile,
    },
  });
  organization = await makeOrganization(cluster);
  pool = openTestPool(cluster.settings.databaseUrl);
  ann = await organization.makeAccount('Ann Lee', { role: 'administrator' });
});
afterEach(async () => {
  // Only a test that failed leaves more than one, which would take part in the next.
  for (const left of cluster.findProcesses('people').slice(0, -1)) await left.kill();
});
afterAll(async () => {
  await pool?.end();
  await organization?.close();
  await cluster?.stop();
  await pushService?.stop();
  await mailServer?.stop();
  await postgres?.stop();
});

async function start(): Promise<ServiceProcess> {
  const started = await cluster.startAnother('people', {
    DATABASE_URL: postgres.through(cluster.settings.databaseUrl),
  });
  return processOf(started);
}

/** Somebody with a telephone, who is away. */
type Reader = { readonly account: TestAccount; readonly phone: PushSubscriber };

async function makeReader(name: string): Promise<Reader> {
  const account = await organization.makeAccount(`${name}${made} Ray`);
  const phone = new PushSubscriber(pushService);
  // The gateway learns of the process that has just begun a moment later.
  await waitUntil('the telephone is subscribed', async () => {
    const { status } = await account.client.request('POST', 'push_subscriptions', phone.target);
    return status === 200;
  });
  return { account, phone };
}

/** How often somebody was notified. */
function countsOf({ account, phone }: Reader): { readonly mails: number; readonly pushes: number } {
  const mails = mailServer.mails.filter(({ to }) => to.includes(account.email)).length;
  return { mails, pushes: phone.payloads.length };
}

/** Waits until Postgres has done what the killed process had asked for, and frees what that had claimed. */
async function lapseClaims(): Promise<void> {
  await waitUntil('the connections of the killed process have ended', async () => {
    const { rowCount } = await pool.query({
      text: 'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = ANY ($1::text[])',
      values: [applications],
    });
    return rowCount === 0;
  });
  for (const table of ['mails', 'push_subscriptions'])
    await pool.query(
      `UPDATE ${table} SET claimed_until = parley_now() WHERE claimed_until > parley_now()`,
    );
}

async function settle(): Promise<void> {
  await untilLookedAt(pool);
  await letTimeForMailsCome(pool);
  await waitUntil('nobody waits for a notification', async () => {
    const { rows } = await pool.query<{ done: boolean }>(
      `SELECT NOT EXISTS (SELECT 1 FROM messages_to_mail) AND NOT EXISTS (SELECT 1 FROM mails)
          AND NOT EXISTS (SELECT 1 FROM messages_to_push WHERE pushed_at IS NULL) AS done`,
    );
    return rows[0]?.done;
  });
  expect(pushService.faults).toEqual([]);
}

type Death = { readonly caught: Promise<void>; readonly release: () => void };

/** Holds a statement back, which Postgres then never receives. */
function atStatement(name: string): () => Death {
  return () => postgres.holdBack('to-server', (bytes) => bytes.includes(name));
}

/** Holds the answer of the server of mails back, which has the mail by then. */
function atMail({ account }: Reader): Death {
  const { promise: caught, resolve } = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  mailServer.atStep = async (step, value) => {
    if (step !== 'message' || !value.includes(account.email)) return;
    resolve();
    await end.promise;
  };
  return {
    caught,
    release: () => {
      mailServer.atStep = () => undefined;
      end.resolve();
    },
  };
}

/** Holds the answer of the push service back, which has the push by then. */
function atPush({ phone }: Reader): Death {
  const { promise: caught, resolve } = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  pushService.answer = async (path) => {
    if (path !== phone.path) return 201;
    resolve();
    await end.promise;
    return 201;
  };
  return {
    caught,
    release: () => {
      pushService.answer = () => 201;
      end.resolve();
    },
  };
}

/** Dies once the candidates are committed, and before they are due. */
function atCandidates(): Death {
  return { caught: untilLookedAt(pool), release: () => undefined };
}

type Point = {
  readonly place: string;
  readonly hold: (reader: Reader) => Death;
  /** The process is to be killed before it has looked at the message. */
  readonly isLooking?: true;
  /** An edit mentions the reader. */
  readonly isEdited?: true;
};

test.each<Point>([
  {
    place: 'before it looks at messages',
    hold: atStatement('store-look-at-messages'),
    isLooking: true,
  },
  {
    place: 'before the position moves',
    hold: atStatement('store-move-told-upto'),
    isLooking: true,
  },
  {
    place: 'before candidates are written',
    hold: atStatement('store-write-candidates'),
    isLooking: true,
  },
  {
    place: 'before pushes are due',
    hold: atStatement('store-wake-push-subscriptions'),
    isLooking: true,
  },
  {
    place: 'before the mentions of an edit are candidates',
    hold: atStatement('store-forget-added-mentions'),
    isLooking: true,
    isEdited: true,
  },
  { place: 'when the candidates are written', hold: atCandidates },
  { place: 'before candidates are taken', hold: atStatement('store-lock-mail-candidates') },
  { place: 'before mails are written', hold: atStatement('store-insert-mails') },
  { place: 'before candidates end', hold: atStatement('store-remove-mail-candidates') },
  { place: 'before a mail is claimed', hold: atStatement('store-claim-mail') },
  { place: 'before the answer to a mail', hold: atMail },
  { place: 'before a mail ends', hold: atStatement('store-remove-sent-mail') },
  { place: 'before pushes are claimed', hold: atStatement('store-claim-pushes') },
  {
    place: 'before it is judged who is notified',
    hold: atStatement('store-list-notification-facts'),
  },
  { place: 'before the answer to a push', hold: atPush },
  { place: 'before the answer to a push is noted', hold: atStatement('store-lock-push') },
  { place: 'before a push is released', hold: atStatement('store-release-push') },
])('killed $place', async ({ hold, isLooking, isEdited }) => {
  made += 1;
  // The one of the place before goes on here.
  const doomed = cluster.findProcesses('people').at(-1) ?? (await start());
  const [bob, cat] = [await makeReader('Bob'), await makeReader('Cat')];
  const name = `kiln${made}`;
  const members = [ann, bob.account, cat.account];
  const { id: to } = await organization.makeStream(name, members, { inviteOnly: true });
  const death = hold(bob);
  const content = `@**${bob.account.user.fullName}** and @**${cat.account.user.fullName}**, come`;
  const message = { type: 'stream', to, topic: 'fire', content: isEdited ? 'come' : content };
  const { id } = await ann.client.post('messages', message);
  if (isEdited) await ann.client.patch(`messages/${Number(id)}`, { content });
  if (isLooking !== true) {
    await untilLookedAt(pool);
    await letTimeForMailsCome(pool);
  }
  await death.caught;
  await doomed.kill('SIGKILL');
  // Postgres never receives what the proxy still holds.
  postgres.cut();
  death.release();
  await lapseClaims();
  await ann.client.unsubscribe(name, { principals: [cat.account.id] });
  const before = countsOf(cat);

  const next = await start();
  await settle();
  expect(countsOf(cat)).toEqual(before);
  const { mails, pushes } = countsOf(bob);
  expect([mails >= 1, pushes >= 1]).toEqual([true, true]);
  expect(mails - 1).toBeLessThanOrEqual(await next.readMetric('parley_mail_repeats_total'));
  expect(pushes - 1).toBeLessThanOrEqual(await next.readMetric('parley_push_repeats_total'));
});
