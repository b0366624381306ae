/**
 * Answers by mail while a process that takes them dies, or Postgres is away: the relay hands such a mail over again, and it is posted once
 * (decision 0055).
 */
import type { Pool } from '@parley/database';
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
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';

import {
  answerAddressOf,
  answerAddressPattern,
  countAnswers,
  lmtpPortOf,
} from '../support/answers-by-mail.ts';
import { handOver, mailText } from '../support/relay.ts';

let postgres: FaultProxy;
let cluster: Cluster;
let organization: TestOrganization;
let pool: Pool;
let ann: TestAccount;
let bob: TestAccount;
let address: string;
/** The replica between whose steps something happens; another one has the stores to itself. */
let struck: ServiceProcess;
let made = 0;

beforeAll(async () => {
  postgres = await FaultProxy.start(getTestStores().databaseUrl);
  cluster = await startCluster({
    events: 0,
    people: 0,
    presence: 0,
    subscriptions: 0,
    environment: { PARLEY_MAIL_REPLY_ADDRESS: answerAddressPattern, PARLEY_LMTP_PORT: '0' },
  });
  organization = await makeOrganization(cluster);
  pool = openTestPool(cluster.settings.databaseUrl);
  ann = await organization.makeAccount('Ann Lee');
});
beforeEach(async () => {
  made += 1;
  bob = await organization.makeAccount(`Bob${made} Ray`);
  const { id } = await ann.client.post('messages', {
    type: 'private',
    to: [bob.id],
    content: 'The kiln is hot',
  });
  address = await answerAddressOf(pool, cluster.settings.keySecret, bob, Number(id));
  struck = processOf(
    await cluster.startAnother('messages', {
      DATABASE_URL: postgres.through(cluster.settings.databaseUrl),
    }),
  );
});
afterEach(async () => {
  postgres.refuse(false);
  await struck.kill('SIGKILL');
});
afterAll(async () => {
  await pool?.end();
  await organization?.close();
  await cluster?.stop();
  await postgres?.stop();
});

/** What Bob has written. */
async function textsOfBob(): Promise<string[]> {
  const { rows } = await pool.query<{ content: string }>(
    `SELECT content FROM messages WHERE sender_id = ${bob.id} ORDER BY id`,
  );
  return rows.map(({ content }) => content);
}

async function untilPosted(): Promise<void> {
  await waitUntil('the answer is committed', async () => (await textsOfBob()).length > 0);
}

/** A mail with a file. */
function mailOfBob(): string {
  const body = [
    '--mixed',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'I come',
    '--mixed',
    'Content-Type: text/plain; name=kiln.txt',
    'Content-Disposition: attachment; filename=kiln.txt',
    '',
    '1000 degrees',
    '--mixed--',
    '',
  ];
  return mailText({ 'Content-Type': 'multipart/mixed; boundary=mixed' }, body.join('\r\n'));
}

function handTo(port: number, mail: string): Promise<string[]> {
  return handOver(port, { from: 'bob@home.example', to: [address] }, mail);
}

/** A mail on its way to the struck replica, which has been caught at some step. */
type Caught = {
  /** The answers of LMTP, or the fault of the connection. */
  readonly outcome: Promise<unknown>;
  /** Lets go what is held. What was cut meanwhile does not arrive. */
  readonly release: () => void;
};

type Step = {
  readonly place: string;
  readonly isPosted: boolean;
  readonly reach: (mail: string) => Promise<Caught>;
};

function begin(mail: string, port = lmtpPortOf(struck)): Promise<unknown> {
  return handTo(port, mail).catch((error: unknown) => error);
}

/** Holds a statement back, which Postgres has not received. */
function before(statement: string): Step['reach'] {
  return async (mail) => {
    const held = postgres.holdBack('to-server', (bytes) => bytes.includes(statement));
    const outcome = begin(mail);
    await held.caught;
    return { outcome, release: held.release };
  };
}

/** Holds back what Postgres answers once it has the message. */
async function beforePostgresAnswers(mail: string): Promise<Caught> {
  let isSent = false;
  const seen = postgres.holdBack('to-server', (bytes) => {
    isSent ||= bytes.includes('send-messages');
    return false;
  });
  const held = postgres.holdBack('to-client', () => isSent);
  const outcome = begin(mail);
  await untilPosted();
  return {
    outcome,
    release: () => {
      seen.release();
      held.release();
    },
  };
}

/** The replica has answered, and the relay has not got it. */
async function beforeTheRelayKnows(mail: string): Promise<Caught> {
  const relay = await FaultProxy.start(`lmtp://127.0.0.1:${lmtpPortOf(struck)}`);
  onTestFinished(() => relay.stop());
  const held = relay.holdBack('to-client', (bytes) => bytes.includes('Posted'));
  const outcome = begin(mail, relay.port);
  await held.caught;
  return { outcome, release: () => relay.cut() };
}

/** Where the process waits for Postgres. */
const stepsInPostgres: readonly Step[] = [
  {
    place: 'before it asks whether the mail was posted',
    isPosted: false,
    reach: before('store-find-message-of-send-key'),
  },
  {
    place: 'before the message is sent, whose file is kept',
    isPosted: false,
    reach: before('send-messages'),
  },
  { place: 'before it knows of the commit', isPosted: true, reach: beforePostgresAnswers },
];

const posted = expect.stringMatching(/^I come\n\n\[kiln\.txt\]\(\/user_uploads\/\S+\)$/) as string;

const steps: readonly Step[] = [
  ...stepsInPostgres,
  { place: 'when it has answered', isPosted: true, reach: beforeTheRelayKnows },
];

test.each(steps)('killed $place: another replica posts the mail once', async (step) => {
  const mail = mailOfBob();
  const other = cluster.getProcess('messages', 0);
  const repeated = await countAnswers([other], 'repeated');
  const { outcome, release } = await step.reach(mail);
  await struck.kill('SIGKILL');
  postgres.cut();
  release();
  expect(await outcome).toBeInstanceOf(Error);
  expect(await textsOfBob()).toEqual(step.isPosted ? [posted] : []);

  expect(await handTo(lmtpPortOf(other), mail)).toEqual(['250']);
  expect(await textsOfBob()).toEqual([posted]);
  expect(await countAnswers([other], 'repeated')).toBe(repeated + (step.isPosted ? 1 : 0));
});

test.each(stepsInPostgres)('Postgres goes away $place: the relay comes again', async (step) => {
  const mail = mailOfBob();
  const { outcome, release } = await step.reach(mail);
  postgres.refuse(true);
  postgres.cut();
  release();
  const later = [expect.stringMatching(/^451 4\.3\.0/)];
  expect(await outcome).toEqual(later);
  expect(await handTo(lmtpPortOf(struck), mail)).toEqual(later);
  expect(await textsOfBob()).toEqual(step.isPosted ? [posted] : []);
  expect(await countAnswers([struck], 'failed')).toBe(2);

  postgres.refuse(false);
  expect(await handTo(lmtpPortOf(struck), mail)).toEqual(['250']);
  expect(await textsOfBob()).toEqual([posted]);
  expect(struck.end).toBeUndefined();
});

test('another replica gets the mail while the first one still works: it is posted once', async () => {
  const mail = mailOfBob();
  const { outcome, release } = await before('send-messages')(mail);
  expect(await handTo(lmtpPortOf(cluster.getProcess('messages', 0)), mail)).toEqual(['250']);
  release();
  expect(await outcome).toEqual(['250']);
  expect(await textsOfBob()).toEqual([posted]);
});
