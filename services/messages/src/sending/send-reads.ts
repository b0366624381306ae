/**
 * The look-ups for the checks of sends, several sends in one statement or at least at one time. They also set the pace: sends that were
 * looked up together are written by one statement.
 */
import type { Clock } from '@parley/clock';
import type { RealmFacts, RealmFactsReader } from '@parley/composing';
import { BatchedReads } from '@parley/database';
import type { Pool } from '@parley/database';
import { findPrivateSendFacts, findStreamSendFacts } from '@parley/store';
import type { PrivateSendFacts, StreamSendFacts, StreamSendQuestion } from '@parley/store';

/** The facts for a send of a stream message, with the organization as of the same statement. */
export type StreamSendFound = StreamSendFacts & { readonly realm: RealmFacts };

export type PrivateSendQuestion = {
  readonly senderId: number;
  readonly addressees: Parameters<typeof findPrivateSendFacts>[2];
};

export type PrivateSendFound = PrivateSendFacts & { readonly realm: RealmFacts };

export type SendReads = {
  readonly streamFacts: BatchedReads<StreamSendQuestion, StreamSendFound>;
  readonly privateFacts: BatchedReads<PrivateSendQuestion, PrivateSendFound>;
};

/** The most sends that one statement looks up; a second one starts beside it only if there are more. */
const bounds = { keysPerRead: 64, readsAtOnce: 2 };

/** Sends wait for more of them above 2,600 sends a second. At lower rates the wait saves little for what it adds to a send. */
const gathering = { busyKeys: 8, ms: 3 };

export function openSendReads(clock: Clock, pool: Pool, realmFacts: RealmFactsReader): SendReads {
  const paced = { ...bounds, gathering: { clock, ...gathering } };
  return {
    streamFacts: new BatchedReads(
      (questions) => findStreamSends(pool, realmFacts, questions),
      paced,
    ),
    privateFacts: new BatchedReads(
      (questions) => findPrivateSends(pool, realmFacts, questions),
      paced,
    ),
  };
}

async function findStreamSends(
  pool: Pool,
  realmFacts: RealmFactsReader,
  questions: readonly StreamSendQuestion[],
): Promise<ReadonlyMap<StreamSendQuestion, StreamSendFound>> {
  const found = await findStreamSendFacts(pool, questions);
  if (found.facts.size === 0) return new Map();
  const realm =
    found.realm === undefined
      ? await realmFacts.get()
      : await realmFacts.complete(pool, found.realm);
  return new Map(Array.from(found.facts, ([question, facts]) => [question, { ...facts, realm }]));
}

async function findPrivateSends(
  pool: Pool,
  realmFacts: RealmFactsReader,
  questions: readonly PrivateSendQuestion[],
): Promise<ReadonlyMap<PrivateSendQuestion, PrivateSendFound>> {
  const [realm, facts] = await Promise.all([
    realmFacts.get(),
    Promise.all(
      questions.map(({ senderId, addressees }) => findPrivateSendFacts(pool, senderId, addressees)),
    ),
  ]);
  return new Map(
    questions.flatMap((question, n) => {
      const found = facts[n];
      return found === undefined ? [] : [[question, { ...found, realm }] as const];
    }),
  );
}
