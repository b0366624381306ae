/** Runs the operator's command: in a separate process like an operator, or faster in this one. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { runCommandLine } from '@parley/command';
import { testRunEnvironment } from '@parley/launcher/local-stores';
import type { ClusterSettings } from '@parley/test-kit';

const entry = fileURLToPath(import.meta.resolve('@parley/command/main'));

export type Environment = Readonly<Record<string, string>>;

/** The environment in which a command works on a cluster's stores. */
export function environmentOf(settings: ClusterSettings): Environment {
  return {
    DATABASE_URL: settings.databaseUrl,
    REDIS_URL: settings.redisUrl,
    PARLEY_REDIS_PREFIX: settings.redisPrefix,
    PARLEY_REDIS_CA_FILE: settings.redisCaFile ?? '',
    PARLEY_KEY_SECRET: settings.keySecret,
    PARLEY_INTERNAL_SECRET: settings.internalSecret,
    PARLEY_UPLOADS_DIR: settings.uploadsDir,
  };
}

export type Ended = { readonly code: number | null; readonly out: string; readonly error: string };

export type Running = { readonly process: ChildProcess; readonly ended: Promise<Ended> };

/**
 * Starts a process.
 *
 * @param before words of a program that runs it
 */
export function startParley(
  env: Environment,
  words: readonly string[],
  before: readonly string[] = [],
): Running {
  const [program = process.execPath, ...rest] = [...before, process.execPath, entry, ...words];
  const child = spawn(program, rest, {
    env: { PATH: process.env['PATH'], ...testRunEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.error += text;
  });
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  child.once('error', reject);
  child.once('close', (code) => resolve({ code, ...texts }));
  return { process: child, ended: promise };
}

/**
 * Runs a command line in this process.
 *
 * @param input what the command finds on standard input
 */
export async function runParley(
  env: Environment,
  words: readonly string[],
  input = '',
): Promise<Ended> {
  const texts = { out: '', error: '' };
  const code = await runCommandLine(words, {
    env,
    signal: new AbortController().signal,
    readInput: () => Promise.resolve(input),
    writeOut: (text) => {
      texts.out += text;
    },
    writeError: (text) => {
      texts.error += text;
    },
    isTerminal: false,
  });
  return { code, ...texts };
}

/**
 * Runs a command that must succeed.
 *
 * @returns its output as JSON
 */
export async function parley(
  env: Environment,
  words: readonly string[],
  input = '',
): Promise<Record<string, unknown>> {
  const { code, out, error } = await runParley(env, [...words, '--json'], input);
  if (code !== 0) throw new Error(`parley ${words.join(' ')} ended with ${code}: ${error}${out}`);
  return JSON.parse(out) as Record<string, unknown>;
}
