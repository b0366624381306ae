/**
 * Held polls, `GET events` with a queue, and streams, `GET events/stream`. They are separate from other requests because they are most of
 * the connections and of the cost, and because they end where other requests are repeated.
 *
 * - The holder is a pure function of queue id and live nodes. If a node cannot be reached, or is lost before it answers, the client notices
 *   nothing: the poll moves to the next node with the same `last_event_id`.
 * - If a node's lease lapses, its polls move to the new holder. If a node gives up its lease, its polls move spread over a short time,
 *   because that node is about to answer them itself.
 * - A poll has its own time limit and then ends with an empty success, whatever the nodes do.
 * - A changed key or deactivated account ends the user's held polls with the refusal of a fresh check.
 * - If a client hangs up, the poll ends at the node too.
 * - A stream ends where a poll would move or get an empty answer, with the time to reconnect. It ends where a poll would be refused, with
 *   the refusal as its last event. Its client reconnects with the last id and reaches the new holder.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { serviceUnavailable } from '@parley/api';
import type { Timer } from '@parley/clock';
import { Slots } from '@parley/server/links';

import type { AdmittedRequest } from './admit.ts';
import { HeldPoll } from './held-poll.ts';
import type { AskedPoll, EventsHopOptions } from './held-poll.ts';

/** How long a node may take to answer polls that an account change ends. This is a small part of the second within which polls must end. */
const lastEventMs = 200;

/** The interval of the check for polls that have lasted too long. A timer for each poll would cost more. */
const boundCheckMs = 1_000;

export class EventsHop {
  readonly #options: EventsHopOptions;
  readonly #polls = new Slots<HeldPoll>();
  readonly #stopListening: () => void;
  readonly #boundCheck: Timer;
  #isDraining = false;
  /** Polls that are being checked again. */
  #rechecking = 0;

  constructor(options: EventsHopOptions) {
    const { clock } = options;
    this.#options = options;
    this.#boundCheck = clock.every(boundCheckMs, () => this.#endOverdue());
    this.#stopListening = options.upstreams.list.onLeasesChanged(() => this.#leaveLostNodes());
  }

  /** Polls that wait for an answer. */
  get heldPolls(): number {
    return this.#polls.size - this.openStreams;
  }

  /** Streams that are open. */
  get openStreams(): number {
    let open = 0;
    for (const poll of this.#polls) if (poll.stream !== undefined) open += 1;
    return open;
  }

  /** Bytes of streams that clients have not read yet. */
  get unreadBytes(): number {
    let bytes = 0;
    for (const { stream } of this.#polls) bytes += stream?.unreadBytes ?? 0;
    return bytes;
  }

  /** Serves one poll. Its answer comes later. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    admitted: AdmittedRequest,
    asked: AskedPoll,
  ): void {
    // The response is closed already, so nothing would end the poll.
    if (response.destroyed) return;
    const poll = new HeldPoll({ request, response, admitted, asked }, this.#options, () =>
      this.#polls.take(number),
    );
    const number = this.#polls.add(poll);
    poll.begin();
    if (this.#isDraining) poll.endEmptySoon();
  }

  /**
   * Checks the held polls of users whose account changed, and ends those that are refused now. Their node gets a moment to answer first,
   * because the change itself may be the last event of their queue, and later events are not delivered there.
   */
  recheck(userIds: readonly number[]): void {
    const changed = new Set(userIds);
    for (const poll of this.#polls) {
      const { caller } = poll.admitted;
      if (caller === null || !changed.has(caller.userId)) continue;
      void this.#recheckPoll(poll);
    }
  }

  /** Whether no poll is being checked again. */
  get isSettled(): boolean {
    return this.#rechecking === 0;
  }

  /** Ends all polls within a moment, so that their clients come back through another gateway. */
  drain(): void {
    this.#isDraining = true;
    for (const poll of this.#polls) poll.endEmptySoon();
  }

  stop(): void {
    this.#stopListening();
    this.#boundCheck.cancel();
  }

  #endOverdue(): void {
    const nowMs = this.#options.clock.elapsedMs();
    for (const poll of this.#polls) {
      if (poll.isOverdue(nowMs)) poll.endEmpty();
    }
  }

  async #recheckPoll(poll: HeldPoll): Promise<void> {
    const { clock, findRefusal } = this.#options;
    this.#rechecking += 1;
    try {
      const refusal = await findRefusal(poll.admitted);
      if (refusal !== undefined) clock.after(lastEventMs, () => poll.refuse(refusal)).unref();
    } catch {
      // Without the store it is unknown whether this poll is still permitted.
      poll.refuse(serviceUnavailable());
    } finally {
      this.#rechecking -= 1;
    }
  }

  #leaveLostNodes(): void {
    const { list } = this.#options.upstreams;
    for (const poll of this.#polls) {
      if (poll.nodeId === undefined) continue;
      const state = list.stateOf(poll.nodeId);
      if (state === 'lapsed') poll.move('lease-lapsed');
      if (state === 'gone') poll.moveSoon('lease-given-up');
    }
    this.#options.links.closeLost(list);
  }
}
