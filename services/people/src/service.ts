import { ConfigError } from '@parley/config';
import type { Pool } from '@parley/database';
import { openFileStore } from '@parley/files';
import type { FileStore } from '@parley/files';
import {
  JobLane,
  MailRunner,
  notificationTasks,
  notSentInTime,
  PushRunner,
} from '@parley/outgoing/jobs';
import { subjectLogger } from '@parley/telemetry/logging';
import { openMailTransport } from '@parley/outgoing/mail';
import { AddressRules, callService, findAddressesInDns, KeptConnections } from '@parley/outgoing';
import { createPeopleContext, loadPasswordDictionaries, makeExport } from '@parley/people';
import type { PeopleContext, SignOnOutcome } from '@parley/people';
import { connectStores, keepLease, openPool, serveApi, startMaintenance } from '@parley/server';
import type { RequestHandler, ServiceFrame } from '@parley/server';
import {
  deleteOldAttempts,
  deleteOldFailedMails,
  deleteOldInvitations,
  deleteOldMadeCounts,
  failLeftMails,
} from '@parley/store';
import { deleteOldTokens } from '@parley/store/account-tokens';
import { listDueRealmExports } from '@parley/store/realm-exports';
import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';

import { endpoints } from './endpoints/index.ts';

/** @returns a function that counts what became of a sign-in by an OpenID provider */
function signOnCounter(registry: Registry): (provider: string, outcome: SignOnOutcome) => void {
  const counter = new Counter({
    name: 'parley_single_sign_on_total',
    help: 'Sign-ins by OpenID providers by their outcome',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  });
  return (provider, outcome) => counter.inc({ provider, outcome });
}

/** No request waits for an export: its statements and its idle transaction may take minutes. */
const waitMaxMs = 600_000;
const sweepIntervalMs = 2_000;

/** Makes exports of the public data, one at a time in each process. */
function startExports(frame: ServiceFrame, context: PeopleContext): void {
  // One that reads, and one that keeps the claim.
  const pool = openPool(frame, 'exports', 2, {
    statementTimeoutMs: waitMaxMs,
    idleInTransactionMaxMs: waitMaxMs,
  });
  const lane = new JobLane({
    clock: frame.clock,
    redis: frame.config.redis,
    log: subjectLogger(frame.log, 'people:exports'),
    queueName: 'exports',
    concurrency: 1,
    sweepIntervalMs,
    idOf: (id: number) => `export-${id}`,
    listDue: () => listDueRealmExports(pool),
    run: async (id, signal) => {
      await makeExport(context, pool, id, signal);
      return undefined;
    },
  });
  lane.start();
  frame.onDispose('exports', () => lane.stop());
  frame.onSettle('exports', () => lane.settle());
}

/** @throws ConfigError when the configuration names no place for uploaded files */
async function openFiles({ clock, config, onDispose }: ServiceFrame): Promise<FileStore> {
  const { files: place } = config.uploads;
  if (place === undefined) {
    throw new ConfigError([
      'PARLEY_UPLOADS_DIR or PARLEY_S3_BUCKET is required: where pictures are kept',
    ]);
  }
  const files = await openFileStore(place, clock);
  onDispose('files', () => files.close());
  return files;
}

/** No request waits for the jobs that send mails. */
const mailConnections = 2;
/** Nor for notifications. */
const notificationConnections = 4;
const forgetIntervalMs = 600_000;

/** Sends mails, if the configuration says how. */
function startMails(frame: ServiceFrame, { keySecrets }: PeopleContext): void {
  const { clock, config, log, metrics } = frame;
  if (config.mail === undefined) return;
  const pool = openPool(frame, 'mails', mailConnections, { looksUpByKey: true });
  const mails = new MailRunner({
    clock,
    pool,
    redis: config.redis,
    keySecrets,
    publicUrl: config.publicUrl,
    answerAddresses: config.mailAnswers?.addresses,
    transport: openMailTransport(config.mail, clock),
    log: subjectLogger(log, 'people:mails'),
    registry: metrics.registry,
  });
  mails.start();
  frame.onDispose('mails', () => mails.stop());
  frame.onSettle('mails', () => mails.settle());
}

/** Removes what nobody uses any longer, even if the configuration has turned off since what made it. */
function startForgetting(frame: ServiceFrame, pool: Pool): void {
  startMaintenance(frame, [
    {
      name: 'forgetting mails that failed long ago, old links and counts',
      intervalMs: forgetIntervalMs,
      run: async () => {
        const left = await failLeftMails(pool, notSentInTime);
        if (left > 0) frame.log.error({ mails: left }, 'mails are given up that nothing sends');
        await deleteOldFailedMails(pool);
        await deleteOldTokens(pool);
        await deleteOldInvitations(pool);
        await deleteOldMadeCounts(pool);
      },
    },
    {
      name: 'forgetting sign-ins that were not finished',
      intervalMs: forgetIntervalMs,
      run: () => deleteOldAttempts(pool),
    },
  ]);
}

/** How push services reach the operator: at the address of the server, where they accept it (RFC 8292, 2.1). */
function subjectOf(publicUrl: string): string {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' ? publicUrl : `mailto:parley@${hostname}`;
}

/** As many as a process has places for one push service, and for all (`PushServices`). */
const pushConnections = { perServerMax: 32, allMax: 64, idleMs: 4_000, keptForMs: 60_000 };

/** Notifies people who are away (decision 0053). */
function startNotifications(frame: ServiceFrame, { keySecrets, publicUrl }: PeopleContext): void {
  const { clock, config, log, metrics } = frame;
  const pool = openPool(frame, 'notifications', notificationConnections, { looksUpByKey: true });
  const { allowedNetworks, timeoutMs } = config.outgoingWebhooks;
  const connections = new KeptConnections(pushConnections, clock);
  const callOptions = {
    clock,
    connections,
    rules: new AddressRules(allowedNetworks),
    findAddresses: findAddressesInDns,
    timeoutMs,
    redirectsMax: 0,
  };
  const pushes = new PushRunner({
    clock,
    pool,
    keySecrets,
    subject: subjectOf(publicUrl),
    call: async (call, signal) => callService(call, callOptions, signal),
    log: subjectLogger(log, 'people:pushes'),
    registry: metrics.registry,
  });
  pushes.start();
  frame.onDispose('pushes', async () => {
    await pushes.stop();
    connections.destroy();
  });
  frame.onSettle('pushes', () => pushes.settle());
  startMaintenance(
    frame,
    notificationTasks({
      clock,
      pool,
      keySecrets,
      publicUrl,
      hasMail: config.mail !== undefined,
      answerAddresses: config.mailAnswers?.addresses,
      registry: metrics.registry,
    }),
  );
}

/** Connects the service to its stores and builds its app; the frame serves it. */
export async function startPeople(frame: ServiceFrame): Promise<RequestHandler> {
  const { clock, config, log } = frame;
  const files = await openFiles(frame);
  const [stores] = await Promise.all([connectStores(frame), loadPasswordDictionaries()]);
  const countSignOn = signOnCounter(frame.metrics.registry);
  const context = createPeopleContext({ clock, config, log, files, countSignOn, ...stores });
  frame.onDispose('pictures', () => context.pictureMaker.close());
  startMails(frame, context);
  startNotifications(frame, context);
  startExports(frame, context);
  startForgetting(frame, stores.pool);
  keepLease(frame, stores);
  return serveApi(frame, { implementations: endpoints, context }).handler;
}
