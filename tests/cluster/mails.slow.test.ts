/** Mails while the processes that send them die between two steps: each comes at least once, and twice only under one Message-ID, counted. */
import { transaction } from '@parley/database';
import { deriveKeySecrets } from '@parley/auth/secrets';
import { insertMail } from '@parley/store';
import {
  FaultProxy,
  getTestStores,
  openTestPool,
  processOf,
  startCluster,
  waitUntil,
} from '@parley/test-kit';
import type { Cluster, ServiceNode, ServiceProcess } from '@parley/test-kit';
import type { Pool } from '@parley/database';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { MailServer, headerOf } from '../support/mail-server.ts';
import type { SmtpStep } from '../support/mail-server.ts';

let cluster: Cluster;
let pool: Pool;
let server: MailServer;
let postgres: FaultProxy;
beforeAll(async () => {
  postgres = await FaultProxy.start(getTestStores().databaseUrl);
  server = await MailServer.start();
  cluster = await startCluster({
    gateways: 0,
    events: 0,
    messages: 0,
    subscriptions: 0,
    presence: 0,
    people: 0,
    environment: {
      PARLEY_MODE: 'production',
      ...server.settings,
    },
  });
  pool = openTestPool(cluster.settings.databaseUrl);
});
afterEach(async () => {
  // Only a test that failed leaves more than one, which would take part in the next.
  for (const left of cluster.findProcesses('people').slice(0, -1)) await left.kill();
});
afterAll(async () => {
  await pool?.end();
  await cluster?.stop();
  await server?.stop();
  await postgres?.stop();
});

async function start(): Promise<ServiceProcess> {
  const started = await cluster.startAnother('people', {
    DATABASE_URL: postgres.through(cluster.settings.databaseUrl),
  });
  return processOf(started);
}

/** The process of the test before goes on. */
async function findOrStart(): Promise<ServiceNode> {
  return cluster.findProcesses('people').at(-1) ?? (await start());
}

async function write(recipient: string): Promise<void> {
  const secrets = deriveKeySecrets(cluster.settings.keySecret);
  await transaction(pool, (client) =>
    insertMail(client, secrets, {
      kind: 'hello',
      recipient,
      letter: JSON.stringify({ subject: ['Hello'], paragraphs: [['Hello.']], ending: ['A test.'] }),
      expiresInSecs: 3_600,
    }),
  );
}

/** A dead process' mail is free at once. */
async function lapseClaims(): Promise<void> {
  await waitUntil('Postgres has done what the killed process asked for', async () => {
    const { rowCount } = await pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'parley mails'`,
    );
    return rowCount === 0;
  });
  await pool.query(
    'UPDATE mails SET claimed_until = parley_now() WHERE claimed_until > parley_now()',
  );
}

async function settle(): Promise<void> {
  await waitUntil(
    'no mail waits',
    async () => (await pool.query('SELECT 1 FROM mails')).rowCount === 0,
  );
}

function mailsTo(recipient: string): readonly (string | undefined)[] {
  return server.mails
    .filter(({ to }) => to.includes(recipient))
    .map((mail) => headerOf(mail, 'message-id'));
}

type Death = { readonly caught: Promise<void>; readonly release: () => void };

/** Holds a statement back, which Postgres then never receives. */
function atStatement(name: string): Death {
  return postgres.holdBack('to-server', (bytes) => bytes.includes(name));
}

/** Holds the server's answer back. */
function atStep(held: SmtpStep): Death {
  const caught = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  server.atStep = async (step) => {
    if (step !== held) return;
    caught.resolve();
    await end.promise;
  };
  return {
    caught: caught.promise,
    release: () => {
      server.atStep = () => undefined;
      end.resolve();
    },
  };
}

test.each([
  { place: 'before the claim', hold: () => atStatement('store-claim-mail'), copies: 1, counted: 0 },
  { place: 'while it connects', hold: () => atStep('connect'), copies: 1, counted: 1 },
  { place: 'at the recipient', hold: () => atStep('recipient'), copies: 1, counted: 1 },
  { place: 'before the answer', hold: () => atStep('message'), copies: 2, counted: 1 },
  {
    place: 'before it is noted as sent',
    hold: () => atStatement('store-remove-sent-mail'),
    copies: 2,
    counted: 1,
  },
])('killed $place: $copies of it come, $counted counted as a repeat', async (each) => {
  const { place, hold, copies, counted } = each;
  const recipient = `${place.replaceAll(' ', '-')}@example.com`;
  const doomed = await findOrStart();
  const death = hold();
  await write(recipient);
  await death.caught;
  await doomed.kill('SIGKILL');
  // Postgres never receives what the proxy still holds.
  postgres.cut();
  death.release();
  await lapseClaims();
  const next = await start();
  await settle();
  const ids = mailsTo(recipient);
  expect(ids).toHaveLength(copies);
  expect(new Set(ids).size).toBe(1);
  expect(await next.readMetric('parley_mail_repeats_total')).toBe(counted);
});

test('a process that stops in the middle of a mail releases it to another one', async () => {
  const stopping = await findOrStart();
  const held = atStep('message');
  await write('stopped@example.com');
  await held.caught;
  await stopping.kill('SIGTERM');
  held.release();
  // Without waiting for the claim of the stopped process to lapse.
  await pool.query('UPDATE mails SET due_at = parley_now()');
  const next = await start();
  await settle();
  const ids = mailsTo('stopped@example.com');
  expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  expect(await next.readMetric('parley_mail_repeats_total')).toBe(1);
});
