import { lockCaller } from '@parley/store/access';
import type { Role } from '@parley/api';
import type { Client } from '@parley/database';

/** An account that makes a change, in its state until the transaction ends. */
export type Actor = { readonly userId: number; readonly role: Role; readonly email: string };

/** Locks the account that makes a change, see `lockCaller`. */
export async function lockActor(client: Client, userId: number): Promise<Actor> {
  const { role, email } = await lockCaller(client, { userId });
  return { userId, role, email };
}
