/**
 * The hint that a lease began or ended. It only saves waiting for the next read of the table: whoever misses it learns the
 * same a moment later. Its channel is `leasesChannel`; the message is the node's id.
 */

/** What a lease needs of a Redis client. */
export type HintPublisher = {
  publish(channel: string, message: string): Promise<unknown>;
};

/** What a reader of leases needs of a Redis client that is used for subscriptions. */
export type HintSubscriber = {
  subscribe(channel: string): Promise<unknown>;
  on(event: 'message', listener: (channel: string, message: string) => void): unknown;
  off(event: 'message', listener: (channel: string, message: string) => void): unknown;
};
