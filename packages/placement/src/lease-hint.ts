/**
 * The hints that a lease began or ended (`leasesChannel`), and that accounts changed (`accountsChannel`, by the event log). They only
 * save waiting for the next read of the tables: whoever misses one learns the same a moment later.
 */

/** What a lease needs of a Redis client. */
export type HintPublisher = {
  publish(channel: string, message: string): Promise<unknown>;
};

/** What a reader of hints needs of a Redis client that is used for subscriptions. */
export type HintSubscriber = {
  subscribe(...channels: string[]): Promise<unknown>;
  on(event: 'message', listener: (channel: string, message: string) => void): unknown;
  off(event: 'message', listener: (channel: string, message: string) => void): unknown;
};
