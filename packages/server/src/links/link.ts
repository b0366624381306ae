/** A gateway's way to a node: a connection to another process, or calls within its own. */
import type { LinkAnswer, LinkedRequest } from './protocol.ts';

/** The node was not reached, so it has seen nothing of the requests. */
export class LinkUnreachable extends Error {}

/** The link was open and broke. */
export class LinkLost extends Error {}

export type LinkFault = LinkUnreachable | LinkLost;

/**
 * Waits for the answer to a request. It is called once, with the answer or the end of the link, and before that with each part of a stream.
 */
export type LinkListener = {
  readonly onLinkAnswer: (answer: LinkAnswer) => void;
  readonly onLinkFault: (fault: LinkFault) => void;
};

export interface Link {
  /** The number of requests that wait for an answer. */
  readonly size: number;
  /** Whether the node has not answered the last check, for example because the network between the two fails. */
  readonly isSilent: boolean;
  /** Whether the node has announced that it stops. */
  readonly isLeaving: boolean;

  /**
   * Sends a request. Its listener is not called before this returns.
   *
   * @returns the number by which it can be abandoned
   * @throws Error if the node has announced that it stops
   */
  send(request: LinkedRequest, listener: LinkListener): number;

  /** Abandons a request: nobody waits for its answer. */
  leave(number: number): void;

  /** Says that the client has taken the last step of a stream, so that more may come. */
  take(number: number): void;

  /** Ends the link. Every listener is told that it is lost. */
  close(): void;
}
