import '../styles/sign-in.css';
import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
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
import type { JoinOffer, MailLink } from '../data/mail-links.ts';
import { texts } from '../texts.ts';
import { FailureNote, useAttempt } from './parts/attempt.tsx';
import { DialogForm } from './parts/dialog-form.tsx';
import { Waiting } from './parts/waiting.tsx';

const t = texts.mailLinks;

/** Puts the link aside and shows the sign-in page, or the client. */
function leave(): void {
  mailLink.value = undefined;
}

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
    <LinkForm
      action={t.reset.action}
      use={async (field) => onDone(t.reset.done(await resetPassword(token, field('password'))))}
    >
      <NewPassword />
    </LinkForm>
  ),
  confirm: ({ token, onDone }) => (
    <LinkForm
      action={t.confirm.action}
      use={async () => onDone(t.confirm.done(await confirmAddress(token)))}
    />
  ),
  join: Join,
};

function Join({ token, onDone }: StepProps) {
  const offer = useSignal<JoinOffer | undefined>(undefined);
  const { failure, run } = useAttempt();
  const look = (): void =>
    void run(async () => {
      offer.value = await lookAtJoinLink(token);
    });
  useEffect(look, [token]);
  if (offer.value === undefined)
    return (
      <>
        <Waiting failure={failure} onRetry={look} />
        <button type="button" class="plain" onClick={leave}>
          {t.putAside}
        </button>
      </>
    );
  const { organization, email, inviter } = offer.value;
  return (
    <>
      <p>{t.join.offer(organization, inviter)}</p>
      {email === null ? (
        <LinkForm
          action={t.send}
          use={async (field) => {
            await requestToJoin(token, field('email'));
            onDone(t.join.sent(field('email')));
          }}
        >
          <Address />
        </LinkForm>
      ) : (
        <LinkForm
          action={t.join.action}
          use={async (field) => {
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
        </LinkForm>
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

type LinkFormProps = {
  readonly action: string;
  /** @param field what a field holds, by its name */
  readonly use: (field: (name: string) => string) => Promise<void>;
  readonly children?: ComponentChildren;
};

function LinkForm({ action, use, children }: LinkFormProps) {
  const { isRunning, failure, run } = useAttempt();
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const field = (name: string): string => {
            const value = form.get(name);
            return typeof value === 'string' ? value : '';
          };
          void run(() => use(field));
        }}
      >
        {children}
        <button class="primary" disabled={isRunning}>
          {action}
        </button>
        <button type="button" class="plain" onClick={leave}>
          {t.putAside}
        </button>
      </form>
      <FailureNote failure={failure} />
    </>
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
      onClose={() => {
        if (sentTo.peek() === undefined) onClose();
      }}
    >
      <p>{explanation}</p>
      <Address />
    </DialogForm>
  );
}
