export { runCommandLine } from './run-command-line.ts';
export type { Surroundings } from './run-command-line.ts';
