import type { AnswerOf } from '@parley/client';
import type { App } from '../../data/app.ts';
import { perform } from '../../data/operation.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { useReading } from '../parts/waiting.tsx';
import { removal } from './action-button.tsx';
import { area, listed, several, streamChoices } from './fields.ts';
import { Form } from './form.tsx';
import { ListSection } from './list-section.tsx';
import type { Row } from './rows.tsx';
import type { SectionProps } from './section.ts';

type Invitation = AnswerOf<'GET /invites'>['invites'][number];

const roleNumbers = { member: 1, administrator: 2, guest: 3 };

function streamFields({ state }: App) {
  const { realm_default_streams } = state.realm.value;
  return {
    ...several('stream_ids', streamChoices([...state.streams.value.values()])),
    initial: realm_default_streams.map(({ stream_id }) => stream_id),
  };
}

function rowOf(app: App, { id, email, link_url, is_multiuse, expiry_date, uses }: Invitation): Row {
  const invite = { invite_id: id };
  return {
    key: `${is_multiuse} ${id}`,
    title: email ?? link_url ?? t.invitations.hiddenLink,
    detail: t.invitations.detail(new Date(expiry_date * 1000).toLocaleString(), uses),
    actions: [
      ...(is_multiuse
        ? []
        : [
            {
              label: t.invitations.resend,
              run: () => perform(app, 'POST /invites/{invite_id}/resend', invite),
            },
          ]),
      removal(
        async () =>
          is_multiuse
            ? perform(app, 'DELETE /invites/multiuse/{invite_id}', invite)
            : perform(app, 'DELETE /invites/{invite_id}', invite),
        t.warnings.revokeInvitation,
      ),
    ],
  };
}

/** People who are invited, and links by which anybody joins who has them. */
export function InvitationsSection({ app }: SectionProps) {
  const { value, waiting } = useReading(
    () => perform(app, 'GET /invites'),
    app.state.listsVersion.value,
  );
  if (value === undefined) return waiting;
  const termFields = [listed('role'), streamFields(app)];
  return (
    <>
      <ListSection
        name="invitations"
        rows={value.invites.map((invitation) => rowOf(app, invitation))}
        fields={[area('invitee_emails', 20_000), ...termFields]}
        add={({ role, ...terms }) =>
          perform(app, 'POST /invites', { ...terms, invite_as: roleNumbers[role] })
        }
      />
      <Form
        title={t.invitations.makeLink}
        fields={termFields}
        button={t.add}
        doneText={t.added}
        save={({ role, ...terms }) =>
          perform(app, 'POST /invites/multiuse', { ...terms, invite_as: roleNumbers[role] })
        }
      />
    </>
  );
}
