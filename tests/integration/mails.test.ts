/** Mails on real stores and a real SMTP server: sent once, kept while it does not work, refused for good, and never more than a mail. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MovedClock, systemClock } from '@parley/clock';
import { Secret } from '@parley/config';
import type { MailConfig } from '@parley/config';
import { transaction } from '@parley/database';
import type { Pool } from '@parley/database';
import { MailRunner } from '@parley/outgoing/jobs';
import { createLogger } from '@parley/telemetry/logging';
import { MailNotSent, openMailTransport, quote } from '@parley/outgoing/mail';
import type { Letter } from '@parley/outgoing/mail';
import { deriveKeySecrets } from '@parley/auth/secrets';
import { claimMail, failLeftMails, insertMail, listMails } from '@parley/store';
import type { ListedMail } from '@parley/store';
import { createTestDatabase, getTestStores, openTestPool, waitUntil } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { makeCertificates } from '../support/certificates.ts';
import { MailServer, headerOf, smtpRefusal } from '../support/mail-server.ts';
import type { SmtpStep } from '../support/mail-server.ts';

const log = createLogger({ service: 'test', nodeId: 'test', level: 'silent' });
const keySecrets = deriveKeySecrets('k'.repeat(32));
const from = Object.freeze({ name: 'Parley, test', address: 'parley@chat.example' });
const hourSecs = 3_600;
/** How long one attempt to send a mail may take. */
const attemptMaxMs = 100_000;

let database: TestDatabase;
let pool: Pool;
let clock: MovedClock;
const runners: MailRunner[] = [];
beforeEach(async () => {
  clock = new MovedClock();
  database = await createTestDatabase();
  pool = openTestPool(database.url, 8);
});
afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.stop();
  await pool.end();
  await database.drop();
});

function letterOf(name: string): Letter {
  return {
    subject: [quote(name), ' says hello'],
    paragraphs: [[quote(name), ' says hello.']],
    action: { label: 'Answer', url: 'https://chat.example/#answer' },
    ending: ['You get this in a test.'],
  };
}

async function write(
  recipient: string,
  letter = JSON.stringify(letterOf('Ann Lee')),
  secrets = keySecrets,
): Promise<void> {
  await transaction(pool, (client) =>
    insertMail(client, secrets, { kind: 'hello', recipient, letter, expiresInSecs: hourSecs }),
  );
}

async function startServer(options?: Parameters<typeof MailServer.start>[0]): Promise<MailServer> {
  const server = await MailServer.start(options);
  onTestFinished(() => server.stop());
  return server;
}

function plainTo({ port }: { readonly port: number }): MailConfig {
  return {
    from,
    by: { kind: 'smtp', url: new Secret(`smtp+plain://127.0.0.1:${port}`), ca: undefined },
  };
}

/** Starts the jobs of one process. */
function run(config: MailConfig, prefix = `test-${randomBytes(4).toString('hex')}`): Registry {
  const registry = new Registry();
  const runner = new MailRunner({
    clock,
    pool,
    redis: { url: new Secret(getTestStores().redisUrl), prefix, commandTimeoutMs: 2_000 },
    keySecrets,
    answerAddresses: undefined,
    publicUrl: 'https://chat.example',
    transport: openMailTransport(config, clock),
    log,
    registry,
  });
  runner.start();
  runners.push(runner);
  return registry;
}

/** Lets all processes begin with what is due. */
async function beginWithDueMails(): Promise<void> {
  await Promise.all(runners.map((runner) => runner.settle()));
}

async function countOf(registry: Registry, name: string, outcome?: string): Promise<number> {
  const found = await registry.getSingleMetric(name)?.get();
  return (found?.values ?? [])
    .filter(({ labels }) => outcome === undefined || labels['outcome'] === outcome)
    .reduce((sum, { value }) => sum + value, 0);
}

async function untilListed(
  holds: (mails: readonly ListedMail[]) => boolean,
): Promise<ListedMail[]> {
  return waitUntil('the list of mails is as wanted', async () => {
    await beginWithDueMails();
    const mails = await listMails(pool, 100);
    return holds(mails) ? mails : undefined;
  });
}

const isEmpty = (mails: readonly ListedMail[]): boolean => mails.length === 0;

/** Repeats that wait for their time are due now. */
async function letTimeCome(): Promise<void> {
  await pool.query('UPDATE mails SET due_at = parley_now() WHERE claimed_until < parley_now()');
}

