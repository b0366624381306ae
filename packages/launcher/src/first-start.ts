import { LaunchFault } from './launch-fault.ts';

/** What `parley first-start` tells: the administrator that it created, or that there is an organization already. */
export type FirstStart =
  | {
      is_first_start: true;
      organization: string;
      email: string;
      full_name: string;
      role: string;
      api_key: string;
      password: string;
    }
  | { is_first_start: false };

/**
 * Reads the output of `parley first-start --json`.
 *
 * @throws LaunchFault if it is something else
 */
export function readFirstStart(output: string): FirstStart {
  try {
    const value = JSON.parse(output) as FirstStart;
    if (typeof value.is_first_start === 'boolean') return value;
  } catch {
    // Reported below.
  }
  throw new LaunchFault(`The first start printed no account but this:\n${output}`);
}
