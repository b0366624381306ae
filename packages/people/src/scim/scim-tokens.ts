/** Tokens of programs that keep accounts by SCIM (decision 0052). */
import { lockAdministrator, operator } from '@parley/store/access';
import { checkLength, limits, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import { transaction } from '@parley/database';
import { makeScimToken as makeSecret } from '@parley/auth/secrets';
import { deleteScimToken, insertScimToken, lockScimTokenCount } from '@parley/store/scim';

import type { CallerProof } from '../accounts/prove-caller.ts';
import type { PeopleContext } from '../people-context.ts';

type TokenContext = Pick<PeopleContext, 'pool'>;

const hasControls = /\p{C}/u;

function checkName(given: string): string {
  const name = given.trim();
  if (name === '') throw withoutCode('A token needs a name.');
  checkLength('name', name, limits.scimTokenNameMaxCodePoints);
  if (hasControls.test(name)) throw withoutCode('Invalid characters in name!');
  return name;
}

/**
 * Makes a token.
 *
 * @returns its id, and its secret, which is stored nowhere
 * @throws ApiError unless the caller is an administrator who proves it, for a bad name, and if there are too many tokens
 */
export async function makeScimToken(
  { pool }: TokenContext,
  caller: Caller,
  prove: CallerProof,
  givenName: string,
): Promise<{ readonly id: number; readonly token: string }> {
  const name = checkName(givenName);
  const token = makeSecret();
  return transaction(pool, async (client) => {
    await lockAdministrator(client, caller);
    await prove(client);
    if ((await lockScimTokenCount(client)) >= limits.scimTokensMax)
      throw withoutCode(`There may be at most ${limits.scimTokensMax} SCIM tokens.`);
    const makerId = caller === operator ? null : caller.userId;
    return { id: await insertScimToken(client, { name, token, makerId }), token };
  });
}

/** @throws ApiError unless the caller is an administrator and there is such a token, which is refused everywhere from now on */
export async function revokeScimToken(
  { pool }: TokenContext,
  caller: Caller,
  tokenId: number,
): Promise<void> {
  await transaction(pool, async (client) => {
    await lockAdministrator(client, caller);
    if (!(await deleteScimToken(client, tokenId))) throw withoutCode('No such SCIM token');
  });
}
