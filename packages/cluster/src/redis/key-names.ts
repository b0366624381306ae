export type CountedRequests = 'requests' | 'files';

/** The accounts whose requests are counted. */
export type RateLimited = {
  readonly userId: number;
  /** The user, or the owner of a bot. */
  readonly ownerId: number;
  /** Requests for files have counts of their own. */
  readonly counted?: CountedRequests;
};

/**
 * Makes every key and channel name in Redis. Redis holds only data that may be lost: hints, counters and job queues.
 *
 * In a cluster, keys that one script or one queue uses must be in the same slot, which the part of their names in braces decides. Names
 * have braces only there. Elsewhere they are unchanged, so that two releases side by side during an upgrade share their data. Channels have
 * no slot.
 */
export type KeyNames = {
  /** Accepted requests of a user in the sliding window. Owner: gateway. Lives as long as the window. */
  readonly rateLimit: (caller: RateLimited, windowSecs: number) => string;
  /** The same for an owner with all bots. */
  readonly rateLimitOfOwner: (caller: RateLimited, windowSecs: number) => string;
  /** Requests of a network without an account, where they are counted. Owner: gateway. Lives as long as the window. */
  readonly rateLimitOfStrangers: (address: string, windowSecs: number) => string;
  /** Requests of a token of SCIM. Owner: gateway. Lives as long as the window. */
  readonly rateLimitOfScimToken: (tokenId: number, windowSecs: number) => string;
  /** Failed logins of an address or account name in the sliding window. Owner: gateway. Lives as long as the window. */
  readonly failedLogins: (kind: string, subject: string, windowSecs: number) => string;
  /** Logins that are being judged. Owner: gateway. Lives as long as judging may take. */
  readonly loginsUnderway: (kind: string, subject: string) => string;
  /** Present while the owner of a bot gets no further notice about it. Owner: messages. Lives as long as that applies. */
  readonly botOwnerNotice: (botId: number) => string;
  /** The last report of every user's clients. Owner: presence-state. Lives two weeks after the last report. */
  readonly presence: string;
  /** The users by the time of their last change of presence. Owner: presence-state. Lives as long. */
  readonly presenceChanges: string;
  /** Prefix of BullMQ's keys. Owner: jobs. */
  readonly jobsPrefix: string;
};

/**
 * @param prefix `PARLEY_REDIS_PREFIX`; it differs between installations that share a Redis
 * @param redis the connection on which the names are used
 */
export function keyNames(prefix: string, redis: { readonly isCluster: boolean }): KeyNames {
  // The prefix is in the braces too, because otherwise several installations would have the same slots.
  const together = (name: string): string =>
    redis.isCluster ? `{${prefix}:${name}}` : `${prefix}:${name}`;
  // The account and the address of a login are judged in one step.
  const logins = redis.isCluster ? `{${prefix}:logins}:` : `${prefix}:`;
  const rateOf = (counted: CountedRequests = 'requests'): string =>
    counted === 'files' ? 'rate-of-files' : 'rate';
  return {
    // One script counts both.
    rateLimit: ({ userId, ownerId, counted }, windowSecs) =>
      redis.isCluster
        ? `${together(`${rateOf(counted)}:${ownerId}`)}:${userId}:${windowSecs}`
        : `${prefix}:${rateOf(counted)}:${userId}:${windowSecs}`,
    rateLimitOfOwner: ({ ownerId, counted }, windowSecs) =>
      `${together(`${rateOf(counted)}:${ownerId}`)}:together:${windowSecs}`,
    rateLimitOfStrangers: (address, windowSecs) =>
      `${together(`strangers:${address}`)}:${windowSecs}`,
    rateLimitOfScimToken: (tokenId, windowSecs) => `${together(`scim:${tokenId}`)}:${windowSecs}`,
    failedLogins: (kind, subject, windowSecs) =>
      `${logins}failed-logins:${kind}:${subject}:${windowSecs}`,
    loginsUnderway: (kind, subject) => `${logins}logins-underway:${kind}:${subject}`,
    botOwnerNotice: (botId) => `${prefix}:bot-owner-notice:${botId}`,
    presence: together('presence'),
    presenceChanges: `${together('presence')}-changes`,
    jobsPrefix: together('jobs'),
  };
}

/** @returns the channel on which lease changes are announced. Owner: placement. */
export function leasesChannel(prefix: string): string {
  return `${prefix}:leases`;
}

/** @returns the channel on which changed accounts are hinted at. Owner: event-log. */
export function accountsChannel(prefix: string): string {
  return `${prefix}:accounts`;
}
