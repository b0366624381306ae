import { useSignal } from '@preact/signals';
import type { AnswerOf } from '@parley/client';
import { useEffect } from 'preact/hooks';

import { perform } from '../../data/operation.ts';
import { beginLinking } from '../../data/single-sign-on.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { idOf } from '../single-sign-on.tsx';
import { ActionButton, removal } from './action-button.tsx';
import { useOutcome } from './outcome.tsx';
import { Rows } from './rows.tsx';
import type { SectionProps } from './section.ts';

type Shown = {
  readonly identities: AnswerOf<'GET /sso/identities'>['identities'];
  readonly methods: AnswerOf<'GET /server_settings'>['external_authentication_methods'];
};

/** By which providers a person signs in to the own account. */
export function IdentitiesSection({ app }: SectionProps) {
  const shown = useSignal<Shown | undefined>(undefined);
  const { note, attempt } = useOutcome();
  const load = async (): Promise<void> => {
    const [{ identities }, { external_authentication_methods: methods }] = await Promise.all([
      perform(app, 'GET /sso/identities'),
      perform(app, 'GET /server_settings'),
    ]);
    shown.value = { identities, methods };
  };
  useEffect(() => {
    void attempt(load, '');
  }, []);
  if (shown.value === undefined) return note;
  const { identities, methods } = shown.value;
  return (
    <>
      <Rows
        label={t.sections.identities.title}
        rows={identities.map(({ identity_id, display_name, created_at }) => ({
          key: identity_id,
          title: display_name,
          detail: t.identities.since(new Date(created_at * 1000).toLocaleDateString()),
          actions: [
            removal(async () =>
              perform(app, 'DELETE /sso/identities/{identity_id}', { identity_id }).then(load),
            ),
          ],
        }))}
      />
      {methods.map(({ name, display_name }) => (
        <ActionButton
          key={name}
          label={t.identities.link(display_name)}
          run={async () => beginLinking(idOf(name))}
        />
      ))}
    </>
  );
}
