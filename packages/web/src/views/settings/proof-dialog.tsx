import { askedProof } from '../../data/proof.ts';
import { organization } from '../../data/session.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { PasswordField } from '../entrance.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Providers } from '../single-sign-on.tsx';

/** Asks who is there, while a change waits for that. Who signs in again comes back to this page, and makes the change then. */
export function ProofDialog() {
  const asked = askedProof.value;
  if (asked === undefined) return null;
  return (
    <Dialog title={t.proof.title} onClose={asked.giveUp}>
      {organization.value?.email_auth_enabled !== false && (
        <DialogForm
          action={t.proof.goOn}
          submit={(field) => asked.prove(field('password'))}
          onClose={asked.giveUp}
        >
          <PasswordField label={t.proof.password} autocomplete="current-password" />
        </DialogForm>
      )}
      <Providers />
    </Dialog>
  );
}
