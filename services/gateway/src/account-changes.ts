import { accountChangesHeaderName, parseAccountChanges } from '@parley/api';
import type { ChangedAccounts } from '@parley/api';

/** Called with the accounts that a request changed, before its client gets the answer. */
export type OnAccountsChanged = (changed: ChangedAccounts) => void;

type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Reads which accounts a service's answer names as changed. These headers are only for the gateway.
 *
 * @returns the headers for the client
 */
export function takeAccountChanges<Headers extends AnswerHeaders>(
  headers: Headers,
  onChanged: OnAccountsChanged,
): Omit<Headers, typeof accountChangesHeaderName> {
  if (!Object.hasOwn(headers, accountChangesHeaderName)) return headers;
  const { [accountChangesHeaderName]: changed, ...others } = headers;
  onChanged(parseAccountChanges(String(changed)));
  return others;
}
