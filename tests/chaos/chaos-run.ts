import { waitUntil } from '@parley/test-kit';

import { ChaosSystem } from './chaos-system.ts';
import { FaultInjector } from './fault-injector.ts';
import { describeFaults, faultKindsOf, planFaults } from './fault-schedule.ts';
import type { FaultKind } from './fault-schedule.ts';
import { Findings } from './findings.ts';
import { judgeChanges } from './judge-changes.ts';
import { judgeHistory } from './judge-history.ts';
import { judgeMemberships } from './judge-memberships.ts';
import { judgeMessages } from './judge-messages.ts';
import { Journal } from './journal.ts';
import { Ledger } from './ledger.ts';
import { makePopulation } from './population.ts';
import type { Population } from './population.ts';
import { describeFailedRequests, describeFinding } from './report.ts';
import type { RunReport } from './report.ts';
import { Workload } from './workload.ts';

/** Ends the line after which the traffic begins. */
export const trafficBegins = 'are followed.';
/** The beginning of a line that reports a finding at once. */
export const foundPrefix = 'Found: ';

/** Time limit for pending work to finish after the traffic ends. */
const outcomeDeadlineMs = 60_000;
/** Above the two seconds that delivery may take without Redis, with room for a busy machine of two cores. */
const quietDeadlineMs = 20_000;
const askingDeadlineMs = 120_000;
const quietSends = 12;
const unknownShareMax = 0.02;

/** Runs one seed from an empty system to the verdict. @param say prints a line */
export async function runChaos(
  options: {
    readonly seed: number;
    readonly durationMs: number;
    /** Whether all services share a process, of which there are two. */
    readonly isTogether?: boolean;
  },
  say: (line: string) => void,
): Promise<RunReport> {
  const { seed, durationMs, isTogether = false } = options;
  const kinds = faultKindsOf(isTogether);
  const faults = planFaults(seed, durationMs, kinds);
  say(`The ${faults.length} faults of seed ${seed}:\n${describeFaults(faults)}`);
  const system = await ChaosSystem.start(isTogether);
  try {
    const population = await makePopulation(system);
    const findings = new Findings((finding) => {
      say(`${foundPrefix}${describeFinding(finding)}`);
      if (finding.kind !== 'answer' || finding.atMs === undefined) return;
      say(`Requests that failed:\n${describeFailedRequests(journal)}`);
      say(`Warnings of the processes:\n${system.describeWarnings()}`);
    });
    const journal: Journal = new Journal(findings);
    const workload = new Workload(journal, population, seed);
    try {
      await workload.openQueues();
    } catch (error) {
      say(`Requests that failed:\n${describeFailedRequests(journal)}`);
      say(`Warnings of the processes:\n${system.describeWarnings()}`);
      throw error;
    }
    say(
      `${journal.queues.length} queues of ${population.people.length + 1} people ${trafficBegins}`,
    );
    const injector = new FaultInjector(system, journal);
    workload.begin();
    await injector.run(faults, ({ kind, atMs }) => say(`${(atMs / 1_000).toFixed(1)} s: ${kind}`));
    await workload.end(outcomeDeadlineMs);
    say(
      `${journal.sends.length} sends. The traffic is over. Requests that failed and were repeated:\n${describeFailedRequests(journal)}`,
    );
    await judgeQuiet(workload, injector, journal);
    const ledger = await judge(workload, journal, population);
    for (const failure of injector.failures) findings.add('process', failure);
    await system.stopProcesses().catch((error: unknown) => {
      findings.add('process', (error as Error).message);
    });
    return report({ seed, kinds }, journal, injector, ledger);
  } finally {
    await system.stopProcesses().catch(() => undefined);
    await system.stop();
  }
}

/**
 * With Redis unreachable and no other traffic, messages still arrive: only the regular check of the log's head can find them
 * (architecture, The log).
 */
async function judgeQuiet(
  workload: Workload,
  injector: FaultInjector,
  journal: Journal,
): Promise<void> {
  const heal = injector.cutRedis();
  try {
    const sent = await workload.sendToEverybody(quietSends, AbortSignal.timeout(outcomeDeadlineMs));
    const wanted = new Set(sent.map(({ messageId }) => messageId));
    const waiting = workload.clients.filter(({ record }) => !record.isDeleted);
    const has = (received: (typeof waiting)[number]): boolean =>
      received.record.received
        .slice(-wanted.size * 4)
        .filter((each) => each.what === 'message' && wanted.has(each.messageId)).length ===
      wanted.size;
    await waitUntil('every queue has what was sent without Redis', () => waiting.every(has), {
      deadlineMs: quietDeadlineMs,
      pauseMs: 100,
    }).catch(() => {
      for (const client of waiting.filter((each) => !has(each)))
        journal.findings.add(
          'lost',
          `${client.record.name} did not get in ${quietDeadlineMs} ms what was sent without Redis`,
        );
    });
    if (wanted.size === 0) journal.findings.add('answer', 'nothing could be sent without Redis');
  } finally {
    heal();
  }
}

type Judged = { readonly ledger: Ledger; readonly delivered: number };

async function judge(
  workload: Workload,
  journal: Journal,
  population: Population,
): Promise<Judged> {
  const until = AbortSignal.timeout(askingDeadlineMs);
  const clients = workload.clients.filter(({ record }) => !record.isDeleted);
  await Promise.all(clients.map((client) => client.stop()));
  journal.findings.endTraffic();
  // The server's own notices arrive late. After a round without any events, all queues end at the same position.
  for (let count = 1; count > 0 && !until.aborted;) {
    count = 0;
    for (const client of clients) count += await client.drain(until);
  }
  for (const client of clients) await client.readAgain(until);
  const ledger = new Ledger(journal, {
    streams: [population.everybody, ...population.changing],
    guestIds: new Set([population.guest.id]),
  });
  const delivered = judgeMessages(ledger);
  judgeMemberships(ledger);
  judgeChanges(ledger);
  const readers = [...population.people, population.guest];
  await judgeHistory(
    ledger,
    readers.map(({ id, client }) => ({ userId: id, client })),
    until,
  );
  return { ledger, delivered };
}

function report(
  { seed, kinds }: { readonly seed: number; readonly kinds: readonly FaultKind[] },
  journal: Journal,
  injector: FaultInjector,
  { ledger, delivered }: Judged,
): RunReport {
  const acknowledged = journal.sends.filter(({ messageId }) => messageId !== undefined).length;
  const unknown = journal.sends.length - acknowledged;
  const unchecked: string[] = [];
  const missing = kinds.filter((kind) => (injector.counts.get(kind) ?? 0) === 0);
  if (missing.length > 0) unchecked.push(`no fault was carried out of: ${missing.join(', ')}`);
  if (delivered === 0 || ledger.messages.size === 0) unchecked.push('nothing was delivered');
  if (journal.memberships.length === 0) unchecked.push('nobody joined or left');
  if (journal.changes.length === 0) unchecked.push('no message was changed');
  if (journal.probes === 0) unchecked.push('no delivered message was looked for');
  if (unknown > journal.sends.length * unknownShareMax)
    unchecked.push(`the outcome of ${unknown} sends is unknown`);
  return {
    seed,
    queues: journal.queues.length,
    sends: journal.sends.length,
    acknowledged,
    unknown,
    delivered,
    membershipChanges: journal.memberships.length,
    messageChanges: journal.changes.length,
    probes: journal.probes,
    failedRequests: journal.failedRequests,
    faults: injector.counts,
    findings: journal.findings,
    unchecked,
  };
}
