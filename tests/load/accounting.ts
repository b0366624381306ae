import { readFile, readdir } from 'node:fs/promises';

// Where Linux counts processor time in ticks, a tick is a hundredth of a second on every machine that Node supports.
const nsPerTick = 10_000_000;

/** Times of one process from its line in `/proc`. */
export type ProcessStat = {
  readonly parentPid: number;
  /** Of all its threads, including those that have ended. */
  readonly ownNs: number;
  /** Of its children that have ended and were waited for. */
  readonly endedChildrenNs: number;
};

/** @param line the content of `/proc/PID/stat` */
export function parseStat(line: string): ProcessStat {
  // The name before it may contain spaces, and ends with a parenthesis.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const ticks = (first: number): number =>
    (Number(fields[first]) + Number(fields[first + 1])) * nsPerTick;
  return { parentPid: Number(fields[1]), ownNs: ticks(11), endedChildrenNs: ticks(13) };
}

/** A missing file belongs to a process or thread that has just ended. */
async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

/**
 * Processor time of one process, user and system. The scheduler counts nanoseconds, but only of threads that still run. The line of
 * the process counts hundredths of a second, and includes threads that have ended. Both only grow, so the larger is right.
 *
 * @returns 0 for an ended process
 */
export async function readCpuNs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const texts = await Promise.all([
    readIfThere(`/proc/${pid}/stat`),
    ...threads.map((thread) => readIfThere(`/proc/${pid}/task/${thread}/schedstat`)),
  ]);
  const [stat, ...running] = texts;
  const threadsNs = running.reduce((sum, text) => sum + Number(text?.split(' ')[0] ?? 0), 0);
  return Math.max(threadsNs, stat === undefined ? 0 : parseStat(stat).ownNs);
}

/**
 * Processor time of a process and its children: with `all` both the running and the ended ones, as for Postgres with its process
 * for each session.
 */
export async function readTreeCpuNs(pid: number, which: 'all' | 'ended'): Promise<number> {
  for (;;) {
    const children = which === 'all' ? await findChildren(pid) : [];
    const times = await Promise.all([pid, ...children].map(readCpuNs));
    const stat = await readIfThere(`/proc/${pid}/stat`);
    if (stat === undefined) return 0;
    const left = new Set(children.length === 0 ? [] : await findChildren(pid));
    // A child that ended during the reading would be counted twice or not at all.
    if (children.every((child) => left.has(child)))
      return times.reduce((sum, ns) => sum + ns, parseStat(stat).endedChildrenNs);
  }
}

export async function findChildren(pid: number): Promise<readonly number[]> {
  const listed = await readIfThere(`/proc/${pid}/task/${pid}/children`);
  if (listed !== undefined) return listed.split(' ').filter(Boolean).map(Number);
  // A kernel without that list still knows each process' parent.
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    pids.map(async (name) => [name, await readIfThere(`/proc/${name}/stat`)] as const),
  );
  return parents.flatMap(([name, line]) =>
    line !== undefined && parseStat(line).parentPid === pid ? [Number(name)] : [],
  );
}

/** @returns the memory of a process in bytes, with shared memory divided among its users; 0 for an ended process */
export async function readMemoryBytes(pid: number): Promise<number> {
  const text = await readIfThere(`/proc/${pid}/smaps_rollup`);
  return Number(/^Pss:\s+(\d+) kB/m.exec(text ?? '')?.[1] ?? 0) * 1_024;
}

/** Nanoseconds of work of the machine's processors: for the processes of all users, and for interrupts, which belong to no process. */
export type MachineTimes = { readonly busyNs: number; readonly interruptsNs: number };

/** @param text the content of `/proc/stat` */
export function parseMachineTimes(text: string): MachineTimes {
  const ticks = (text.split('\n')[0] ?? '').split(/\s+/).map(Number);
  const sum = (fields: readonly number[]): number =>
    fields.reduce((total, field) => total + (ticks[field] ?? 0) * nsPerTick, 0);
  return { busyNs: sum([1, 2, 3]), interruptsNs: sum([6, 7]) };
}

