/**
 * Every key and channel name in Redis is made here. Redis holds only what may be lost: hints, counters and job queues.
 */
export type KeyNames = {
  /** Channel on which writers of the log publish entries with their positions. Owner: event-log. */
  readonly logChannel: string;
  /** Channel on which a changed or removed API key is announced to gateways. Owner: store. */
  readonly credentialsChannel: string;
  /** Channel on which lease changes are announced. Owner: placement. */
  readonly leasesChannel: string;
  /** Accepted requests of a user in the sliding window. Owner: gateway. Lives as long as the window. */
  readonly rateLimit: (userId: number, windowSecs: number) => string;
  /** Failed logins of an address or account name in the sliding window. Owner: gateway. Lives as long as the window. */
  readonly failedLogins: (kind: string, subject: string, windowSecs: number) => string;
  /** Logins that are being judged. Owner: gateway. Lives as long as judging one may take. */
  readonly loginsUnderway: (kind: string, subject: string) => string;
  /** Taken while the owner of a bot gets no further notice about it. Owner: messages. Lives as long as that holds. */
  readonly botOwnerNotice: (botId: number) => string;
  /** What everybody's clients last reported. Owner: presence-state. Lives two weeks after the last report. */
  readonly presence: string;
  /** Whose presence changed last, in order. Owner: presence-state. Lives as long. */
  readonly presenceChanges: string;
  /** Prefix of BullMQ's keys. Owner: jobs. */
  readonly jobsPrefix: string;
};

/** @param prefix `PARLEY_REDIS_PREFIX`; installations that share a Redis differ in it */
export function keyNames(prefix: string): KeyNames {
  return {
    logChannel: `${prefix}:log`,
    credentialsChannel: `${prefix}:credentials`,
    leasesChannel: `${prefix}:leases`,
    rateLimit: (userId, windowSecs) => `${prefix}:rate:${userId}:${windowSecs}`,
    failedLogins: (kind, subject, windowSecs) =>
      `${prefix}:failed-logins:${kind}:${subject}:${windowSecs}`,
    loginsUnderway: (kind, subject) => `${prefix}:logins-underway:${kind}:${subject}`,
    botOwnerNotice: (botId) => `${prefix}:bot-owner-notice:${botId}`,
    presence: `${prefix}:presence`,
    presenceChanges: `${prefix}:presence-changes`,
    jobsPrefix: `${prefix}:jobs`,
  };
}
