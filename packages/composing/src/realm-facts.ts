import type { Queryable } from '@parley/database';
import { getSendRealm, listAllAlertWords } from '@parley/store';
import type { AllAlertWords, SendRealm } from '@parley/store';

import { CoalescedRead } from './coalesced-read.ts';

/** What every send needs of the organization, never older than the send that asks. */
export type RealmFacts = SendRealm & {
  readonly alertWords: AllAlertWords['words'];
  /** The different words among them. */
  readonly distinctAlertWords: readonly string[];
};

/**
 * Of what the server writes itself, where linkifiers find nothing. The same list every time, because what is compiled of one is kept
 * with it.
 */
export const noLinkifiers: RealmFacts['linkifiers'] = [];

/**
 * Reads the organization's facts, one read for all sends that wait. Alert words are read again only when one was added or removed,
 * and the list of linkifiers stays the same object while nothing in it changes, so that they are compiled once.
 */
export class RealmFactsReader {
  readonly #db: Queryable;
  readonly #shared: CoalescedRead<RealmFacts>;
  #last: RealmFacts | undefined;

  constructor(db: Queryable) {
    this.#db = db;
    this.#shared = new CoalescedRead(() => this.#read());
  }

  get(): Promise<RealmFacts> {
    return this.#shared.get();
  }

  async #read(): Promise<RealmFacts> {
    return this.complete(this.#db, await getSendRealm(this.#db));
  }

  /**
   * @param db where alert words are read when they are others: a transaction reads in itself
   * @returns the facts of an organization that a statement just found
   */
  async complete(db: Queryable, realm: SendRealm): Promise<RealmFacts> {
    const last = this.#last;
    const sameLinkifiers =
      last !== undefined && JSON.stringify(last.linkifiers) === JSON.stringify(realm.linkifiers);
    const isSame = last?.alertWordsVersion === realm.alertWordsVersion;
    // What is read may be newer than the realm's row, and then has its own version.
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
