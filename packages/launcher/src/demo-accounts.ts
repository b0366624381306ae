import { LaunchFault } from './launch-fault.ts';

/** One of the demo organization's accounts, as `npm start -- --json` gives it. */
export type DemoAccount = {
  email: string;
  api_key: string;
  /** Absent for a bot. */
  password?: string;
  full_name: string;
  role: string;
  is_bot: boolean;
};

/** What seeding says about the demo organization. */
export type Demo = {
  accounts: readonly DemoAccount[];
  example: { stream: string; topic: string };
};

/**
 * Reads what the seed command prints: one JSON object on its last line.
 *
 * @throws LaunchFault when it is something else
 */
export function readDemo(output: string): Demo {
  try {
    const value = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Demo;
    if (Array.isArray(value.accounts) && typeof value.example === 'object') return value;
  } catch {
    // Said below, together with the other ways to be wrong.
  }
  throw new LaunchFault(`Seeding did not say which accounts there are, but:\n${output}`);
}
