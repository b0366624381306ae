import type { BotType } from './bots.ts';

/**
 * The caller of a request, which the gateway determines and every service trusts.
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
  /** Null for a person. */
  readonly botType: BotType | null;
  readonly botOwnerId: number | null;
  /** The browser's session that the request came with; absent for a key. */
  readonly sessionId?: number;
  /** The token of a program that keeps accounts by SCIM, which is nobody's account. */
  readonly scimTokenId?: number;
};

/** @returns the caller of requests with a token of SCIM: no account, and without the rights of one */
export function scimCaller(scimTokenId: number): Caller {
  return { userId: 0, email: '', role: 'guest', botType: null, botOwnerId: null, scimTokenId };
}

/** @returns the responsible account of a caller: a bot's owner. It is charged for what an owner and all bots use together */
export function ownerIdOf({ userId, botOwnerId }: Pick<Caller, 'userId' | 'botOwnerId'>): number {
  return botOwnerId ?? userId;
}

/** The organization that an installation serves, in addresses of files. */
export const realmId = 1;

/** The request header with the signed caller, from the gateway to a service. */
export const identityHeaderName = 'x-parley-identity';

/** The header in which the gateway names the endpoint of an upload. */
export const endpointHeaderName = 'x-parley-endpoint';

/** The header in which the gateway says for how many milliseconds a service may make the change of a request; later it is no longer made. */
export const changeWithinHeaderName = 'x-parley-change-within-ms';

/** The request header with the id that the gateway gives; the answer has it too. */
export const requestIdHeaderName = 'x-request-id';
