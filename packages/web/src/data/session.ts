/** Whether somebody is signed in, in this browser, and signing in and out. */
import { signal } from '@preact/signals';
import { ApiError, ParleyClient } from '@parley/client';
import type { AnswerOf } from '@parley/client';

import type { App } from './app.ts';
import { openApp } from './open-app.ts';
import { eraseStored } from './stored.ts';

export type Session =
  | { readonly kind: 'checking' }
  | { readonly kind: 'signed-out' }
  /** The server could not be asked. */
  | { readonly kind: 'unreachable'; readonly failure: unknown }
  | { readonly kind: 'signed-in'; readonly app: App };

export const session = signal<Session>({ kind: 'checking' });

/** What the server says of itself to everybody; undefined until it has answered. */
export const organization = signal<AnswerOf<'GET /server_settings'> | undefined>(undefined);

/** Addresses of people who may sign in by a click: those of a development server, otherwise none. */
export const demoPeople = signal<readonly string[]>([]);

let ending = new AbortController();

function end(): void {
  ending.abort();
  ending = new AbortController();
  session.value = { kind: 'signed-out' };
}

async function open(client: ParleyClient): Promise<void> {
  const app = await openApp(client, {
    signal: ending.signal,
    store: localStorage,
    onSignedOut: end,
  });
  session.value = { kind: 'signed-in', app };
}

/** Opens the client if the browser has a session; otherwise learns what the sign-in page shows. */
export async function resumeSession(): Promise<void> {
  session.value = { kind: 'checking' };
  try {
    await open(new ParleyClient({ site: location.origin }));
  } catch (failure) {
    if (failure instanceof ApiError && failure.status === 401) {
      end();
      await describeOrganization();
    } else session.value = { kind: 'unreachable', failure };
  }
}

async function describeOrganization(): Promise<void> {
  const client = new ParleyClient({ site: location.origin });
  organization.value = await client.request('GET /server_settings');
  const listed = await client.attempt('GET /dev_list_users');
  if (listed.result === 'success')
    demoPeople.value = [...listed.direct_admins, ...listed.direct_users].map(({ email }) => email);
}

/** @throws ApiError, NoAnswerError: see `describeFailure` */
export async function signIn(address: string, password: string): Promise<void> {
  await open(await ParleyClient.logIn({ site: location.origin, username: address, password }));
}

/** Signs in as one of `demoPeople`. Throws as `signIn` does. */
export async function signInAsDemo(address: string): Promise<void> {
  const site = location.origin;
  const client = new ParleyClient({ site });
  const { email, api_key: apiKey } = await client.request('POST /dev_fetch_api_key', {
    username: address,
  });
  await open(new ParleyClient({ site, email, apiKey }));
}

/** Ends the session, and erases what the browser keeps of all accounts. */
export async function signOut(): Promise<void> {
  eraseStored(localStorage);
  end();
  await describeOrganization();
}