test('a mail of a committed transaction comes once, whichever of two processes sends it', async () => {
  const server = await startServer();
  const prefix = `test-${randomBytes(4).toString('hex')}`;
  const registries = [run(plainTo(server), prefix), run(plainTo(server), prefix)];
  const recipients = Array.from({ length: 10 }, (_, n) => `person${n}@example.com`);
  await Promise.all(recipients.map((recipient) => write(recipient)));
  await expect(
    transaction(pool, async (client) => {
      const mail = { kind: 'hello', recipient: 'no@example.com', letter: '{}', expiresInSecs: 9 };
      await insertMail(client, keySecrets, mail);
      throw new Error('the change fails');
    }),
  ).rejects.toThrow('the change fails');
  await untilListed(isEmpty);
  expect(server.mails.flatMap(({ to }) => to).toSorted()).toEqual(recipients.toSorted());
  const sent = await Promise.all(
    registries.map((each) => countOf(each, 'parley_mails_total', 'sent')),
  );
  expect(sent[0] ?? 0).toBe(10 - (sent[1] ?? 0));
  for (const registry of registries)
    expect(await countOf(registry, 'parley_mail_repeats_total')).toBe(0);
  const [mail] = server.mails;
  if (mail === undefined) throw new Error('no mail came');
  expect(mail.from).toBe('parley@chat.example');
  expect(headerOf(mail, 'from')).toBe('"Parley, test" <parley@chat.example>');
  expect(headerOf(mail, 'message-id')).toMatch(/^<[0-9a-f-]{36}@chat\.example>$/);
  expect(headerOf(mail, 'auto-submitted')).toBe('auto-generated');
  expect(headerOf(mail, 'content-type')).toMatch(/^multipart\/alternative;/);
  expect(mail.raw).toMatch(/Content-Type: text\/plain[\s\S]+Content-Type: text\/html/);
  expect(new Set(server.mails.map((each) => headerOf(each, 'message-id'))).size).toBe(10);
});

test('what the database stores of a waiting mail reveals nothing of its text', async () => {
  await write('ann@example.com', JSON.stringify(letterOf('a link with a token')));
  const { rows } = await pool.query<{ row: string }>('SELECT m::text AS row FROM mails m');
  expect(rows[0]?.row).toContain('ann@example.com');
  expect(Buffer.from(rows[0]?.row ?? '').includes('token')).toBe(false);
  expect(rows[0]?.row).not.toContain(Buffer.from('token').toString('hex'));
});

test('a server that is busy or down gets the mail later, under the same Message-ID', async () => {
  const server = await startServer();
  const ids: (string | undefined)[] = [];
  server.atStep = (step, value) => {
    if (step === 'recipient' && ids.length === 0) throw smtpRefusal(451, 'greylisted');
    if (step === 'message') ids.push(headerOf({ raw: value }, 'message-id'));
    if (step === 'message' && ids.length === 1) throw smtpRefusal(452, 'disk is full');
  };
  const registry = run(plainTo(server));
  await write('ann@example.com');
  const [first] = await untilListed(([mail]) => mail?.lastError?.includes('greylisted') === true);
  expect(first).toMatchObject({ attempts: 1, failedAt: null, kind: 'hello' });
  ids.push('a place for the refused one');
  ids.splice(0);
  server.atStep = (step, value) => {
    if (step !== 'message') return;
    ids.push(headerOf({ raw: value }, 'message-id'));
    if (ids.length === 1) throw smtpRefusal(452, 'disk is full');
  };
  await letTimeCome();
  await untilListed(([mail]) => mail?.lastError?.includes('disk is full') === true);
  await letTimeCome();
  await untilListed(isEmpty);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
  expect(await countOf(registry, 'parley_mails_total', 'failed')).toBe(2);
  // The server said each time that it had not taken the mail.
  expect(await countOf(registry, 'parley_mail_repeats_total')).toBe(0);
});

