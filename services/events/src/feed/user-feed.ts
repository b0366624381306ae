import type { EventQueue, QueueFeed } from '../queues/event-queue.ts';
import type { ParsedEntry } from './parsed-entry.ts';
import type { UserView } from './user-view.ts';

/**
 * One user on this node: his view, his queues, and the entries that concern him since the view was loaded. Every queue of the
 * user reads the same list from its client's position.
 */
export class UserFeed implements QueueFeed {
  readonly userId: number;
  readonly queues = new Set<EventQueue>();
  readonly #deliveries: ParsedEntry[] = [];
  /** What the user may have, at any position up to the last that the node has taken. */
  readonly view: UserView;
  #coverageFrom: number;
  readonly #viewExactAt: number;

  readonly #deliveriesMax: number;

  /**
   * @param exactAt the head of the snapshot in which the view was read
   * @param deliveriesMax references the user keeps at most; who needs older ones reads the node's tail or Postgres
   */
  constructor(userId: number, view: UserView, exactAt: number, deliveriesMax: number) {
    this.#deliveriesMax = deliveriesMax;
    this.userId = userId;
    this.view = view;
    this.#coverageFrom = exactAt;
    this.#viewExactAt = exactAt;
  }

  /** Every entry above this position that concerns the user, and that the node has taken, is in the list. */
  get coverageFrom(): number {
    return this.#coverageFrom;
  }

  /**
   * From where on the list also has what only a queue that listens to public streams gets: messages of streams the user is no
   * member of. Undefined while no queue of the user listens.
   */
  listeningFrom: number | undefined;

  /** Above this position the list has everything that a queue can get. */
  coverageOf(isListening: boolean): number {
    return isListening
      ? Math.max(this.#coverageFrom, this.listeningFrom ?? Infinity)
      : this.#coverageFrom;
  }

  /** The head of the snapshot from which the view was read: effects up to there are in it. */
  get viewExactAt(): number {
    return this.#viewExactAt;
  }

  /** @returns whether older entries were dropped for it, which are read from the tail or Postgres from then on */
  deliver(entry: ParsedEntry): boolean {
    this.#deliveries.push(entry);
    const isFull = this.#deliveries.length > this.#deliveriesMax;
    if (isFull) {
      const dropped = this.#deliveries.splice(0, Math.ceil(this.#deliveriesMax / 2));
      this.#coverageFrom = dropped.at(-1)?.end ?? this.#coverageFrom;
    }
    return isFull;
  }

  /** Forgets what the node's tail no longer holds, so that quiet users do not keep old entries alive. */
  forgetBefore(position: number): void {
    const kept = this.#deliveries.findIndex((entry) => entry.end > position);
    const count = kept === -1 ? this.#deliveries.length : kept;
    if (count === 0) return;
    this.#coverageFrom = Math.max(this.#coverageFrom, this.#deliveries[count - 1]?.end ?? 0);
    this.#deliveries.splice(0, count);
  }

  /** @returns the entries whose runs end above `after`, in order; `after` must not lie below the coverage */
  deliveriesAfter(after: number): ParsedEntry[] {
    let index = this.#deliveries.length;
    while (index > 0 && (this.#deliveries[index - 1]?.end ?? 0) > after) index -= 1;
    return this.#deliveries.slice(index);
  }
}
