import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { AnswerOf } from '@parley/client';
import type { App } from '../../data/app.ts';
import { perform } from '../../data/operation.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { removal } from './action-button.tsx';
import { area, listed, several, streamChoices } from './fields.ts';
import { Form } from './form.tsx';
import { ListSection } from './list-section.tsx';
import { useOutcome } from './outcome.tsx';
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

function rowOf(
  app: App,
  { id, email, link_url, is_multiuse, expiry_date, uses }: Invitation,
  onChange: () => Promise<void>,
): Row {
  const invite = { invite_id: id };
  const revoke = async () =>
    is_multiuse
      ? perform(app, 'DELETE /invites/multiuse/{invite_id}', invite)
      : perform(app, 'DELETE /invites/{invite_id}', invite);
  const resend = async () => perform(app, 'POST /invites/{invite_id}/resend', invite);
  return {
    key: `${is_multiuse} ${id}`,
    title: email ?? link_url ?? t.invitations.hiddenLink,
    detail: t.invitations.detail(new Date(expiry_date * 1000).toLocaleString(), uses),
    actions: [
      ...(is_multiuse
        ? []
        : [{ label: t.invitations.resend, run: async () => resend().then(onChange) }]),
      removal(async () => revoke().then(onChange), t.warnings.revokeInvitation),
    ],
  };
}

/** People who are invited, and links by which anybody joins who has them. */
export function InvitationsSection({ app }: SectionProps) {
  const invitations = useSignal<readonly Invitation[]>([]);
  const { note, attempt } = useOutcome();
  const load = async (): Promise<void> => {
    invitations.value = (await perform(app, 'GET /invites')).invites;
  };
  useEffect(() => {
    void attempt(load, '');
  }, []);
  const termFields = [listed('role'), streamFields(app)];
  return (
    <>
      {note}
      <ListSection
        name="invitations"
        rows={invitations.value.map((invitation) => rowOf(app, invitation, load))}
        fields={[area('invitee_emails', 20_000), ...termFields]}
        add={async ({ role, ...terms }) => {
          try {
            await perform(app, 'POST /invites', { ...terms, invite_as: roleNumbers[role] });
          } finally {
            // Of several people some may have been invited.
            await load();
          }
        }}
      />
      <Form
        title={t.invitations.makeLink}
        fields={termFields}
        button={t.add}
        doneText={t.added}
        save={async ({ role, ...terms }) =>
          perform(app, 'POST /invites/multiuse', { ...terms, invite_as: roleNumbers[role] }).then(
            load,
          )
        }
      />
    </>
  );
}
