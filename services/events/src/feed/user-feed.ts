import type { EventQueue, QueueFeed } from '../queues/event-queue.ts';
import type { ParsedEntry } from './parsed-entry.ts';
import type { UserView } from './user-view.ts';

/**
 * One user on this node: the view, the queues, and the entries that concern the user since the view was loaded. Every queue of the
 * user reads the same list from its client's position.
 */
export class UserFeed implements QueueFeed {
  readonly userId: number;
  readonly queues = new Set<EventQueue>();
  readonly #deliveries: ParsedEntry[] = [];
  /** The user's entitlement at any position up to the last that the node has read. */
  readonly view: UserView;
  #coverageFrom: number;
  readonly #viewExactAt: number;

  readonly #deliveriesMax: number;

  /**
   * @param exactAt the head of the snapshot in which the view was read
   * @param deliveriesMax the most references to entries; older ones are read from the node's tail or Postgres
   */
  constructor(userId: number, view: UserView, exactAt: number, deliveriesMax: number) {
    this.#deliveriesMax = deliveriesMax;
    this.userId = userId;
    this.view = view;
    this.#coverageFrom = exactAt;
    this.#viewExactAt = exactAt;
  }

  /** The list contains every entry above this position that concerns the user and that the node has read. */
  get coverageFrom(): number {
    return this.#coverageFrom;
  }

  /**
   * The position from which the list also contains messages of other public streams, for queues that listen to them. Undefined while no
   * queue of the user listens.
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

  /** Forgets entries that the node's tail no longer holds, so that quiet users do not keep old entries in memory. */
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
