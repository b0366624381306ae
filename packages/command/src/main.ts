#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { text } from 'node:stream/consumers';

// A command takes less time than the compilation of its code, so the compiled code is cached for the next one.
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
