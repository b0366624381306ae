import { LaunchFault } from './launch-fault.ts';

/** An account of the demo organization, as shown by `npm start -- --json`. */
export type DemoAccount = {
  email: string;
  api_key: string;
  /** Absent for a bot. */
  password?: string;
  full_name: string;
  role: string;
  is_bot: boolean;
};

/** The output of seeding about the demo organization. */
export type Demo = {
  accounts: readonly DemoAccount[];
  example: { stream: string; topic: string };
};

/**
 * Reads the output of the seed command: one JSON object on its last line.
 *
 * @throws LaunchFault if it is something else
 */
export function readDemo(output: string): Demo {
  try {
    const value = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Demo;
    if (Array.isArray(value.accounts) && typeof value.example === 'object') return value;
  } catch {
    // Reported below, together with the other faults.
  }
  throw new LaunchFault(`Seeding printed no accounts but this:\n${output}`);
}
