import { useEffect } from 'preact/hooks';

import { mailLink } from '../data/mail-links.ts';
import { resumeSession, session } from '../data/session.ts';
import { signOn } from '../data/single-sign-on.ts';
import { lazy } from './lazy.tsx';
import { keepFocus } from './parts/focus.ts';
import { Waiting } from './parts/waiting.tsx';
import { Shell } from './shell.tsx';

const SignIn = lazy(async () => (await import('./sign-in.tsx')).SignIn);
const SignOnPage = lazy(async () => (await import('./single-sign-on.tsx')).SignOnPage);
const MailLinkPage = lazy(async () => (await import('./mail-links.tsx')).MailLinkPage);

/** What a person sees first: the way in, or the client. */
export function Root() {
  useEffect(() => keepFocus(document.body), []);
  const { value } = session;
  const cameByLink = mailLink.value !== undefined || signOn.value !== undefined;
  if (value.kind === 'signed-in' && !cameByLink) return <Shell app={value.app} />;
  return (
    <main id="main" class="entrance" tabIndex={-1}>
      <Entrance />
    </main>
  );
}

function Entrance() {
  const { value } = session;
  if (mailLink.value !== undefined) return <MailLinkPage link={mailLink.value} />;
  if (signOn.value !== undefined) return <SignOnPage {...signOn.value} />;
  if (value.kind === 'signed-out') return <SignIn />;
  return (
    <div class="blank">
      <Waiting
        failure={value.kind === 'unreachable' ? value.failure : undefined}
        onRetry={() => void resumeSession()}
      />
    </div>
  );
}
