import type { App } from '../data/app.ts';
import { signOut } from '../data/session.ts';
import { texts } from '../texts.ts';
import { DialogForm } from './parts/dialog-form.tsx';
import { Dialog } from './parts/dialog.tsx';

/** Asks before what is kept in this browser alone goes with the session. */
export function SignOutQuestion({
  app,
  onClose,
}: {
  readonly app: App;
  readonly onClose: () => void;
}) {
  const { signOut: action, signOutQuestion, signOutLoses } = texts.shell;
  return (
    <Dialog title={signOutQuestion} onClose={onClose}>
      <DialogForm action={action} kind="danger" submit={signOut} onClose={onClose}>
        <p>{signOutLoses(app.drafts.all.value.length, app.outbox.pending.value.length)}</p>
      </DialogForm>
    </Dialog>
  );
}
