import { perform } from '../../data/operation.ts';
import { beginLinking } from '../../data/single-sign-on.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { useReading } from '../parts/waiting.tsx';
import { idOf } from '../single-sign-on.tsx';
import { ActionButton, removal } from './action-button.tsx';
import { Rows } from './rows.tsx';
import type { SectionProps } from './section.ts';

/** By which providers a person signs in to the own account. */
export function IdentitiesSection({ app }: SectionProps) {
  const { value, waiting, again } = useReading(async () =>
    Promise.all([perform(app, 'GET /sso/identities'), perform(app, 'GET /server_settings')]),
  );
  if (value === undefined) return waiting;
  const [{ identities }, { external_authentication_methods: methods }] = value;
  return (
    <>
      <Rows
        label={t.sections.identities.title}
        rows={identities.map(({ identity_id, display_name, created_at }) => ({
          key: identity_id,
          title: display_name,
          detail: t.identities.since(new Date(created_at * 1000).toLocaleDateString()),
          actions: [
            removal(() =>
              perform(app, 'DELETE /sso/identities/{identity_id}', { identity_id }).then(again),
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