test('waits grow, and a mail that is of no more use is given up', async () => {
  const { port } = (await closedServer()).address;
  const registry = run(plainTo({ port }));
  await write('ann@example.com');
  const waits: number[] = [];
  for (let attempts = 1; attempts <= 3; attempts += 1) {
    await untilListed(([mail]) => mail?.attempts === attempts && mail.lastError !== null);
    const { rows } = await pool.query<{ secs: number }>(
      `SELECT extract(epoch FROM due_at - parley_now())::float8 AS secs FROM mails WHERE claimed_until = '-infinity'`,
    );
    waits.push(rows[0]?.secs ?? 0);
    await pool.query(`UPDATE mails SET last_error = NULL`);
    await letTimeCome();
  }
  expect(waits[1]).toBeGreaterThan(5);
  expect(waits[2]).toBeGreaterThan(10);
  await pool.query(`UPDATE mails SET expires_at = parley_now()`);
  await letTimeCome();
  const [failed] = await untilListed(([mail]) => mail?.failedAt instanceof Date);
  expect(failed).toMatchObject({ recipient: 'ann@example.com', kind: 'hello' });
  expect(failed?.lastError).toContain('of use');
  expect(await countOf(registry, 'parley_mails_total', 'given up')).toBe(1);
  const { rows } = await pool.query('SELECT 1 FROM mails WHERE letter_encrypted IS NOT NULL');
  expect(rows).toEqual([]);
});

const long = `no\0pe ${'x'.repeat(100_000)}`;

test.each<[server: string, SmtpStep, code: number, answer: string, outcome: string]>([
  ['that refuses the recipient', 'recipient', 550, 'never', 'is given up'],
  ['that refuses the message', 'message', 554, 'never', 'is given up'],
  ['that does not know the sender, which the operator can mend', 'sender', 550, 'who', 'waits'],
  ['whose answer is about the session (503)', 'recipient', 503, 'not like this', 'waits'],
  ['whose answer is about the session (530)', 'recipient', 530, 'not like this', 'waits'],
  ['whose answer is about the session (535)', 'recipient', 535, 'not like this', 'waits'],
  ['with a long and strange answer for now', 'recipient', 451, long, 'waits'],
  ['with a long and strange answer for good', 'recipient', 550, long, 'is given up'],
])(
  'of a mail for a server %s is listed what becomes of it, and why',
  async (_server, ...answered) => {
    const [at, code, answer, outcome] = answered;
    const server = await startServer();
    server.atStep = (step) => {
      if (step === at) throw smtpRefusal(code, answer);
    };
    const registry = run(plainTo(server));
    await write('ann@example.com');
    const [mail] = await untilListed(([each]) => typeof each?.lastError === 'string');
    expect(mail).toMatchObject({ attempts: 1 });
    expect(mail?.lastError).toContain(answer === long ? 'no pe' : answer);
    expect(mail?.lastError?.length).toBeLessThan(1_000);
    const isGivenUp = outcome === 'is given up';
    expect(mail?.failedAt instanceof Date).toBe(isGivenUp);
    expect(await countOf(registry, 'parley_mails_total', 'refused')).toBe(isGivenUp ? 1 : 0);
  },
);

test('a mail whose answer was lost is sent again under its Message-ID, and counted', async () => {
  const server = await startServer();
  const held = Promise.withResolvers<void>();
  onTestFinished(() => held.resolve());
  server.atStep = async (step) => {
    if (step === 'message' && server.mails.length === 1) await held.promise;
  };
  await write('ann@example.com');
  // A process that dies has claimed it, and leaves no outcome.
  const { rows } = await pool.query<{ id: number }>('SELECT id FROM mails');
  const id = rows[0]?.id ?? 0;
  expect(await claimMail(pool, keySecrets, id, 60)).toMatchObject({ mayHaveArrived: false });
  expect(await claimMail(pool, keySecrets, id, 60)).toBeUndefined();
  await pool.query('UPDATE mails SET claimed_until = parley_now()');
  server.atStep = () => undefined;
  const registry = run(plainTo(server));
  await untilListed(isEmpty);
  expect(server.mails).toHaveLength(1);
  expect(await countOf(registry, 'parley_mail_repeats_total')).toBe(1);
});

test('an answer to the message that is neither yes nor no counts as a mail that may have arrived', async () => {
  const server = await startServer();
  server.atStep = (step) => {
    if (step === 'message' && server.mails.length === 1) throw smtpRefusal(354, 'go on');
  };
  const registry = run(plainTo(server));
  await write('ann@example.com');
  await untilListed(([mail]) => mail?.lastError?.includes('go on') === true);
  await letTimeCome();
  await untilListed(isEmpty);
  expect(server.mails).toHaveLength(2);
  expect(await countOf(registry, 'parley_mail_repeats_total')).toBe(1);
});

