/**
 * Lists that a browser keeps for an account, as JSON in its local storage, shared by all its tabs. What has another form than expected, from
 * an older client or another program, counts as absent.
 */
import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

/** What is used of `localStorage`. */
export type KeyValueStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const prefix = 'parley/';

function parse(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

export class StoredList<Item> {
  readonly #store: KeyValueStore;
  readonly #key: string;
  readonly #isItem: (value: unknown) => value is Item;
  readonly #max: number;
  readonly #items = signal<readonly Item[]>([]);

  /**
   * @param options.name of the list, unique for the account
   * @param options.max the most items; the first go for others at the end
   */
  constructor(
    store: KeyValueStore,
    options: {
      readonly userId: number;
      readonly name: string;
      readonly max: number;
      readonly isItem: (value: unknown) => value is Item;
    },
  ) {
    this.#store = store;
    this.#key = `${prefix}${options.userId}/${options.name}`;
    this.#isItem = options.isItem;
    this.#max = options.max;
    this.reread();
  }

  get items(): ReadonlySignal<readonly Item[]> {
    return this.#items;
  }

  /** Reads what another tab wrote. */
  reread(): void {
    const stored = parse(this.#store.getItem(this.#key));
    this.#items.value = Array.isArray(stored) ? stored.filter(this.#isItem).slice(-this.#max) : [];
  }

  change(change: (items: readonly Item[]) => readonly Item[]): void {
    const items = change(this.#items.peek()).slice(-this.#max);
    this.#items.value = items;
    try {
      if (items.length === 0) this.#store.removeItem(this.#key);
      else this.#store.setItem(this.#key, JSON.stringify(items));
    } catch {
      // The browser's storage is full or forbidden: this tab goes on with what it holds.
    }
  }
}

/** Erases what is kept for all accounts. */
export function eraseStored(store: Storage): void {
  for (const key of Object.keys(store)) if (key.startsWith(prefix)) store.removeItem(key);
}
