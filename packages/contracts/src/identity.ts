/**
 * Who makes a request, as the gateway found out and every service believes.
 * The roles are the three of the reference facts (people 3, "Shared role errors").
 */

export type Role = 'administrator' | 'member' | 'guest';

/** Bot kinds (contract, User): 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; null is a human. */
export const incomingWebhookBotType = 2;

export type Caller = {
  readonly userId: number;
  readonly email: string;
  readonly role: Role;
  readonly botType: number | null;
  readonly botOwnerId: number | null;
};

/** The request header that carries the signed caller from the gateway to a service. */
export const identityHeaderName = 'x-parley-identity';

/** The request header that carries the id given by the gateway; it is also the answer's. */
export const requestIdHeaderName = 'x-request-id';
