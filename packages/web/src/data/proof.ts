/** Changes for which the server wants to know again that the person is there: by the password, or by another sign-in (decision 0071). */
import { ApiError } from '@parley/client';
import { signal } from '@preact/signals';

import { settingsTexts } from '../settings-texts.ts';
import { Refusal } from './failure.ts';
import { entranceClient, organization } from './session.ts';

/** A change that waits for its person. */
type Asked = {
  /** @throws what the change throws; then it still waits */
  readonly prove: (password: string) => Promise<void>;
  readonly giveUp: () => void;
};

export const askedProof = signal<Asked | undefined>(undefined);

function isProofRequired(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const body: unknown = error.body;
  return (
    typeof body === 'object' &&
    body !== null &&
    'reason' in body &&
    body.reason === 'proof required'
  );
}

/**
 * Makes a change, and asks for the password if the server does.
 *
 * @param change with the password, which is empty at first
 * @throws what the change throws; Refusal if the person gives no password
 */
export async function proven<Result>(
  change: (password: string) => Promise<Result>,
): Promise<Result> {
  try {
    return await change('');
  } catch (error) {
    if (!isProofRequired(error)) throw error;
  }
  organization.value ??= await entranceClient().request('GET /server_settings');
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const settle = (): void => {
    askedProof.value = undefined;
  };
  askedProof.value = {
    prove: async (password) => {
      resolve(await change(password));
      settle();
    },
    giveUp: () => {
      reject(new Refusal(settingsTexts.proof.missing));
      settle();
    },
  };
  return promise;
}
