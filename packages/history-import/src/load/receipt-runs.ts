/** Gathers who got and read what into runs of neighbouring messages; see `imported-read-state.ts` of the store. */
import type { ReceiptRun } from '@parley/store/imports';

/** Ids of people are below this, so that a pair is one number. */
const peopleMax = 2 ** 24;

/** The run at hand of each pair of person and scope, in arrays because there may be millions of pairs. */
class OpenRuns {
  size = 0;
  fromSeq = new Int32Array(1024);
  toSeq = new Int32Array(1024);
  fromId = new Float64Array(1024);
  toId = new Float64Array(1024);
  isRead = new Uint8Array(1024);

  add(): number {
    if (this.size === this.fromSeq.length) this.#grow();
    this.size += 1;
    return this.size - 1;
  }

  #grow(): void {
    const length = this.size * 2;
    const grown = <List extends Int32Array | Float64Array | Uint8Array>(
      list: List,
      larger: List,
    ): List => {
      larger.set(list);
      return larger;
    };
    this.fromSeq = grown(this.fromSeq, new Int32Array(length));
    this.toSeq = grown(this.toSeq, new Int32Array(length));
    this.fromId = grown(this.fromId, new Float64Array(length));
    this.toId = grown(this.toId, new Float64Array(length));
    this.isRead = grown(this.isRead, new Uint8Array(length));
  }
}

export class ReceiptRuns {
  readonly #open = new OpenRuns();
  /** The open run by scope and person. */
  readonly #slots = new Map<number, number>();
  readonly #scopes = new Map<number, number>();
  readonly #scopeList: number[] = [];
  #done: ReceiptRun[] = [];

  #scopeNumber(scope: number): number {
    const known = this.#scopes.get(scope);
    if (known !== undefined) return known;
    this.#scopes.set(scope, this.#scopeList.length);
    this.#scopeList.push(scope);
    return this.#scopeList.length - 1;
  }

  /**
   * Adds a receipt. Messages may come in any order; those of one scope in the order of time make the longest runs.
   *
   * @param scope the stream's id, or the conversation's id below zero
   */
  add(
    userId: number,
    scope: number,
    message: { readonly id: number; readonly seq: number },
    isRead: boolean,
  ): void {
    const key = this.#scopeNumber(scope) * peopleMax + userId;
    const open = this.#open;
    let slot = this.#slots.get(key);
    const read = isRead ? 1 : 0;
    if (slot !== undefined) {
      if (open.toSeq[slot] === message.seq - 1 && open.isRead[slot] === read) {
        open.toSeq[slot] = message.seq;
        open.toId[slot] = message.id;
        return;
      }
      this.#finish(userId, scope, slot);
    } else {
      slot = open.add();
      this.#slots.set(key, slot);
    }
    open.fromSeq[slot] = message.seq;
    open.toSeq[slot] = message.seq;
    open.fromId[slot] = message.id;
    open.toId[slot] = message.id;
    open.isRead[slot] = read;
  }

  #finish(userId: number, scope: number, slot: number): void {
    const open = this.#open;
    this.#done.push({
      userId,
      scope,
      fromSeq: open.fromSeq[slot] ?? 0,
      toSeq: open.toSeq[slot] ?? 0,
      fromId: open.fromId[slot] ?? 0,
      toId: open.toId[slot] ?? 0,
      isRead: open.isRead[slot] === 1,
    });
  }

  /** @returns the runs that ended since the last call */
  take(): readonly ReceiptRun[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  /** Ends all runs. @returns them in pieces */
  *end(): Generator<readonly ReceiptRun[]> {
    yield this.take();
    for (const [key, slot] of this.#slots) {
      const scope = this.#scopeList[Math.floor(key / peopleMax)] ?? 0;
      this.#finish(key % peopleMax, scope, slot);
      if (this.#done.length >= 5_000) yield this.take();
    }
    yield this.take();
  }
}
