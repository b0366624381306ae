import type { Queryable } from '@parley/database';
import { getSendRealm, listAllAlertWords } from '@parley/store';
import type { SendRealm } from '@parley/store';

import { SharedRead } from './shared-read.ts';

type AlertWord = { readonly userId: number; readonly word: string };

/** What every send needs of the organization, never older than the send that asks. */
export type RealmFacts = SendRealm & {
  readonly alertWords: readonly AlertWord[];
  /** The different words among them. */
  readonly distinctAlertWords: readonly string[];
};

/**
 * Reads the organization's facts, one read for all sends that wait. Alert words are read again only when one was added or removed,
 * and the list of linkifiers stays the same object while nothing in it changes, so that they are compiled once.
 */
export class RealmFactsReader {
  readonly #shared: SharedRead<RealmFacts>;
  #last: RealmFacts | undefined;

  constructor(db: Queryable) {
    this.#shared = new SharedRead(() => this.#read(db));
  }

  get(): Promise<RealmFacts> {
    return this.#shared.get();
  }

  async #read(db: Queryable): Promise<RealmFacts> {
    const realm = await getSendRealm(db);
    const last = this.#last;
    const sameLinkifiers =
      last !== undefined && JSON.stringify(last.linkifiers) === JSON.stringify(realm.linkifiers);
    const sameWords = last?.alertWordsVersion === realm.alertWordsVersion;
    const alertWords =
      sameWords && last !== undefined ? last.alertWords : await listAllAlertWords(db);
    this.#last = {
      ...realm,
      linkifiers: sameLinkifiers ? last.linkifiers : realm.linkifiers,
      alertWords,
      distinctAlertWords:
        sameWords && last !== undefined
          ? last.distinctAlertWords
          : [...new Set(alertWords.map(({ word }) => word))],
    };
    return this.#last;
  }
}