test('an attempt ends before its claim, however the server draws it out', async () => {
  const server = await startServer();
  const held = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  onTestFinished(() => held.resolve());
  server.atStep = async (step) => {
    if (step !== 'message') return;
    reached.resolve();
    await held.promise;
  };
  run(plainTo(server));
  await write('ann@example.com');
  await beginWithDueMails();
  await reached.promise;
  const { rows } = await pool.query<{ secs: number }>(
    'SELECT extract(epoch FROM claimed_until - parley_now())::float8 AS secs FROM mails',
  );
  expect(1_000 * (rows[0]?.secs ?? 0)).toBeGreaterThan(attemptMaxMs);
  await clock.advance(attemptMaxMs - 1);
  expect(await listMails(pool, 100)).toMatchObject([{ lastError: null }]);
  await clock.advance(1);
  await untilListed(([mail]) => mail?.lastError?.includes('aborted') === true);
});

test('a letter that this version cannot read waits for one that can, and is listed with the reason', async () => {
  const server = await startServer();
  const registry = run(plainTo(server));
  await write('ann@example.com', '{"subject":');
  const [waiting] = await untilListed(([mail]) => typeof mail?.lastError === 'string');
  expect(waiting).toMatchObject({ attempts: 1, failedAt: null });
  expect(await countOf(registry, 'parley_mails_total', 'failed')).toBe(1);
  expect(await countOf(registry, 'parley_mail_repeats_total')).toBe(0);
});

test('a mail that another key secret wrote is given up, and stays in the list', async () => {
  const server = await startServer();
  const other = deriveKeySecrets('other'.repeat(8));
  await write('ann@example.com', JSON.stringify(letterOf('Ann')), other);
  run(plainTo(server));
  const [failed] = await untilListed(([mail]) => mail?.failedAt instanceof Date);
  expect(failed?.lastError).toContain('PARLEY_KEY_SECRET');
  expect(server.mails).toEqual([]);
});

test('mails that are left when none are sent any more wait while they are of use, and are given up then', async () => {
  await write('old@example.com');
  await write('');
  await pool.query(`UPDATE mails SET expires_at = parley_now() - interval '3 hours'`);
  await write('ann@example.com');
  expect(await failLeftMails(pool, 'nothing sends it')).toBe(1);
  expect(await failLeftMails(pool, 'nothing sends it')).toBe(0);
  const listed = await listMails(pool, 100);
  expect(listed).toMatchObject([
    { recipient: 'old@example.com', lastError: 'nothing sends it' },
    { recipient: 'ann@example.com', lastError: null },
  ]);
  expect(listed.map(({ failedAt }) => failedAt !== null)).toEqual([true, false]);
  const { rows } = await pool.query(
    'SELECT recipient FROM mails WHERE letter_encrypted IS NOT NULL',
  );
  expect(rows).toEqual([{ recipient: 'ann@example.com' }]);
  const server = await startServer();
  run(plainTo(server));
  await untilListed((mails) => mails.length === 1);
  expect(server.mails.map(({ to }) => to)).toEqual([['ann@example.com']]);
});

/** A port where nobody listens. */
async function closedServer(): Promise<{ readonly address: AddressInfo }> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { address };
}

describe('nothing that people write becomes a header, a recipient or a command', () => {
  test.each([
    'Ann\r\nBcc: eve@evil.example',
    'Ann\nTo: eve@evil.example\n\nbody',
    'Ann\r\n.\r\nMAIL FROM:<eve@evil.example>\r\n',
    '=?utf-8?q?Ann=0D=0ABcc:_eve@evil.example?=',
    'Ann <eve@evil.example>, Bob',
    '\u{0}\u{7f}Ann\u{2028}Bcc: eve@evil.example',
  ])('%j', async (name) => {
    const server = await startServer();
    const mail = {
      id: '11111111-2222-3333-4444-555555555555',
      kind: 'hello',
      recipient: 'ann@example.com',
      createdAt: new Date(),
      letter: letterOf(name),
    };
    await openMailTransport(plainTo(server), systemClock).send(mail);
    expect(server.mails).toHaveLength(1);
    const [received] = server.mails;
    if (received === undefined) throw new Error('no mail came');
    expect(received.to).toEqual(['ann@example.com']);
    expect(headerOf(received, 'to')).toBe('ann@example.com');
    for (const header of ['bcc', 'cc', 'reply-to'])
      expect(headerOf(received, header)).toBeUndefined();
    const [head = ''] = received.raw.split('\r\n\r\n');
    const names = head.split('\r\n').filter((line) => !/^[ \t]/.test(line));
    expect(names.map((line) => String(line.split(':')[0])).toSorted()).toEqual(
      [
        'Auto-Submitted',
        'Content-Type',
        'Date',
        'From',
        'MIME-Version',
        'Message-ID',
        'Subject',
        'To',
      ].toSorted(),
    );
    // It quotes the words, and shows what is encoded in them as it stands.
    expect(headerOf(received, 'subject')?.startsWith('=?UTF-8?')).toBe(true);
  });
});

