export { runCommandLine } from './run-command-line.ts';
export type { CommandEnvironment } from './run-command-line.ts';
