import { useEffect } from 'preact/hooks';

import { describeFailure } from '../data/failure.ts';
import { resumeSession, session } from '../data/session.ts';
import { texts } from '../texts.ts';
import { lazy } from './lazy.tsx';
import { keepFocus } from './parts/focus.ts';
import { Shell } from './shell.tsx';

const SignIn = lazy(async () => (await import('./sign-in.tsx')).SignIn);

/** What a person sees first: the sign-in page, or the client. */
export function Root() {
  useEffect(() => keepFocus(document.body), []);
  const { value } = session;
  if (value.kind === 'signed-in') return <Shell app={value.app} />;
  return (
    <main id="main" class="entrance" tabIndex={-1}>
      {value.kind === 'signed-out' && <SignIn />}
      {value.kind === 'checking' && (
        <div class="blank" role="status" aria-label={texts.shell.opening}>
          <span class="spinner" />
        </div>
      )}
      {value.kind === 'unreachable' && (
        <div class="blank" role="alert">
          <p>{describeFailure(value.failure)}</p>
          <button type="button" onClick={() => void resumeSession()}>
            {texts.shell.again}
          </button>
        </div>
      )}
    </main>
  );
}
