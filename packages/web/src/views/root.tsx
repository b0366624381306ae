import { describeFailure } from '../data/failure.ts';
import { resumeSession, session } from '../data/session.ts';
import { texts } from '../texts.ts';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';

/** What a person sees first: the sign-in page, or the client. */
export function Root() {
  const { value } = session;
  switch (value.kind) {
    case 'checking':
      return (
        <main>
          <div class="blank" role="status" aria-label={texts.shell.opening}>
            <span class="spinner" />
          </div>
        </main>
      );
    case 'unreachable':
      return (
        <main>
          <div class="blank" role="alert">
            <p>{describeFailure(value.failure)}</p>
            <button type="button" onClick={() => void resumeSession()}>
              {texts.shell.again}
            </button>
          </div>
        </main>
      );
    case 'signed-in':
      return <Shell app={value.app} />;
    case 'signed-out':
      return <SignIn />;
  }
}
