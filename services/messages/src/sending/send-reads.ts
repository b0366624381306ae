/** The look-ups for the checks of sends. They also set the pace: sends that are looked up together are written together. */
import type { Clock } from '@parley/clock';
import type { RealmFacts, RealmFactsReader } from '@parley/composing';
import { BatchedReads } from '@parley/database';
import type { Pool, Queryable } from '@parley/database';
import { findPrivateSendFacts, findStreamSendFacts } from '@parley/store';
import type {
  PrivateSendFacts,
  PrivateSendQuestion,
  SendFactsRead,
  StreamSendFacts,
  StreamSendQuestion,
} from '@parley/store';

/** With the organization as of the same statement. */
type WithRealm<Facts> = Facts & { readonly realm: RealmFacts };

export type SendReads = {
  readonly streamFacts: BatchedReads<StreamSendQuestion, WithRealm<StreamSendFacts>>;
  readonly privateFacts: BatchedReads<PrivateSendQuestion, WithRealm<PrivateSendFacts>>;
};

/** The most sends that one statement looks up; a second one starts beside it only if there are more. */
const bounds = { keysPerRead: 64, readsAtOnce: 2 };

/** Sends wait for more of them above 2,600 sends a second. At lower rates the wait saves little for what it adds to a send. */
const gathering = { busyKeys: 8, ms: 3 };

export function openSendReads(clock: Clock, pool: Pool, realmFacts: RealmFactsReader): SendReads {
  const readWithRealm =
    <Question, Facts>(
      read: (
        db: Queryable,
        questions: readonly Question[],
      ) => Promise<SendFactsRead<Question, Facts>>,
    ) =>
    async (questions: readonly Question[]) => {
      const found = await read(pool, questions);
      if (found.facts.size === 0) return new Map<Question, WithRealm<Facts>>();
      const realm =
        found.realm === undefined
          ? await realmFacts.get()
          : await realmFacts.complete(pool, found.realm);
      return new Map(
        Array.from(found.facts, ([question, facts]) => [question, { ...facts, realm }] as const),
      );
    };
  const paced = { ...bounds, gathering: { clock, ...gathering } };
  return {
    streamFacts: new BatchedReads(readWithRealm(findStreamSendFacts), paced),
    privateFacts: new BatchedReads(readWithRealm(findPrivateSendFacts), paced),
  };
}
