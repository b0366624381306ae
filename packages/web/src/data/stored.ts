/**
 * What a browser keeps for an account, as JSON in its local storage, shared by all its tabs. What has another form than expected, from an older
 * client or another program, counts as absent.
 */
import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

import { parseJson } from './shapes.ts';
import type { Check } from './shapes.ts';

/** What is used of `localStorage`. */
export type KeyValueStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const prefix = 'parley/';

export type StoredList<Item> = {
  readonly items: ReadonlySignal<readonly Item[]>;
  change(change: (items: readonly Item[]) => readonly Item[]): void;
  /** Reads what another tab wrote, of which the word may be on its way. */
  reread(): void;
};

export type AccountStore = ReturnType<typeof openAccountStore>;

/** @param ending what was signed out writes nothing more */
export function openAccountStore(store: KeyValueStore, userId: number, ending: AbortSignal) {
  const rereads: (() => void)[] = [];

  /** @returns false if the browser's storage is full or forbidden */
  function write(key: string, items: readonly unknown[]): boolean {
    if (ending.aborted) return false;
    try {
      if (items.length === 0) store.removeItem(key);
      else store.setItem(key, JSON.stringify(items));
      return true;
    } catch {
      return false;
    }
  }

  return {
    /**
     * @param name unique for the account
     * @param max the most items; the first go for others at the end
     */
    list<Item>(name: string, max: number, isItem: Check<Item>): StoredList<Item> {
      const key = `${prefix}${userId}/${name}`;
      const items = signal<readonly Item[]>([]);
      let isKept = true;
      const reread = (): void => {
        const stored = parseJson(store.getItem(key) ?? '');
        // Where nothing can be written, this tab goes on with what it holds.
        if (isKept) items.value = Array.isArray(stored) ? stored.filter(isItem).slice(-max) : [];
      };
      reread();
      rereads.push(reread);
      return {
        items,
        reread,
        change: (change) => {
          reread();
          items.value = change(items.peek()).slice(-max);
          isKept = write(key, items.peek());
        },
      };
    },
    /** Reads what another tab wrote. */
    reread(): void {
      for (const reread of rereads) reread();
    },
  };
}

/** Erases what is kept for all accounts. */
export function eraseStored(store: Storage): void {
  for (const key of Object.keys(store)) if (key.startsWith(prefix)) store.removeItem(key);
}
