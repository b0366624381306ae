import type { BotType } from './bots.ts';

/**
 * Who makes a request, as the gateway found out and every service believes.
 * The roles are the three of the reference facts (people 3, "Shared role errors").
 */

export const roles = {
  administrator: 'administrator',
  member: 'member',
  guest: 'guest',
} as const;

export type Role = keyof typeof roles;

export type Caller = {
  readonly userId: number;
  readonly email: string;
  readonly role: Role;
  /** Null is a human. */
  readonly botType: BotType | null;
  readonly botOwnerId: number | null;
};

/** @returns the account that answers for a caller: a bot's owner. What an owner and his bots use together is counted for it */
export function ownerIdOf({ userId, botOwnerId }: Pick<Caller, 'userId' | 'botOwnerId'>): number {
  return botOwnerId ?? userId;
}

/** The organization that an installation serves, as addresses of files name it. */
export const realmId = 1;

/** The request header that carries the signed caller from the gateway to a service. */
export const identityHeaderName = 'x-parley-identity';

/** The request header that carries the id given by the gateway; it is also the answer's. */
export const requestIdHeaderName = 'x-request-id';
