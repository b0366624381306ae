/** Signing in by OpenID providers: the browser leaves for one, and comes back with an answer (decision 0051). */
import { signal } from '@preact/signals';

import { entranceClient, resumeSession, tellOtherTabs } from './session.ts';

/** Why this page was opened. */
export type SignOn = {
  readonly provider: string;
  /** What the provider said; undefined if the person goes there now. */
  readonly answer: string | undefined;
};

/** Until the person is signed in, or read why not. */
export const signOn = signal<SignOn | undefined>(undefined);

/** Where the person was, for this tab alone. */
const returnName = 'parley/sign-on-return';

export function parseSignOn(fragment: string): SignOn | undefined {
  const [, provider, step, answer = ''] =
    /^#sso\/([a-z0-9-]{1,30})\/(start|callback)(?:\?(.*))?$/.exec(fragment) ?? [];
  if (provider === undefined) return undefined;
  return { provider, answer: step === 'start' ? undefined : answer };
}

/**
 * Leaves for a provider to sign in there, or to link an identity there to the own account, and for the place in the address afterwards.
 *
 * @param proof.token of the link to join by which the person came, if one did
 * @param proof.password of the person who links, if the session began long ago
 * @throws ApiError, NoAnswerError: see `describeFailure`
 */
export async function beginSignOn(
  provider: string,
  operation: 'POST /sso/start' | 'POST /sso/link' = 'POST /sso/start',
  { token, password }: { readonly token?: string | undefined; readonly password?: string } = {},
): Promise<never> {
  const { url } = await entranceClient().request(operation, {
    provider,
    ...(token && { token }),
    ...(password && { password }),
  });
  sessionStorage.setItem(returnName, signOn.peek() === undefined ? location.hash : '');
  // Whoever comes back by the browser's button finds the page as it was left, waiting.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
  location.assign(url);
  // The page ends.
  return new Promise(() => {});
}

/** Goes on to the client, or to the sign-in page. */
export async function leaveSignOn(): Promise<void> {
  signOn.value = undefined;
  await resumeSession();
}

/** Finishes what began in this browser. Throws as `beginSignOn` does. */
export async function finishSignOn(provider: string, answer: string): Promise<void> {
  await entranceClient().request('POST /sso/finish', { provider, answer });
  const place = sessionStorage.getItem(returnName) ?? '';
  sessionStorage.removeItem(returnName);
  history.replaceState(undefined, '', location.pathname + place);
  await leaveSignOn();
  tellOtherTabs('signed-in');
}
