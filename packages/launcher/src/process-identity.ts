import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

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
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, the program's name, is in parentheses and may contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, startedAt] = [fields[0], fields[19]];
    if (startedAt === undefined || state === 'Z') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${startedAt}`;
  } catch {
    return undefined;
  }
}
