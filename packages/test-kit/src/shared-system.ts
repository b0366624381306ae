import { mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'vitest';

import { MovedClock, systemClock } from '@parley/clock';
import { Secret } from '@parley/config';
import { connectForJobs } from '@parley/cluster/redis';

import { startLocalCluster, startSystem } from './cluster.ts';
import type { Cluster, SystemOptions } from './cluster.ts';
import type { ServiceNode } from './service-node.ts';
import { openTestPool } from './test-database.ts';

/**
 * The system that the test files of a worker use one after another. It has every service, most of them twice, and nothing but an empty
 * organization: each file makes its own realm, people and streams. A file that needs other settings, other nodes or another store starts a
 * system of its own.
 */
let started: Promise<Cluster> | undefined;
/** A gateway uses no link to a node for half a minute after one that was refused. */
const suspicionMaxMs = 31_000;

/** After this time every node has renewed its lease. */
const leaseRenewalMs = 1_000;

/** The test file that has it. */
let borrower: string | undefined;

/** Their rows belong to the processes and the log, or count on. All others belong to the organization. */
const keptTables: readonly string[] = [
  'knex_migrations',
  'knex_migrations_lock',
  'schema_version',
  'service_leases',
  'push_keys',
  'log_head',
  'log_epochs',
  'alert_words_version',
  'shown_names_version',
  'conversation_newest_upto',
  'side_effect_cursor',
  'told_upto',
  'upload_space',
];

let mailFolder: string | undefined;

/**
 * The folder into which the shared system puts its mails. Without it a file has to name another one, or `''` for no mails, in the environment
 * of a system of its own.
 */
export function sharedMailFolder(): string {
  mailFolder ??= mkdtempSync(join(tmpdir(), 'parley-mails-'));
  return mailFolder;
}

/** The environment of the shared system, beyond that of every system of tests. */
function sharedEnvironment(): Readonly<Record<string, string>> {
  return {
    PARLEY_MAIL_DIR: sharedMailFolder(),
    PARLEY_OUTGOING_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
}

/** The nodes that the shared system has of each service. */
const sharedNodes = {
  gateways: 2,
  events: 2,
  messages: 2,
  subscriptions: 2,
  people: 2,
  presence: 2,
} as const;

/**
 * @property isOwn whether the file stops or adds nodes, or reads what they counted, and so needs a system for itself
 * @property gatewaySettings environment variables of gateways for this file alone, where only those read them
 */
export type SystemUse = SystemOptions & {
  readonly isOwn?: boolean;
  readonly gatewaySettings?: Readonly<Record<string, string>>;
};

/** A system that a test file uses. */
export type UsedSystem = {
  readonly cluster: Cluster;
  /** The base addresses of as many gateways as were asked for, by default one. */
  readonly gatewayUrls: () => readonly string[];
  /**
   * Starts one more gateway with other settings, for what only gateways read.
   *
   * @param settings environment variables
   * @returns its base address
   */
  readonly addGateway: (settings: Readonly<Record<string, string>>) => Promise<string>;
  /**
   * Ends the use: a shared system is given back after everything has happened that was caused, another one stops.
   *
   * @throws AggregateError with each answer that deviated from its declaration, and what else went wrong
   */
  readonly release: () => Promise<void>;
};

/**
 * Lends the system of this worker to a test file, with an empty database; or starts another one, if the options ask for anything but numbers
 * of nodes that the shared one has. Ids and positions of the shared one continue where the last file ended, so nothing that a service
 * remembers can be taken for something new. Its time of day is that of the machine again.
 */
export async function useSystem({
  isOwn = false,
  gatewaySettings,
  ...options
}: SystemUse = {}): Promise<UsedSystem> {
  const { environment = {}, ...nodes } = options;
  const shared = sharedEnvironment();
  const isShared =
    Object.entries(environment).every(([name, value]) => shared[name] === value) &&
    Object.entries(nodes).every(
      ([name, value]) =>
        value === undefined ||
        (name in sharedNodes && Number(value) <= sharedNodes[name as keyof typeof sharedNodes]),
    );
  if (isOwn || !isShared) {
    const cluster = await startSystem(options);
    return {
      cluster,
      gatewayUrls: () => cluster.gatewayUrls,
      addGateway: async (settings) => (await cluster.startAnother('gateway', settings)).url,
      release: async () => cluster.stop(),
    };
  }
  const cluster = await borrow();
  const added: ServiceNode[] = [];
  const addGateway = async (settings: Readonly<Record<string, string>>): Promise<string> => {
    const gateway = await cluster.startAnother('gateway', settings);
    added.push(gateway);
    return gateway.url;
  };
  const count = options.gateways ?? 1;
  const urls: string[] = [];
  if (gatewaySettings === undefined) urls.push(...cluster.gatewayUrls.slice(0, count));
  else while (urls.length < count) urls.push(await addGateway(gatewaySettings));
  return {
    cluster,
    gatewayUrls: () => urls,
    addGateway,
    release: async () => {
      await cluster.settle();
      for (const gateway of added)
        await cluster.kill('gateway', cluster.findProcesses('gateway').indexOf(gateway), 'SIGTERM');
      borrower = undefined;
      cluster.throwAnswerFaults();
    },
  };
}

/** @throws Error if this file has it already */
async function borrow(): Promise<Cluster> {
  const file = expect.getState().testPath ?? '';
  if (borrower === file) throw new Error('this file has the system of its worker already');
  // A file that could not release it may have left requests and locks.
  if (borrower !== undefined) started = undefined;
  borrower = file;
  if (started === undefined) {
    started = startLocalCluster({ ...sharedNodes, environment: sharedEnvironment() });
    return started;
  }
  const cluster = await started;
  await empty(cluster);
  return cluster;
}

/** What gateways count in Redis. Presence and the queues of jobs belong to the services. */
async function forgetCounts({ settings }: Cluster): Promise<void> {
  const { clock, redisUrl, redisPrefix } = settings;
  const config = { url: new Secret(redisUrl), prefix: redisPrefix, commandTimeoutMs: 5_000 };
  const redis = connectForJobs(config, 'working', clock);
  try {
    for (const kind of ['rate', 'strangers', 'scim', 'failed-logins', 'logins-underway']) {
      const keys = await redis.keys(`${redisPrefix}:${kind}:*`);
      if (keys.length > 0) await redis.del(keys);
    }
  } finally {
    redis.disconnect();
  }
}

/** The folders belong to the services. */
async function removeFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => rm(join(entry.parentPath, entry.name), { force: true })),
  );
}

