import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';
import { session } from '../data/session.ts';

/** What a person sees first: the sign-in page, or the client. */
export function Root() {
  const { value } = session;
  if (value.kind === 'checking' || value.kind === 'unreachable') return null;
  return value.kind === 'signed-in' ? <Shell app={value.app} /> : <SignIn />;
}
