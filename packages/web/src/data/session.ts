/** Whether somebody is signed in, in this browser, and signing in and out. All tabs of the browser go along. */
import { signal } from '@preact/signals';
import { ApiError, ParleyClient } from '@parley/client';
import type { AnswerOf, ParametersOf } from '@parley/client';

import type { App } from './app.ts';
import { editedMessageId } from './message-actions.ts';
import { openApp } from './open-app.ts';
import { closePushed } from './push.ts';
import { eraseStored } from './stored.ts';

export type Session =
  | { readonly kind: 'checking' }
  /** `hasEnded`: by itself, in this page. */
  | { readonly kind: 'signed-out'; readonly hasEnded: boolean }
  /** The server cannot be asked at the moment; it is tried again. */
  | { readonly kind: 'unreachable'; readonly failure: unknown }
  | { readonly kind: 'signed-in'; readonly app: App };

export const session = signal<Session>({ kind: 'checking' });

/** What the server says of itself to everybody; undefined until it has answered. */
export const organization = signal<AnswerOf<'GET /server_settings'> | undefined>(undefined);

/** Addresses of people who may sign in by a click: those of a development server, otherwise none. */
export const demoPeople = signal<readonly string[]>([]);

/** Tells other tabs that somebody signed in or out. */
const otherTabs = new BroadcastChannel('parley/session');
export const tellOtherTabs: (said: 'signed-in' | 'signed-out') => void =
  otherTabs.postMessage.bind(otherTabs);

/** Other releases of the client have another address, and do not share events with this one. */
const sharingName = `parley/${new URL(import.meta.url).pathname}`;

let ending = new AbortController();

function client(): ParleyClient {
  return new ParleyClient({ site: location.origin });
}

/** Calls the server for somebody who waits before a form: a refusal for too many requests is told, not waited out. */
export function entranceClient(): ParleyClient {
  return new ParleyClient({ site: location.origin, repeatsMax: 0 });
}

/** Forgets who was signed in, in this tab, and shows the sign-in page. */
async function showSignIn(hasEnded = false): Promise<void> {
  ending.abort();
  ending = new AbortController();
  editedMessageId.value = undefined;
  void closePushed(() => false);
  session.value = { kind: 'signed-out', hasEnded };
  await describeOrganization().catch(() => undefined);
}

async function open(): Promise<void> {
  const app = await openApp(client(), {
    name: sharingName,
    signal: ending.signal,
    store: localStorage,
    page: globalThis,
    onUnreachable(failure) {
      session.value = { kind: 'unreachable', failure };
    },
    onSignedOut: () => void showSignIn(true),
  });
  session.value = { kind: 'signed-in', app };
}

/** Opens the client if the browser has a session; otherwise learns what the sign-in page shows. */
export async function resumeSession(): Promise<void> {
  session.value = { kind: 'checking' };
  try {
    await open();
  } catch (failure) {
    if (failure instanceof ApiError && failure.status === 401) await showSignIn();
    else session.value = { kind: 'unreachable', failure };
  }
}

async function describeOrganization(): Promise<void> {
  organization.value = await client().request('GET /server_settings');
  const listed = await client().attempt('GET /dev_list_users');
  if (listed.result === 'success')
    demoPeople.value = [...listed.direct_admins, ...listed.direct_users].map(({ email }) => email);
}

/**
 * @param credentials without a password for one of `demoPeople`
 * @throws ApiError, NoAnswerError: see `describeFailure`
 */
export async function signIn(credentials: ParametersOf<'POST /sessions'>): Promise<void> {
  await entranceClient().request('POST /sessions', credentials);
  await open();
  tellOtherTabs('signed-in');
}

/**
 * Ends the session, and erases what the browser keeps of all accounts. Who signed in by a provider goes there to be signed out too.
 *
 * @throws ApiError, NoAnswerError if the server did not end it; the person is still signed in then
 */
export async function signOut(): Promise<void> {
  const { sessions } = await client().request('GET /sessions');
  const current = sessions.find(({ is_current }) => is_current);
  const ended =
    current &&
    (await client().request('DELETE /sessions/{session_id}', { session_id: current.session_id }));
  const shown = showSignIn();
  eraseStored(localStorage);
  tellOtherTabs('signed-out');
  if (ended?.sign_out_url !== undefined) location.assign(ended.sign_out_url);
  else await shown;
}

otherTabs.addEventListener('message', ({ data }) => {
  if (data === 'signed-out') void showSignIn();
  else if (session.value.kind !== 'signed-in') void resumeSession();
});