async function empty(cluster: Cluster): Promise<void> {
  const { clock, databaseUrl, uploadsDir } = cluster.settings;
  if (clock instanceof MovedClock) {
    clock.setTimeOfDay(systemClock.nowMs() - suspicionMaxMs - leaseRenewalMs);
    // What the last file made a gateway suspect is forgotten by then.
    await clock.leap(suspicionMaxMs);
    await cluster.settle();
    // A node that had not followed the log for so long renews its lease only when it has read it again.
    await clock.leap(leaseRenewalMs);
    await cluster.settle();
  }
  await Promise.all([uploadsDir, sharedMailFolder()].map(removeFiles));
  await forgetCounts(cluster);
  const pool = openTestPool(databaseUrl);
  try {
    const { rows } = await pool.query<{ deletions: string }>({
      text: `SELECT string_agg(format('DELETE FROM %I', c.relname), '; ') AS deletions FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> ALL ($1)`,
      values: [keptTables],
    });
    // Without triggers and checks of foreign keys. Truncating takes four times as long, and every connection plans all statements anew.
    await pool.query(`BEGIN;
      SET LOCAL session_replication_role = replica;
      UPDATE log_head h SET start_position = newest.position + newest.length - 1, begin_position = newest.position + newest.length - 1,
        start_message_id = newest.message_id
      FROM (SELECT e.position, e.length, e.message_id FROM log_entries e ORDER BY e.position DESC LIMIT 1) newest;
      UPDATE conversation_newest_upto SET message_id = h.start_message_id FROM log_head h;
      UPDATE told_upto SET message_id = h.start_message_id FROM log_head h;
      UPDATE alert_words_version SET version = gen_random_uuid();
      UPDATE shown_names_version SET version = gen_random_uuid();
      UPDATE upload_space SET used_bytes = 0;
      ${rows[0]?.deletions ?? ''};
      COMMIT`);
  } finally {
    await pool.end();
  }
}
