import { useEffect } from 'preact/hooks';

import { organization } from '../data/session.ts';
import { beginSignOn, finishSignOn, leaveSignOn } from '../data/single-sign-on.ts';
import type { SignOn } from '../data/single-sign-on.ts';
import { entranceTexts } from '../entrance-texts.ts';
import { EntranceCard } from './entrance.tsx';
import { FailureNote, useAttempt } from './parts/attempt.tsx';

const t = entranceTexts.signOn;

/** On the way to a provider, or back from it. If that does not work, the person reads why. */
export function SignOnPage({ provider, answer }: SignOn) {
  const { failure, run } = useAttempt();
  useEffect(() => {
    void run(() => (answer === undefined ? beginSignOn(provider) : finishSignOn(provider, answer)));
  }, [provider, answer]);
  return (
    <EntranceCard title={t.title}>
      {failure === undefined ? (
        <p role="status">{t.waiting}</p>
      ) : (
        <>
          <FailureNote failure={failure} />
          <button type="button" class="primary" autoFocus onClick={() => void leaveSignOn()}>
            {t.back}
          </button>
        </>
      )}
    </EntranceCard>
  );
}

type ProvidersProps = {
  /** The ways to join by a link; by default people sign in. */
  readonly joining?: { readonly token: string; readonly providers: readonly string[] };
};

/** The providers by which people sign in, or join. */
export function Providers({ joining }: ProvidersProps) {
  const { failure, run, isRunning } = useAttempt();
  const methods = organization.value?.external_authentication_methods ?? [];
  const offered = methods
    .map(({ name, display_name }) => ({ id: idOf(name), name: display_name }))
    .filter(({ id }) => joining === undefined || joining.providers.includes(id));
  if (offered.length === 0) return null;
  return (
    <section class="providers" aria-label={t.providers}>
      {offered.map(({ id, name }) => (
        <button
          type="button"
          key={id}
          disabled={isRunning}
          onClick={() =>
            void run(() => beginSignOn(id, 'POST /sso/start', { token: joining?.token }))
          }
        >
          {joining === undefined ? t.with(name) : t.joinWith(name)}
        </button>
      ))}
      <FailureNote failure={failure} />
    </section>
  );
}

/** @param name of a method in the settings of the server */
export function idOf(name: string): string {
  return name.replace(/^oidc:/, '');
}
