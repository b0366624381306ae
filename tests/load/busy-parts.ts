import type { Measured } from './rig.ts';

/**
 * The share of a core that each part uses for each of its processes (those of Postgres together), largest first. A Node process
 * that uses a whole core is the next bottleneck if there are enough cores.
 *
 * @returns percentages of a core by the name of the part
 */
export function findBusy(
  { use }: Measured,
  parts: readonly { readonly name: string; readonly pids: () => readonly number[] }[],
): Readonly<Record<string, number>> {
  const busy = parts.map(({ name, pids }) => {
    const perSecond = (use.cpuNs[name] ?? 0) / 1e9 / use.secs;
    return [name, (perSecond * 100) / Math.max(1, pids().length)] as const;
  });
  return Object.fromEntries(busy.toSorted(([, a], [, b]) => b - a));
}
