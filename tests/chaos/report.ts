import { faultKinds } from './fault-schedule.ts';
import type { FaultKind } from './fault-schedule.ts';
import { findingKinds } from './findings.ts';
import type { Finding, Findings } from './findings.ts';
import type { Journal } from './journal.ts';

/** The actions and findings of a run. */
export type RunReport = {
  readonly seed: number;
  readonly queues: number;
  readonly sends: number;
  readonly acknowledged: number;
  /** Sends whose outcome stayed unknown. */
  readonly unknown: number;
  /** Message events in all queues. */
  readonly delivered: number;
  readonly membershipChanges: number;
  readonly messageChanges: number;
  readonly probes: number;
  readonly failedRequests: ReadonlyMap<string, number>;
  readonly faults: ReadonlyMap<FaultKind, number>;
  readonly findings: Findings;
  /** Why the run proves nothing; empty if it proves something. */
  readonly unchecked: readonly string[];
};

const findingsShownMax = 40;
/** What a series of ten seeds must reach. */
const seriesSeeds = 10;
const seriesSends = 20_000;
const seriesFaultsOfEach = 20;

/** @returns a finding as a line, which begins with its kind */
export function describeFinding({ kind, text, atMs }: Finding): string {
  return `${kind}${atMs === undefined ? '' : ` at ${(atMs / 1_000).toFixed(1)} s`}: ${text}`;
}

/** @returns a line for each kind of request that failed, with the number and kind of failures */
export function describeFailedRequests({ failedRequests }: Journal): string {
  return [...failedRequests]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, count]) => `  ${String(count).padStart(6)} ${what}`)
    .join('\n');
}

/** @returns the findings of a run as lines; empty for none */
export function describeFindings({ findings, unchecked }: RunReport): string {
  const shown = findings.list.slice(0, findingsShownMax).map(describeFinding);
  const rest = findings.list.length - shown.length;
  return [
    ...shown,
    ...(rest > 0 ? [`... and ${rest} more findings`] : []),
    ...unchecked.map((reason) => `not checked: ${reason}`),
  ].join('\n');
}

/** Whether every rule held and was tested. */
export function hasHeld(reports: readonly RunReport[]): boolean {
  return reports.every(
    ({ findings, unchecked }) => findings.list.length === 0 && unchecked.length === 0,
  );
}

/** @returns the number of faults of each kind in all runs */
export function describeFaultCounts(reports: readonly RunReport[]): string {
  const counts = faultKinds.map((kind) => `${kind} ${countFaults(reports, kind)}`);
  return `Faults: ${counts.join(', ')}`;
}

function countFaults(reports: readonly RunReport[], kind: (typeof faultKinds)[number]): number {
  return reports.reduce((sum, { faults }) => sum + (faults.get(kind) ?? 0), 0);
}

/** @returns what a series of ten seeds did not reach; empty for fewer seeds, which need not reach it */
export function findUnproven(
  reports: readonly RunReport[],
  kinds: readonly FaultKind[] = faultKinds,
): string[] {
  if (reports.length < seriesSeeds) return [];
  const sends = sum(reports, ({ acknowledged }) => acknowledged);
  const rare = kinds.filter((kind) => countFaults(reports, kind) < seriesFaultsOfEach);
  return [
    ...(sends < seriesSends ? [`only ${sends} of ${seriesSends} sends`] : []),
    ...rare.map((kind) => `fewer than ${seriesFaultsOfEach} times ${kind}`),
  ];
}

/** @returns the last line: the numbers of messages sent, delivered, lost, repeated, out of order and leaked, and whether all rules held */
export function describeRuns(reports: readonly RunReport[]): string {
  const total = (count: (report: RunReport) => number): number => sum(reports, count);
  const unknown = total((each) => each.unknown);
  const sends = total((each) => each.sends);
  const seeds = reports.map(({ seed }) => seed);
  const name =
    seeds.length === 1 ? `seed ${seeds[0]}` : `seeds ${seeds[0]} to ${seeds.at(-1)} together`;
  return [
    ...(reports.length === 1 ? reports.map(describeFindings).filter((text) => text !== '') : []),
    [
      `${name}: ${sends} sent`,
      `${total((each) => each.acknowledged)} acknowledged`,
      `${unknown} unknown (${((100 * unknown) / Math.max(1, sends)).toFixed(2)} %)`,
      `${total((each) => each.delivered)} delivered to ${total((each) => each.queues)} queues`,
      `${total((each) => each.membershipChanges)} joins and leaves`,
      `${total((each) => each.messageChanges)} changes of messages`,
      `${total((each) => countAll(each.failedRequests))} failed requests`,
      `${total((each) => countAll(each.faults))} faults`,
      ...findingKinds.map((kind) => `${kind} ${total(({ findings }) => findings.count(kind))}`),
      hasHeld(reports) ? 'all held' : 'NOT ALL HELD',
    ].join(', '),
  ].join('\n');
}

function sum(reports: readonly RunReport[], count: (report: RunReport) => number): number {
  return reports.reduce((total, report) => total + count(report), 0);
}

function countAll(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
