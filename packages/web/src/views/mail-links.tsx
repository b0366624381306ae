import '../styles/sign-in.css';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import {
  confirmAddress,
  mailLink,
  requestPasswordReset,
  resetPassword,
} from '../data/mail-links.ts';
import type { MailLink } from '../data/mail-links.ts';
import { texts } from '../texts.ts';
import { FailureNote, useAttempt } from './parts/attempt.tsx';
import { DialogForm } from './parts/dialog-form.tsx';

const t = texts.mailLinks;

/** Puts the link aside and shows the sign-in page, or the client. */
function leave(): void {
  mailLink.value = undefined;
}

/** What a link from a mail opens. Opening it changes nothing: programs that check mails open links too. */
export function MailLinkPage({ link: { purpose, token } }: { readonly link: MailLink }) {
  const address = useSignal<string | undefined>(undefined);
  const { title, done } = t[purpose];
  useEffect(() => {
    document.title = title;
  }, [title]);
  const use = async (password: string): Promise<void> => {
    address.value =
      purpose === 'reset' ? await resetPassword(token, password) : await confirmAddress(token);
  };
  return (
    <div class="sign-in-card">
      <header>
        <h1>{title}</h1>
      </header>
      {address.value === undefined ? (
        <LinkForm purpose={purpose} use={use} />
      ) : (
        <>
          <p role="status">{done(address.value)}</p>
          <button type="button" class="primary" autoFocus onClick={leave}>
            {t.goOn}
          </button>
        </>
      )}
    </div>
  );
}

type LinkFormProps = {
  readonly purpose: MailLink['purpose'];
  readonly use: (password: string) => Promise<void>;
};

function LinkForm({ purpose, use }: LinkFormProps) {
  const { isRunning, failure, run } = useAttempt();
  const password = useSignal('');
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(() => use(password.value));
        }}
      >
        {purpose === 'reset' && (
          <label class="field">
            {t.newPassword}
            <input
              type="password"
              autocomplete="new-password"
              required
              maxLength={1_000}
              value={password.value}
              onInput={({ currentTarget }) => (password.value = currentTarget.value)}
            />
          </label>
        )}
        <button class="primary" disabled={isRunning}>
          {t[purpose].action}
        </button>
        <button type="button" class="plain" onClick={leave}>
          {t.putAside}
        </button>
      </form>
      <FailureNote failure={failure} />
    </>
  );
}

/** Asks for the address to which the link for a new password goes. What it says then is the same for every address. */
export function ForgottenPassword({ onClose }: { readonly onClose: () => void }) {
  const sentTo = useSignal<string | undefined>(undefined);
  if (sentTo.value !== undefined)
    return (
      <>
        <p role="status">{t.sent(sentTo.value)}</p>
        <button type="button" autoFocus onClick={onClose}>
          {t.back}
        </button>
      </>
    );
  return (
    <DialogForm
      action={t.send}
      submit={async (field) => {
        await requestPasswordReset(field('email'));
        sentTo.value = field('email');
      }}
      onClose={() => {
        if (sentTo.peek() === undefined) onClose();
      }}
    >
      <p>{t.explanation}</p>
      <label class="field">
        {texts.signIn.address}
        <input
          type="email"
          name="email"
          autocomplete="username"
          required
          maxLength={254}
          autoFocus
        />
      </label>
    </DialogForm>
  );
}
