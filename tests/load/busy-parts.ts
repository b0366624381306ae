import type { Measured } from './rig.ts';

/**
 * What each part takes of a core, for each of its processes (those of Postgres together), the most first: a Node process that takes
 * all of one is the next bottleneck where there are cores enough.
 *
 * @returns per cent of a core by the name of the part
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