/** One measured part: a service with all its processes, a store, or the generators. */
export type Part = {
  readonly name: string;
  /** Called at each sample, because processes come and go. */
  readonly pids: () => readonly number[];
  /** Which children of each process are included: all, or only the ended ones, which can no longer be sampled. */
  readonly children?: 'all' | 'ended';
};

/** One sample of all parts. */
export type Look = {
  readonly atMs: number;
  readonly cpuNs: Readonly<Record<string, number>>;
  readonly machine: MachineTimes;
};

/** @param atMs the time of the machine's monotonic clock */
export async function lookAtParts(parts: readonly Part[], atMs: number): Promise<Look> {
  const cpu = await Promise.all(
    parts.map(async ({ name, pids, children }) => {
      const times = await Promise.all(
        pids().map((pid) =>
          children === undefined ? readCpuNs(pid) : readTreeCpuNs(pid, children),
        ),
      );
      return [name, times.reduce((sum, ns) => sum + ns, 0)] as const;
    }),
  );
  const machine = parseMachineTimes(await readFile('/proc/stat', 'utf8'));
  return { atMs, cpuNs: Object.fromEntries(cpu), machine };
}

/** Processor time between two samples, or the sum of several such times. */
export type CpuUse = {
  readonly secs: number;
  readonly cpuNs: Readonly<Record<string, number>>;
  readonly machine: MachineTimes;
};

export function differ(before: Look, after: Look): CpuUse {
  return {
    secs: (after.atMs - before.atMs) / 1_000,
    cpuNs: Object.fromEntries(
      Object.entries(after.cpuNs).map(([name, ns]) => [name, ns - (before.cpuNs[name] ?? 0)]),
    ),
    machine: {
      busyNs: after.machine.busyNs - before.machine.busyNs,
      interruptsNs: after.machine.interruptsNs - before.machine.interruptsNs,
    },
  };
}

export function addUses(uses: readonly CpuUse[]): CpuUse {
  const cpuNs: Record<string, number> = {};
  for (const use of uses)
    for (const [name, ns] of Object.entries(use.cpuNs)) cpuNs[name] = (cpuNs[name] ?? 0) + ns;
  return {
    secs: uses.reduce((sum, { secs }) => sum + secs, 0),
    cpuNs,
    machine: {
      busyNs: uses.reduce((sum, { machine }) => sum + machine.busyNs, 0),
      interruptsNs: uses.reduce((sum, { machine }) => sum + machine.interruptsNs, 0),
    },
  };
}

export const generatorsPart = 'generators';
/** The run itself, which counts as a generator. */
export const ownPart = 'run';

/**
 * @param operation what is counted, in the singular: `send`
 * @param cores of the machine
 * @returns microseconds per operation of each part, and of all parts but the generators together; and as percentages of the machine
 *   the generators, everything that belongs to no part, and interrupts, including those of the network
 */
export function describeUse(
  use: CpuUse,
  operations: number,
  operation: string,
  cores: number,
): Readonly<Record<string, number>> {
  const machineNs = use.secs * cores * 1e9;
  const figures: Record<string, number> = {};
  let systemNs = 0;
  for (const [name, ns] of Object.entries(use.cpuNs)) {
    if (name === generatorsPart || name === ownPart) continue;
    systemNs += ns;
    if (operations > 0) figures[`cpu_${name}_us_per_${operation}`] = ns / 1e3 / operations;
  }
  if (operations > 0) figures[`cpu_us_per_${operation}`] = systemNs / 1e3 / operations;
  const generatorsNs = (use.cpuNs[generatorsPart] ?? 0) + (use.cpuNs[ownPart] ?? 0);
  figures['system_percent'] = (systemNs / machineNs) * 100;
  figures['generators_percent'] = (generatorsNs / machineNs) * 100;
  // The kernel counts the machine's time in ticks, so a difference near zero can come out negative.
  const othersNs = Math.max(0, use.machine.busyNs - systemNs - generatorsNs);
  figures['others_percent'] = (othersNs / machineNs) * 100;
  figures['interrupts_percent'] = (use.machine.interruptsNs / machineNs) * 100;
  return figures;
}
