/**
 * The hints that a lease began or ended (`leasesChannel`), and that accounts changed (`accountsChannel`, by the event log). They only save
 * waiting for the next read of the tables, which finds the same a moment later.
 */

/** The part of a Redis client that a lease needs. */
export type HintPublisher = {
  publish(channel: string, message: string): Promise<unknown>;
};

/** The part of a Redis client for subscriptions that a reader of hints needs. `ready` comes with each new connection. */
export type HintSubscriber = {
  subscribe(...channels: string[]): Promise<unknown>;
  on(event: 'message', listener: (channel: string, message: string) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
  off(event: 'message', listener: (channel: string, message: string) => void): unknown;
  off(event: 'ready', listener: () => void): unknown;
};
