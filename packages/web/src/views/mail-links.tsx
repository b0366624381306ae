import '../styles/sign-in.css';
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';

import {
  confirmAddress,
  join,
  lookAtJoinLink,
  mailLink,
  requestPasswordReset,
  requestToJoin,
  resetPassword,
} from '../data/mail-links.ts';
import type { MailLink } from '../data/mail-links.ts';
import { texts } from '../texts.ts';
import { DialogForm } from './parts/dialog-form.tsx';
import { useReading } from './parts/waiting.tsx';

const t = texts.mailLinks;

/** Puts the link aside and shows the sign-in page, or the client. */
function leave(): void {
  mailLink.value = undefined;
}

const putAside = { cancel: t.putAside, onClose: leave };

/** What a link from a mail opens. Opening it changes nothing: programs that check mails open links too. */
export function MailLinkPage({ link: { purpose, token } }: { readonly link: MailLink }) {
  const done = useSignal<string | undefined>(undefined);
  const { title } = t[purpose];
  useEffect(() => {
    document.title = title;
  }, [title]);
  const Step = steps[purpose];
  return (
    <div class="sign-in-card">
      <header>
        <h1>{title}</h1>
      </header>
      {done.value === undefined ? (
        <Step token={token} onDone={(text) => (done.value = text)} />
      ) : (
        <>
          <p role="status">{done.value}</p>
          <button type="button" class="primary" autoFocus onClick={leave}>
            {t.goOn}
          </button>
        </>
      )}
    </div>
  );
}

type StepProps = {
  readonly token: string;
  /** @param text what the person is told */
  readonly onDone: (text: string) => void;
};

const steps: Readonly<Record<MailLink['purpose'], ComponentType<StepProps>>> = {
  reset: ({ token, onDone }) => (
    <DialogForm
      {...putAside}
      action={t.reset.action}
      submit={async (field) => onDone(t.reset.done(await resetPassword(token, field('password'))))}
    >
      <NewPassword />
    </DialogForm>
  ),
  confirm: ({ token, onDone }) => (
    <DialogForm
      {...putAside}
      action={t.confirm.action}
      submit={async () => onDone(t.confirm.done(await confirmAddress(token)))}
    />
  ),
  join: Join,
};

function Join({ token, onDone }: StepProps) {
  const { value: offer, waiting } = useReading(async () => lookAtJoinLink(token), token);
  if (offer === undefined)
    return (
      <>
        {waiting}
        <button type="button" class="plain" onClick={leave}>
          {t.putAside}
        </button>
      </>
    );
  const { organization, email, inviter } = offer;
  return (
    <>
      <p>{t.join.offer(organization, inviter)}</p>
      {email === null ? (
        <DialogForm
          {...putAside}
          action={t.send}
          submit={async (field) => {
            await requestToJoin(token, field('email'));
            onDone(t.join.sent(field('email')));
          }}
        >
          <Address />
        </DialogForm>
      ) : (
        <DialogForm
          {...putAside}
          action={t.join.action}
          submit={async (field) => {
            await join(token, field('full_name'), field('password'));
            onDone(t.join.done(email));
          }}
        >
          <p>{t.join.address(email)}</p>
          <label class="field">
            {t.join.name}
            <input name="full_name" autocomplete="name" required maxLength={100} />
          </label>
          <NewPassword />
        </DialogForm>
      )}
    </>
  );
}

function Address() {
  return (
    <label class="field">
      {texts.signIn.address}
      <input type="email" name="email" autocomplete="username" required maxLength={254} autoFocus />
    </label>
  );
}

function NewPassword() {
  return (
    <label class="field">
      {t.newPassword}
      <input
        type="password"
        name="password"
        autocomplete="new-password"
        required
        maxLength={1_000}
      />
    </label>
  );
}

const linkRequests = {
  reset: requestPasswordReset,
  join: async (email: string) => requestToJoin(undefined, email),
};

/** For what somebody gets a link who has none. */
export type RequestedPurpose = keyof typeof linkRequests;

/** Asks for the address to which a link goes. What it says then is the same for every address. */
export function LinkRequest({
  purpose,
  onClose,
}: {
  readonly purpose: RequestedPurpose;
  readonly onClose: () => void;
}) {
  const sentTo = useSignal<string | undefined>(undefined);
  const { explanation, sent } = t[purpose];
  if (sentTo.value !== undefined)
    return (
      <>
        <p role="status">{sent(sentTo.value)}</p>
        <button type="button" autoFocus onClick={onClose}>
          {t.back}
        </button>
      </>
    );
  return (
    <DialogForm
      action={t.send}
      submit={async (field) => {
        await linkRequests[purpose](field('email'));
        sentTo.value = field('email');
      }}
      onClose={onClose}
    >
      <p>{explanation}</p>
      <Address />
    </DialogForm>
  );
}
