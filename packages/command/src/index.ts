export * from './run-command-line.ts';
