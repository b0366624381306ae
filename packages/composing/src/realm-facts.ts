import { BatchedReads } from '@parley/database';
import type { Queryable } from '@parley/database';
import { getSendRealm, listAllAlertWords } from '@parley/store';
import type { AllAlertWords, SendRealm } from '@parley/store';

/** The organization's data that every send needs, never older than the send that asks. */
export type RealmFacts = SendRealm & {
  readonly alertWords: AllAlertWords['words'];
  /** Each word once. */
  readonly distinctAlertWords: readonly string[];
};

/**
 * For texts that the server writes, which need no linkifiers. Always the same object, because compiled linkifiers are cached per list.
 */
export const noLinkifiers: RealmFacts['linkifiers'] = [];

/**
 * Reads the organization's facts with one read for all waiting sends. Alert words are read again only after one was added or removed. The
 * list of linkifiers stays the same object while it does not change, so that linkifiers are compiled once.
 */
export class RealmFactsReader {
  readonly #db: Queryable;
  readonly #reads: BatchedReads<'realm', RealmFacts>;
  #last: RealmFacts | undefined;

  constructor(db: Queryable) {
    this.#db = db;
    this.#reads = new BatchedReads(async () => new Map([['realm', await this.#read()]]), {
      keysPerRead: 1,
      readsAtOnce: 1,
    });
  }

  get(): Promise<RealmFacts> {
    return this.#reads.get('realm');
  }

  async #read(): Promise<RealmFacts> {
    return this.complete(this.#db, await getSendRealm(this.#db));
  }

  /**
   * @param db used if alert words must be read again, so that a transaction reads its own changes
   * @returns the facts of an organization that a statement just found
   */
  async complete(db: Queryable, realm: SendRealm): Promise<RealmFacts> {
    const last = this.#last;
    const sameLinkifiers =
      last !== undefined && JSON.stringify(last.linkifiers) === JSON.stringify(realm.linkifiers);
    const isSame = last?.alertWordsVersion === realm.alertWordsVersion;
    // The words may be newer than the realm's row, and then have a newer version.
    const { version, words } =
      isSame && last !== undefined
        ? { version: last.alertWordsVersion, words: last.alertWords }
        : await listAllAlertWords(db);
    this.#last = {
      ...realm,
      linkifiers: sameLinkifiers ? last.linkifiers : realm.linkifiers,
      alertWordsVersion: version,
      alertWords: words,
      distinctAlertWords:
        isSame && last !== undefined
          ? last.distinctAlertWords
          : [...new Set(words.map(({ word }) => word))],
    };
    return this.#last;
  }
}
