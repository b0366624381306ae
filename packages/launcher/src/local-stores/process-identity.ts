import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What the kernel of Linux says of a process that runs. */
export type ProcessEntry = {
  readonly parent: number;
  /** The moment of its start, in the kernel's ticks since the machine booted. */
  readonly startedAt: string;
};

/** Reads a process's entry; undefined if no such process runs. Only on Linux. */
export function findProcessEntry(pid: number): ProcessEntry | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, the program's name, is in parentheses and may contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, parent, startedAt] = [fields[0], fields[1], fields[19]];
    return startedAt === undefined || state === 'Z'
      ? undefined
      : { parent: Number(parent), startedAt };
  } catch {
    return undefined;
  }
}

/** A text that is another one after each boot of the machine. Only on Linux. */
export function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/**
 * Identifies a process among all that had or will have its number: by the time of its start, and on Linux also the boot of the machine.
 *
 * @param pid the number of a process
 * @returns a text to compare; undefined if no such process runs
 */
export function findProcessIdentity(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    const result = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
    return result.status === 0 && result.stdout.trim() !== '' ? result.stdout.trim() : undefined;
  }
  const entry = findProcessEntry(pid);
  return entry === undefined ? undefined : `${readBootId()}/${entry.startedAt}`;
}
