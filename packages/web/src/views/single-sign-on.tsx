import { useEffect } from 'preact/hooks';

import { organization } from '../data/session.ts';
import { beginSignOn, finishSignOn, leaveSignOn } from '../data/single-sign-on.ts';
import type { SignOn } from '../data/single-sign-on.ts';
import { texts } from '../texts.ts';
import { EntranceCard } from './entrance.tsx';
import { FailureNote, useAttempt } from './parts/attempt.tsx';

const t = texts.signOn;

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

/** The providers by which people sign in. */
export function Providers() {
  const { failure, run, isRunning } = useAttempt();
  const methods = organization.value?.external_authentication_methods ?? [];
  if (methods.length === 0) return null;
  return (
    <section class="providers" aria-label={t.providers}>
      {methods.map(({ name, display_name }) => (
        <button
          type="button"
          key={name}
          disabled={isRunning}
          onClick={() => void run(() => beginSignOn(idOf(name)))}
        >
          {t.with(display_name)}
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
