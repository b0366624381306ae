import { useSignal } from '@preact/signals';

import { demoPeople, organization, session, signIn } from '../data/session.ts';
import { entranceTexts } from '../entrance-texts.ts';
import { AddressField, PasswordField, useTitle } from './entrance.tsx';
import { LinkRequest } from './mail-links.tsx';
import type { RequestedPurpose } from './mail-links.tsx';
import { FailureNote, useAttempt } from './parts/attempt.tsx';
import { useBeginning } from './parts/beginning.tsx';
import { takeFields } from './parts/dialog-form.tsx';
import { RenderedHtml } from './parts/rendered-html.tsx';
import { isOwnPicture } from './parts/rendered-rules.ts';
import { Providers } from './single-sign-on.tsx';

const t = entranceTexts.signIn;

/** Demo people offered before the rest of them is asked for. */
const demoPeopleSteps = { first: 8, further: Infinity };

/** What somebody sees who is not signed in: whose server this is, and the way in. */
export function SignIn() {
  return (
    <>
      <div class="sign-in-card">
        <Organization />
        {session.value.kind === 'signed-out' && session.value.hasEnded && (
          <p role="status">{t.ended}</p>
        )}
        {/* Elsewhere browsers do not say that a page of the server reads, which the server has to know. */}
        {isSecureContext ? (
          <>
            {organization.value?.email_auth_enabled !== false && <WayIn />}
            <Providers />
          </>
        ) : (
          <p role="alert">{t.insecure}</p>
        )}
      </div>
      <footer>
        <a href="/api/docs">{t.reference}</a>
      </footer>
    </>
  );
}

function WayIn() {
  const requested = useSignal<RequestedPurpose | undefined>(undefined);
  const { isRunning, failure, run } = useAttempt();
  if (requested.value !== undefined)
    return <LinkRequest purpose={requested.value} onClose={() => (requested.value = undefined)} />;
  return (
    <>
      <form
        onSubmit={(event) => {
          const field = takeFields(event);
          const username = field('username').trim();
          void run(() => signIn({ username, password: field('password') }));
        }}
      >
        <AddressField name="username" />
        <PasswordField label={t.password} autocomplete="current-password" />
        <button type="submit" class="primary" disabled={isRunning}>
          {isRunning ? t.signingIn : t.signIn}
        </button>
        <button type="button" class="plain" onClick={() => (requested.value = 'reset')}>
          {t.forgotten}
        </button>
        {organization.value?.signup_enabled === true && (
          <button type="button" class="plain" onClick={() => (requested.value = 'join')}>
            {t.signUp}
          </button>
        )}
      </form>
      <FailureNote failure={failure} />
      <DemoPeople
        isSigningIn={isRunning}
        onChoose={(username) => void run(() => signIn({ username }))}
      />
    </>
  );
}

function Organization() {
  const { realm_name, realm_icon, realm_description } = organization.value ?? {};
  const name = realm_name ?? t.product;
  useTitle(t.pageTitle(name));
  return (
    <header>
      {realm_icon !== undefined && isOwnPicture(realm_icon, location.origin) && (
        <img src={realm_icon} alt="" width={64} height={64} />
      )}
      <h1>{name}</h1>
      {realm_description !== undefined && <RenderedHtml html={realm_description} class="hint" />}
    </header>
  );
}

type DemoPeopleProps = {
  readonly isSigningIn: boolean;
  readonly onChoose: (address: string) => void;
};

/** On a development server anybody may be one of its people. */
function DemoPeople({ isSigningIn, onChoose }: DemoPeopleProps) {
  const people = demoPeople.value;
  const { shown, more } = useBeginning(people, demoPeopleSteps, () => t.allDemo(people.length));
  if (people.length === 0) return null;
  return (
    <section aria-labelledby="demo-people">
      <h2 id="demo-people">{t.demo}</h2>
      <ul>
        {shown.map((address) => (
          <li key={address}>
            <button type="button" disabled={isSigningIn} onClick={() => onChoose(address)}>
              {address}
            </button>
          </li>
        ))}
      </ul>
      {more}
    </section>
  );
}
