import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';

import { mailLink } from '../data/mail-links.ts';
import type { MailLink } from '../data/mail-links.ts';
import { entranceClient } from '../data/session.ts';
import { texts } from '../texts.ts';
import { AddressField, EntranceCard, EntranceField, PasswordField } from './entrance.tsx';
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
  const Step = steps[purpose];
  return (
    <EntranceCard title={t[purpose].title}>
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
    </EntranceCard>
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
      submit={async (field) => {
        const chosen = { token, new_password: field('password') };
        const { email } = await entranceClient().request('POST /password_reset/confirm', chosen);
        onDone(t.reset.done(email));
      }}
    >
      <NewPassword />
    </DialogForm>
  ),
  confirm: ({ token, onDone }) => (
    <DialogForm
      {...putAside}
      action={t.confirm.action}
      submit={async () => {
        const { email } = await entranceClient().request('POST /settings/email/confirm', { token });
        onDone(t.confirm.done(email));
      }}
    />
  ),
  join: Join,
};

function Join({ token, onDone }: StepProps) {
  const { value: offer, waiting } = useReading(
    () => entranceClient().request('POST /join/look', { token }),
    token,
  );
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
            const email = field('email');
            await entranceClient().request('POST /join/request', { token, email });
            onDone(t.join.sent(email));
          }}
        >
          <AddressField name="email" autoFocus />
        </DialogForm>
      ) : (
        <DialogForm
          {...putAside}
          action={t.join.action}
          submit={async (field) => {
            const [full_name, password] = [field('full_name'), field('password')];
            await entranceClient().request('POST /join', { token, full_name, password });
            onDone(t.join.done(email));
          }}
        >
          <p>{t.join.address(email)}</p>
          <EntranceField label={t.join.name} name="full_name" autocomplete="name" maxLength={100} />
          <NewPassword />
        </DialogForm>
      )}
    </>
  );
}

function NewPassword() {
  return <PasswordField label={t.newPassword} autocomplete="new-password" />;
}

const linkRequests = { reset: 'POST /password_reset', join: 'POST /join/request' } as const;

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
        await entranceClient().request(linkRequests[purpose], { email: field('email') });
        sentTo.value = field('email');
      }}
      onClose={onClose}
    >
      <p>{explanation}</p>
      <AddressField name="email" autoFocus />
    </DialogForm>
  );
}
