import { signOut } from '../data/session.ts';
import { texts } from '../texts.ts';
import { DialogForm } from './parts/dialog-form.tsx';
import { Dialog } from './parts/dialog.tsx';

/** How many drafts, and messages that were not sent, the server does not have. */
export type Unkept = { readonly drafts: number; readonly unsent: number };

type SignOutQuestionProps = { readonly unkept: Unkept; readonly onClose: () => void };

/** Asks before what is kept in this browser alone goes with the session. */
export function SignOutQuestion({ unkept: { drafts, unsent }, onClose }: SignOutQuestionProps) {
  const { signOut: action, signOutQuestion, signOutLoses } = texts.shell;
  return (
    <Dialog title={signOutQuestion} onClose={onClose}>
      <DialogForm action={action} kind="danger" submit={signOut} onClose={onClose}>
        <p>{signOutLoses(drafts, unsent)}</p>
      </DialogForm>
    </Dialog>
  );
}
