/** Whether somebody is signed in, in this browser. */
import { signal } from '@preact/signals';
import { ApiError, ParleyClient } from '@parley/client';

import type { App } from './app.ts';
import { openApp } from './open-app.ts';

export type Session =
  | { readonly kind: 'checking' }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'signed-in'; readonly app: App };

export const session = signal<Session>({ kind: 'checking' });

/** Opens the client if the browser has a session. */
export async function resumeSession(site: string): Promise<void> {
  const ending = new AbortController();
  const onSignedOut = (): void => {
    ending.abort();
    session.value = { kind: 'signed-out' };
  };
  try {
    const client = new ParleyClient({ site });
    session.value = {
      kind: 'signed-in',
      app: await openApp(client, { signal: ending.signal, onSignedOut }),
    };
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    onSignedOut();
  }
}
