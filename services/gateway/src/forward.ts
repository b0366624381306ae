/**
 * Forwards a request to a replica of its service, and to another one where that is harmless.
 *
 * - A node that cannot be reached has seen nothing. The next one is tried for any request.
 * - If a node is lost before its answer is complete, or does not answer in time, the outcome is unknown. Requests that may be repeated go to
 *   another replica under the same request id; others get 504.
 * - A service is told for how long it may make a change. It answers 503 itself if it made none by then, so only a lost service leads to 504.
 * - A read goes to only one other replica, because a read that ended two nodes may end all of them. If it ran out of time it is not
 *   repeated, because it would take as long there. Its node cancels it as soon as nobody waits for it.
 * - A send gets 503 only if its outcome is known or its own key makes a repeat harmless (architecture, A send). While the outcome is
 *   unknown the send is repeated under its key. In the end the connection is closed without an answer, as if the client's network had
 *   failed.
 * - If a client hangs up, the request ends at its node.
 */
import { outcomeUnknown, serviceUnavailable } from '@parley/api';
import type { AfterLoss } from '@parley/api';
import { pauseShortly } from '@parley/clock';
import type { Clock } from '@parley/clock';
import type { WantedAnswer } from '@parley/server/links';
import type { LiveNode } from '@parley/cluster/placement';

import { Attempt, UnreadBytes } from './attempt.ts';
import type { AnswerTaking, AttemptEnd, ForwardedRequest } from './attempt.ts';
import type { ServiceLinks } from './service-links.ts';
import type { Upstreams } from './upstreams.ts';

export type ForwarderOptions = Omit<AnswerTaking, 'unread'> & {
  readonly clock: Clock;
  readonly upstreams: Upstreams;
  readonly links: ServiceLinks;
  readonly onRetry: (service: string, reason: 'unreachable' | 'lost') => void;
};

/** All attempts of one request together take at most this many times the wait for one answer. */
export const answerTimeoutsMax = 2;

/** The most nodes that may be lost during one read. */
const readLossesMax = 2;

/** The most attempts of one request. It also bounds the listeners that attempts add to one response. */
const attemptsMax = 60;

/** Pause before the nodes are tried once more. */
const roundPauseMs = 100;

export class Forwarder {
  readonly #options: ForwarderOptions;
  /**
   * Running attempts, each at its own index. A long-lived set would keep them all until the next full garbage collection: the parts of its
   * earlier tables that were promoted refer to the later tables, and these to their members.
   */
  readonly #running: Attempt[] = [];
  readonly #unread = new UnreadBytes();
  readonly #taking: AnswerTaking;
  readonly #stopListening: () => void;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#taking = { ...options, unread: this.#unread };
    this.#stopListening = options.upstreams.list.onLeasesChanged(() => this.#abandonLapsed());
  }

  stop(): void {
    this.#stopListening();
  }

  /**
   * Forwards a request and its answer. Returns when the answer is complete or the client is gone.
   *
   * @throws ApiError 503 if no replica answers, 504 if it is unknown what the request did; the client has no answer then
   */
  async forward(forwarded: ForwardedRequest): Promise<void> {
    const { response, decoded, candidates, answerTimeoutMs } = forwarded;
    const { afterLoss, service } = decoded.endpoint;
    const { clock, upstreams, onRetry } = this.#options;
    response.setMaxListeners(attemptsMax * 4);
    const giveUpAtMs = clock.elapsedMs() + answerTimeoutMs * answerTimeoutsMax;
    let losses = 0;
    let left: LiveNode[] = candidates();
    const unreachable = new Set<string>();
    let knowsNewest = false;
    for (let count = 0; count < attemptsMax && clock.elapsedMs() < giveUpAtMs; count += 1) {
      if (left.length === 0) {
        if (losses > 0) {
          await pauseShortly(clock, roundPauseMs);
          left = candidates();
        } else {
          // Nobody was reached, so the client can repeat the request. But a replica may just have replaced the last one.
          if (knowsNewest) break;
          await upstreams.list.readAgain();
          knowsNewest = true;
          left = candidates().filter(({ address }) => !unreachable.has(address));
        }
      }
      const node = left.shift();
      if (response.destroyed) return;
      if (node === undefined) continue;
      const waitMs = Math.min(answerTimeoutMs, giveUpAtMs - clock.elapsedMs());
      // The pause may have used up the remaining time.
      if (waitMs <= 0) break;
      const withholdsUnavailable = losses > 0 && afterLoss === 'keyed-send';
      const end = await this.#tryNode(node, forwarded, withholdsUnavailable, waitMs);
      if (end === 'answered' || end === 'client-gone') return;
      if (end === 'unreachable') {
        unreachable.add(node.address);
        upstreams.suspect(node.nodeId);
        onRetry(service, 'unreachable');
        continue;
      }
      losses += 1;
      onRetry(service, 'lost');
      const isReadOver = afterLoss === 'read' && (end === 'late' || losses === readLossesMax);
      if (!mayRepeat(afterLoss) || isReadOver) break;
    }
    if (losses > 0 && afterLoss === 'keyed-send' && !forwarded.hasOwnSendKey) {
      response.destroy();
      return;
    }
    throw losses > 0 && afterLoss === 'once' ? outcomeUnknown() : serviceUnavailable();
  }

  async #tryNode(
    node: LiveNode,
    forwarded: ForwardedRequest,
    withholdsUnavailable: boolean,
    waitMs: number,
  ): Promise<AttemptEnd> {
    const taking = this.#taking;
    const attempt = async (wants: WantedAnswer): Promise<AttemptEnd> => {
      const link = this.#options.links.find(node);
      if (link === undefined) return 'unreachable';
      const options = { waitMs, withholdsUnavailable, wants, taking };
      return this.#follow(new Attempt({ node, link }, forwarded, options), waitMs);
    };
    if (forwarded.request.method === 'HEAD') return attempt('headers');
    if (this.#unread.isFull) return attempt('steps');
    const end = await attempt('whole');
    return end === 'no-room' ? attempt('steps') : end;
  }

  async #follow(attempt: Attempt, waitMs: number): Promise<AttemptEnd> {
    const { response } = attempt.forwarded;
    const onClose = (): void => attempt.end(attempt.hasAnswer ? 'answered' : 'client-gone');
    response.on('close', onClose);
    const timer = this.#options.clock.after(waitMs, () => attempt.expire());
    attempt.index = this.#running.push(attempt) - 1;
    try {
      return await attempt.ended;
    } finally {
      this.#forget(attempt);
      timer.cancel();
      response.off('close', onClose);
    }
  }

  #forget(attempt: Attempt): void {
    const last = this.#running.pop();
    if (last === undefined || last === attempt) return;
    this.#running[attempt.index] = last;
    last.index = attempt.index;
  }

  /** A paused or disconnected node does not answer. Once its lease has lapsed, requests that may be repeated go to another node. */
  #abandonLapsed(): void {
    for (const attempt of this.#running) {
      const { afterLoss } = attempt.forwarded.decoded.endpoint;
      const hasLapsed = this.#options.upstreams.list.stateOf(attempt.node.nodeId) === 'lapsed';
      if (mayRepeat(afterLoss) && hasLapsed && !attempt.hasAnswer) attempt.end('lost');
    }
  }
}

/** Whether a request may go to another node although one has seen it. */
function mayRepeat(afterLoss: AfterLoss): boolean {
  return afterLoss !== 'once' && afterLoss !== 'lapses';
}
