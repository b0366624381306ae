#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { text } from 'node:stream/consumers';

// A command is over sooner than its code is compiled: the second one finds it compiled.
enableCompileCache();

const { runCommandLine } = await import('./run-command-line.ts');

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stopping.abort(new Error(`stopped by ${signal}`)));

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  signal: stopping.signal,
  readInput: () => text(process.stdin),
  writeOut: (line) => process.stdout.write(line),
  writeError: (line) => process.stderr.write(line),
  isTerminal: process.stderr.isTTY,
});
