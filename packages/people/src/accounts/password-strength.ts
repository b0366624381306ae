import { MessageChannel, Worker } from 'node:worker_threads';

import { limits } from '@parley/api/limits';

import type { Question } from './password-thread.ts';

/** Reference facts, people 7.3: passwords that are guessed with fewer tries are too weak, as shorter ones than `passwordMinLength` are. */
const guessesMin = 10_000;

/** Characters beyond it make no password weaker, and an estimate longer. */
const estimatedMaxLength = 40;

/** Started again by the next estimate after a failure. */
let thread: Worker | undefined;

function startThread(): Worker {
  const started = new Worker(new URL('password-thread.ts', import.meta.url));
  started.unref();
  // Its end is learned from the channels of those who wait for it.
  started.once('error', () => undefined);
  started.once('exit', () => {
    thread = undefined;
  });
  return started;
}

async function estimateGuesses(password: string, ownWords: readonly string[]): Promise<number> {
  const { port1: answer, port2: answerTo } = new MessageChannel();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  answer.once('message', resolve);
  answer.once('close', () => reject(new Error('the thread that estimates passwords has ended')));
  thread ??= startThread();
  thread.postMessage({ password, ownWords, answerTo } satisfies Question, [answerTo]);
  try {
    return await promise;
  } finally {
    answer.close();
  }
}

/** Loads the dictionaries, which takes half a second, and several on a busy machine. Otherwise the first estimate waits for them. */
export async function loadPasswordDictionaries(): Promise<void> {
  await estimateGuesses('', []);
}

/**
 * Estimates the tries of an attacker who knows common passwords, words, names, keyboard patterns and the person. That is done in a thread,
 * since it would block the service.
 *
 * @param ownWords name and address of the person
 */
export async function isPasswordStrong(
  password: string,
  ownWords: readonly string[] = [],
): Promise<boolean> {
  if (Array.from(password).length < limits.passwordMinLength) return false;
  return (await estimateGuesses(password.slice(0, estimatedMaxLength), ownWords)) >= guessesMin;
}
