import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { describeFailure } from '../data/failure.ts';
import { demoPeople, organization, signIn, signInAsDemo } from '../data/session.ts';
import { texts } from '../texts.ts';
import { RenderedHtml } from './parts/rendered-html.tsx';
import { isOwnPicture } from './parts/rendered-rules.ts';

/** Demo people offered before the rest of them is asked for. */
const demoPeopleAtFirst = 8;

/** What somebody sees who is not signed in: whose server this is, and the way in. */
export function SignIn() {
  const failure = useSignal<string | undefined>(undefined);
  const isSigningIn = useSignal(false);
  const attempt = async (enter: () => Promise<void>): Promise<void> => {
    if (isSigningIn.value) return;
    isSigningIn.value = true;
    failure.value = undefined;
    try {
      await enter();
    } catch (error) {
      failure.value = describeFailure(error);
    } finally {
      isSigningIn.value = false;
    }
  };
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <Organization />
        <PasswordForm
          isSigningIn={isSigningIn.value}
          onSignIn={(address, password) => void attempt(async () => signIn(address, password))}
        />
        <p class="refused" role="alert">
          {failure.value}
        </p>
        <DemoPeople
          isSigningIn={isSigningIn.value}
          onChoose={(address) => void attempt(async () => signInAsDemo(address))}
        />
      </div>
      <footer>
        <a href="/api/docs">{texts.signIn.reference}</a>
      </footer>
    </main>
  );
}

function Organization() {
  const name = organization.value?.realm_name ?? texts.signIn.product;
  const picture = organization.value?.realm_icon;
  const description = organization.value?.realm_description;
  useEffect(() => {
    document.title = texts.signIn.pageTitle(name);
  }, [name]);
  return (
    <header>
      {picture !== undefined && isOwnPicture(picture, location.origin) && (
        <img src={picture} alt="" width={64} height={64} />
      )}
      <h1>{name}</h1>
      {description !== undefined && <RenderedHtml html={description} class="description" />}
    </header>
  );
}

function PasswordForm({
  isSigningIn,
  onSignIn,
}: {
  readonly isSigningIn: boolean;
  readonly onSignIn: (address: string, password: string) => void;
}) {
  const address = useSignal('');
  const password = useSignal('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSignIn(address.value.trim(), password.value);
      }}
    >
      <label class="field">
        {texts.signIn.address}
        <input
          type="email"
          name="username"
          autocomplete="username"
          required
          maxLength={254}
          value={address.value}
          onInput={({ currentTarget }) => {
            address.value = currentTarget.value;
          }}
        />
      </label>
      <label class="field">
        {texts.signIn.password}
        <input
          type="password"
          name="password"
          autocomplete="current-password"
          required
          maxLength={1_000}
          value={password.value}
          onInput={({ currentTarget }) => {
            password.value = currentTarget.value;
          }}
        />
      </label>
      <button type="submit" class="primary" disabled={isSigningIn}>
        {isSigningIn ? texts.signIn.signingIn : texts.signIn.signIn}
      </button>
    </form>
  );
}

/** On a development server anybody may be one of its people. */
function DemoPeople({
  isSigningIn,
  onChoose,
}: {
  readonly isSigningIn: boolean;
  readonly onChoose: (address: string) => void;
}) {
  const showsAll = useSignal(false);
  const people = demoPeople.value;
  if (people.length === 0) return null;
  const shown = showsAll.value ? people : people.slice(0, demoPeopleAtFirst);
  return (
    <section aria-labelledby="demo-people">
      <h2 id="demo-people">{texts.signIn.demo}</h2>
      <ul>
        {shown.map((address) => (
          <li key={address}>
            <button type="button" disabled={isSigningIn} onClick={() => onChoose(address)}>
              {address}
            </button>
          </li>
        ))}
      </ul>
      {shown.length < people.length && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            showsAll.value = true;
          }}
        >
          {texts.signIn.allDemo(people.length)}
        </button>
      )}
    </section>
  );
}
