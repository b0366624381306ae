import { NoAnswerError } from '@parley/client';
import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';

import { mailLink } from '../data/mail-links.ts';
import type { MailLink } from '../data/mail-links.ts';
import { entranceClient, organization, session, signIn } from '../data/session.ts';
import { entranceTexts } from '../entrance-texts.ts';
import { AddressField, EntranceCard, EntranceField, PasswordField } from './entrance.tsx';
import { DialogForm } from './parts/dialog-form.tsx';
import type { DialogFormProps } from './parts/dialog-form.tsx';
import { useReading } from './parts/waiting.tsx';
import { Providers } from './single-sign-on.tsx';

const t = entranceTexts.mailLinks;

/** Puts the link aside and shows the sign-in page, or the client. */
function leave(): void {
  mailLink.value = undefined;
}

const onward = { cancel: t.putAside, done: t.goOn, onClose: leave };

type StepProps = Omit<DialogFormProps, 'submit'> & {
  /** What the button says when it is sent. */
  readonly done: string;
  /** @returns what the person is told */
  readonly submit: (field: (name: string) => string) => Promise<string>;
  /** Shown below the form until it is sent. */
  readonly otherWays?: ComponentChildren;
};

/** Sends what a form asks for, and says then what came of it. */
function Step({ done, submit, onClose, otherWays, ...form }: StepProps) {
  const result = useSignal<string | undefined>(undefined);
  if (result.value === undefined)
    return (
      <>
        <DialogForm
          {...form}
          submit={async (field) => (result.value = await submit(field))}
          onClose={onClose}
        />
        {otherWays}
      </>
    );
  return (
    <>
      <p role="status">{result}</p>
      <button type="button" class="primary" autoFocus onClick={onClose}>
        {done}
      </button>
    </>
  );
}

type LinkProps = { readonly token: string };

const steps: Readonly<Record<MailLink['purpose'], ComponentType<LinkProps>>> = {
  reset: ({ token }) => (
    <Step
      {...onward}
      action={t.reset.action}
      submit={async (field) => {
        const chosen = { token, new_password: field('password') };
        const { email } = await entranceClient().request('POST /password_reset/confirm', chosen);
        return t.reset.done(email);
      }}
    >
      <PasswordField label={t.newPassword} autocomplete="new-password" />
    </Step>
  ),
  confirm: ({ token }) => (
    <Step
      {...onward}
      action={t.confirm.action}
      submit={async () => {
        const { email } = await entranceClient().request('POST /settings/email/confirm', { token });
        return t.confirm.done(email);
      }}
    />
  ),
  join: Join,
};

/** What a link from a mail opens. Opening it changes nothing: programs that check mails open links too. */
export function MailLinkPage({ link: { purpose, token } }: { readonly link: MailLink }) {
  const Content = steps[purpose];
  return (
    <EntranceCard title={t[purpose].title}>
      <Content key={token} token={token} />
    </EntranceCard>
  );
}

/**
 * Signs in to a new account, unless somebody is signed in.
 *
 * @returns whether it did; otherwise the person is told to do it
 */
async function enter(username: string, password: string): Promise<boolean> {
  if (session.peek().kind !== 'signed-out') return false;
  return signIn({ username, password }).then(
    () => {
      leave();
      return true;
    },
    () => false,
  );
}

function Join({ token }: LinkProps) {
  const { value, waiting } = useReading(
    () => entranceClient().request('POST /join/look', { token }),
    token,
  );
  const aside = session.value.kind === 'signed-out' ? t.join.haveAccount : t.putAside;
  const offer = value && <p>{t.join.offer(value.organization, value.inviter)}</p>;
  const otherWays = value && <Providers joining={{ token, providers: value.providers }} />;
  if (value === undefined || organization.value?.email_auth_enabled === false)
    return (
      <>
        {offer ?? waiting}
        {otherWays}
        <button type="button" class="primary" onClick={leave}>
          {aside}
        </button>
      </>
    );
  const { email } = value;
  if (email === null)
    return (
      <LinkRequest {...onward} cancel={aside} purpose="join" token={token} otherWays={otherWays}>
        {offer}
      </LinkRequest>
    );
  return (
    <Step
      otherWays={otherWays}
      {...onward}
      cancel={aside}
      action={t.join.action}
      submit={async (field) => {
        const [full_name, password] = [field('full_name'), field('password')];
        try {
          await entranceClient().request('POST /join', { token, full_name, password });
          await enter(email, password);
        } catch (failure) {
          // An answer that got lost may have said that the account is there.
          if (!(failure instanceof NoAnswerError && (await enter(email, password)))) throw failure;
        }
        return t.join.done(email);
      }}
    >
      {offer}
      <p>{t.join.address(email)}</p>
      <EntranceField
        label={t.join.name}
        name="full_name"
        autocomplete="name"
        maxLength={100}
        defaultValue={value.full_name ?? undefined}
      />
      <PasswordField label={t.newPassword} autocomplete="new-password" />
    </Step>
  );
}

const linkRequests = { reset: 'POST /password_reset', join: 'POST /join/request' } as const;

/** For what somebody gets a link who has none. */
export type RequestedPurpose = keyof typeof linkRequests;

type LinkRequestProps = Omit<StepProps, 'action' | 'done' | 'submit'> & {
  readonly purpose: RequestedPurpose;
  /** Of the link for anybody by which the person came. */
  readonly token?: string;
  readonly done?: string;
};

/** Asks for the address to which a link goes. What it says then is the same for every address. */
export function LinkRequest({ purpose, token, children, ...step }: LinkRequestProps) {
  return (
    <Step
      action={t.send}
      done={t.back}
      {...step}
      submit={async (field) => {
        const email = field('email');
        await entranceClient().request(linkRequests[purpose], { email, ...(token && { token }) });
        return t[purpose].sent(email);
      }}
    >
      {children ?? <p>{t[purpose].explanation}</p>}
      <AddressField name="email" autoFocus />
    </Step>
  );
}
