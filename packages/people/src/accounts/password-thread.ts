/** The thread that estimates passwords. It begins with loading the dictionaries, for half a second; an estimate takes up to 50 ms. */
import { parentPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';

import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { giveBackMemory } from '@parley/server/give-back-memory';
import * as common from '@zxcvbn-ts/language-common';
import * as english from '@zxcvbn-ts/language-en';

/** Substitutions replace letters by digits and signs. Without this bound an estimate may take half a second. */
const substitutionsMax = 8;

const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  l33tMaxSubstitutions: substitutionsMax,
});

// The lists from which the dictionaries were made.
giveBackMemory();

export type Question = {
  readonly password: string;
  readonly ownWords: readonly string[];
  /** Gets the number of guesses. */
  readonly answerTo: MessagePort;
};

parentPort?.on('message', ({ password, ownWords, answerTo }: Question) => {
  answerTo.postMessage(estimator.check(password, [...ownWords]).guesses, []);
});