describe('TLS and passwords', () => {
  async function certified(name: string) {
    const folder = await mkdtemp(join(tmpdir(), 'parley-mail-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const files = await makeCertificates(folder, name);
    const [cert, key, ca] = await Promise.all(
      [files.certFile, files.keyFile, files.caFile].map((path) => readFile(path, 'utf8')),
    );
    return { cert, key, ca };
  }

  function configOf(url: string, ca?: string): MailConfig {
    return { from, by: { kind: 'smtp', url: new Secret(url), ca } };
  }

  const onAuth: NonNullable<Parameters<typeof MailServer.start>[0]>['onAuth'] = (
    { username, password },
    _session,
    done,
  ) => {
    if (username === 'ann' && password === 'p@ss') done(null, { user: 'ann' });
    else done(smtpRefusal(535, 'wrong password'));
  };

  async function outcomeOf(config: MailConfig): Promise<string> {
    try {
      return await openMailTransport(config, systemClock).verify();
    } catch (error) {
      expect(error).toBeInstanceOf(MailNotSent);
      return String(error);
    }
  }

  test('smtps speaks TLS from the start, with a certificate for the host by a known authority', async () => {
    const { cert, key, ca } = await certified('localhost');
    const server = await startServer({ secure: true, cert, key, onAuth });
    const url = `smtps://ann:p%40ss@localhost:${server.port}`;
    expect(await outcomeOf(configOf(url, ca))).toBe(
      `localhost:${server.port} with TLS from the start, signed in as ann, from parley@chat.example`,
    );
    expect(await outcomeOf(configOf(url))).toMatch(/certificate/);
    const other = await certified('mail.example');
    const elsewhere = await startServer({ secure: true, cert: other.cert, key: other.key, onAuth });
    expect(
      await outcomeOf(configOf(`smtps://ann:p%40ss@localhost:${elsewhere.port}`, other.ca)),
    ).toMatch(/altnames|does not match/);
    expect(await outcomeOf(configOf(url.replace('p%40ss', 'wrong'), ca))).toMatch(/wrong password/);
    expect(await outcomeOf(configOf(url.replace('smtps:', 'smtp:'), ca))).toMatch(
      /MailNotSent|Error/,
    );
  });

  test('certificates are checked although the environment says that Node need not', async () => {
    const { cert, key } = await certified('localhost');
    const server = await startServer({ secure: true, cert, key, onAuth });
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    const url = `smtps://ann:p%40ss@localhost:${server.port}`;
    expect(await outcomeOf(configOf(url))).toMatch(/certificate/);
  });

  test('smtp begins TLS by STARTTLS, and sends nothing to a server without it', async () => {
    const { cert, key, ca } = await certified('localhost');
    const server = await startServer({ cert, key, onAuth });
    const url = `smtp://ann:p%40ss@localhost:${server.port}`;
    expect(await outcomeOf(configOf(url, ca))).toContain('with TLS by STARTTLS, signed in as ann');
    expect(await outcomeOf(configOf(url))).toMatch(/certificate/);
    const asked: string[] = [];
    const bare = await startServer({
      disabledCommands: ['STARTTLS'],
      onAuth: ({ username }, _session, done) => {
        asked.push(username ?? '');
        done(null, { user: 'ann' });
      },
    });
    expect(await outcomeOf(configOf(`smtp://ann:p%40ss@localhost:${bare.port}`, ca))).toMatch(
      /STARTTLS|TLS/,
    );
    expect(asked).toEqual([]);
  });

  test('a login that the server does not offer is a fault, and not skipped', async () => {
    const server = await startServer();
    expect(await outcomeOf(configOf(`smtp+plain://ann:p%40ss@127.0.0.1:${server.port}`))).toMatch(
      /MailNotSent|Error/,
    );
  });
});
