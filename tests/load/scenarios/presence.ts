import { setTimeout as pause } from 'node:timers/promises';

import type { ApiClient, TestOrganization } from '@parley/test-kit';

import { Latencies } from '../latencies.ts';
import type { LatencySummary } from '../latencies.ts';
import type { LoadSystem } from '../load-system.ts';

export type PresenceResult = {
  readonly people: number;
  readonly reports_per_second: number;
  readonly answer_bytes: number;
  /** Commits of Postgres, minus those of the idle system. */
  readonly commits_per_report: number;
  readonly commits_per_second: number;
  readonly failed: number;
  readonly report: LatencySummary;
};

const accountsAtOnce = 200;
const idleMs = 5_000;
// A busy session of Postgres reports its last counts after a second, an idle one after ten.
const countsSettleMs = 11_000;

/**
 * All people of an organization report presence, and each answer contains everybody; the cost is measured.
 *
 * @throws Error for a system that the generator did not start
 */
export async function reportPresence(
  system: LoadSystem,
  options: {
    readonly people: number;
    readonly reporters: number;
    readonly durationMaxSecs: number;
  },
): Promise<PresenceResult> {
  const { organization } = system;
  if (organization === undefined)
    throw new Error('the presence scenario needs a system of its own: leave out --url');
  const clients = await makePeople(organization, options.people);
  // Each person's first report is an event for everybody, which does not occur in an organization at work.
  await inTurn(clients.length, options.reporters, async (n) => {
    await clients[n]?.post('users/me/presence', { status: 'active', ping_only: true });
  });
  const idleCommits =
    (await commitsOf(organization, () => pause(idleMs))) / ((idleMs + countsSettleMs) / 1_000);

  const latencies = new Latencies();
  const until = performance.now() + options.durationMaxSecs * 1_000;
  let [reports, failed, bytes] = [0, 0, 0];
  const startedAt = performance.now();
  let tookSecs = 0;
  const commits = await commitsOf(organization, async () => {
    await inTurn(Infinity, options.reporters, async (n) => {
      if (performance.now() > until) return false;
      const reportedAt = performance.now();
      const answer = await clients[n % clients.length]?.withoutChecks('POST', 'users/me/presence', {
        status: 'active',
      });
      latencies.recordSince(reportedAt);
      reports += 1;
      if (answer?.status !== 200) failed += 1;
      bytes = answer?.text.length ?? 0;
      return true;
    });
    tookSecs = (performance.now() - startedAt) / 1_000;
  });
  const beyondIdle = Math.max(0, commits - idleCommits * (tookSecs + countsSettleMs / 1_000));
  return {
    people: clients.length,
    reports_per_second: Math.round(reports / tookSecs),
    answer_bytes: bytes,
    commits_per_report: Math.round((beyondIdle / reports) * 10_000) / 10_000,
    commits_per_second: Math.round((beyondIdle / tookSecs) * 10) / 10,
    failed,
    report: latencies.summarize(),
  };
}

async function makePeople(organization: TestOrganization, count: number): Promise<ApiClient[]> {
  const clients: ApiClient[] = [];
  while (clients.length < count) {
    const names = Array.from(
      { length: Math.min(accountsAtOnce, count - clients.length) },
      (_, n) => `Reporter ${clients.length + n}`,
    );
    for (const { client } of await organization.makeAccounts(names)) clients.push(client);
  }
  return clients;
}

/** Runs `work` for 0, 1, …, with this concurrency, until it returns that there is no more. */
async function inTurn(
  count: number,
  atOnce: number,
  work: (n: number) => Promise<boolean | void>,
): Promise<void> {
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      if ((await work(next - 1)) === false) return;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
}

/** @returns how many transactions Postgres committed during `work` and until their counts were reported */
async function commitsOf(
  organization: TestOrganization,
  work: () => Promise<void>,
): Promise<number> {
  // Earlier transactions must not be counted here, and their sessions may not have reported them yet.
  await pause(countsSettleMs);
  const before = await readCommits(organization);
  await work();
  await pause(countsSettleMs);
  return (await readCommits(organization)) - before;
}

async function readCommits({ maker }: TestOrganization): Promise<number> {
  const { rows } = await maker.pool.query<{ commits: number }>(
    'SELECT xact_commit AS commits FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.commits ?? 0;
}
