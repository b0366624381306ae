import { accountChangesHeaderName, parseAccountChanges } from '@parley/api';
import type { ChangedAccounts } from '@parley/api';

/** Told of accounts that a request changed, before its client has the answer. */
export type OnAccountsChanged = (changed: ChangedAccounts) => void;

type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Reads what a service's answer says of changed accounts, which is for the gateway alone.
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
