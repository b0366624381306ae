import type { EventQueue, QueueFeed } from '../queues/event-queue.ts';
import type { ParsedEntry } from './parsed-entry.ts';
import type { UserView } from './user-view.ts';

/** References a user keeps at most; who needs older ones reads the node's tail or Postgres. */
const deliveriesMax = 2_000;

/**
 * One user on this node: his view, his queues, and the entries that concern him since the view was loaded. Every queue of the
 * user reads the same list from its client's position.
 */
export class UserFeed implements QueueFeed {
  readonly userId: number;
  readonly queues = new Set<EventQueue>();
  readonly #deliveries: ParsedEntry[] = [];
  #view: UserView | undefined;
  /** Entries taken while the view is being loaded; those above the snapshot are applied to it. */
  #takenWhileLoading: ParsedEntry[] | undefined = [];
  #coverageFrom = Infinity;
  #viewExactAt = Infinity;

  constructor(userId: number) {
    this.userId = userId;
  }

  /** Undefined while it is being loaded. */
  get view(): UserView | undefined {
    return this.#view;
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

  keepWhileLoading(entry: ParsedEntry): void {
    this.#takenWhileLoading?.push(entry);
  }

  /**
   * @param exactAt the head of the snapshot in which the view was read
   * @returns the entries taken meanwhile that the view does not know yet
   */
  finishLoading(view: UserView, exactAt: number): ParsedEntry[] {
    this.#view = view;
    this.#coverageFrom = exactAt;
    this.#viewExactAt = exactAt;
    const taken = this.#takenWhileLoading ?? [];
    this.#takenWhileLoading = undefined;
    return taken.filter((entry) => entry.position > exactAt);
  }

  deliver(entry: ParsedEntry): void {
    this.#deliveries.push(entry);
    if (this.#deliveries.length > deliveriesMax) {
      const dropped = this.#deliveries.splice(0, deliveriesMax / 2);
      this.#coverageFrom = dropped.at(-1)?.end ?? this.#coverageFrom;
    }
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
