/** Sections whose lists are read from the server when they are shown: the state has nothing of them. */
import { limits } from '@parley/api/limits';
import type { AnswerOf } from '@parley/client';
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';

import type { App } from '../../data/app.ts';
import { proven } from '../../data/proof.ts';
import { beginSignOn } from '../../data/single-sign-on.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { formatLongMoment } from '../parts/time.ts';
import { useReading } from '../parts/waiting.tsx';
import { idOf } from '../single-sign-on.tsx';
import { ActionButton, copying, MadeText, removal } from './action-button.tsx';
import { amount, area, line, listed, several, streamChoices } from './fields.ts';
import type { ValuesOf } from './fields.ts';
import { Form } from './form.tsx';
import type { Row } from './rows.tsx';
import { Disclosure, ListSection, Rows } from './rows.tsx';
import type { SectionProps } from './section.ts';

type ReadProps<Value> = SectionProps & {
  readonly value: Value;
  /** Reads again, after a change of which no event tells. */
  readonly again: () => void;
};

/** @returns a section that reads what it shows, and again when an event tells that a list has changed */
function readSection<Value>(
  read: (app: App) => Promise<Value>,
  Show: ComponentType<ReadProps<Value>>,
): ComponentType<SectionProps> {
  return function ReadSection({ app }) {
    const { value, waiting, again } = useReading(() => read(app), app.state.listsVersion.value);
    return value === undefined ? waiting : <Show app={app} value={value} again={again} />;
  };
}

/** Programs and systems by what they call themselves; many also claim to be one that comes later. */
const programs = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari'];
const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'];

/** @returns the browser and its system in few words, or all that it said of itself */
function describeDevice(device: string): string {
  const program = programs.find((name) => device.includes(`${name}/`));
  const system = systems.find((name) => device.includes(name));
  if (program !== undefined && system !== undefined) return t.sessions.device(program, system);
  return device === '' ? t.sessions.unknownDevice : device;
}

export const SessionsSection = readSection(
  (app) => app.request('GET /sessions'),
  ({ app, value: { sessions }, again }) => (
    <>
      <Rows
        label={t.sections.sessions.title}
        rows={sessions.map(({ session_id, device, last_used_at, is_current }) => {
          const end = () => app.request('DELETE /sessions/{session_id}', { session_id });
          return {
            key: session_id,
            title: describeDevice(device),
            detail: is_current
              ? t.sessions.current
              : t.lastUsed(formatLongMoment(last_used_at, app.state.settings.value)),
            actions: [!is_current && { label: t.sessions.end, run: () => end().then(again) }],
          };
        })}
      />
      {sessions.length > 1 && (
        <ActionButton
          label={t.sessions.endOthers}
          run={() => app.request('DELETE /sessions').then(again)}
        />
      )}
    </>
  ),
);

/** By which providers a person signs in to the own account. */
export const IdentitiesSection = readSection(
  (app) => Promise.all([app.request('GET /sso/identities'), app.request('GET /server_settings')]),
  ({ app, value: [{ identities }, { external_authentication_methods }], again }) => (
    <>
      <Rows
        label={t.sections.identities.title}
        rows={identities.map(({ identity_id, display_name, created_at }) => {
          const unlink = () => app.request('DELETE /sso/identities/{identity_id}', { identity_id });
          return {
            key: identity_id,
            title: display_name,
            detail: t.identities.since(new Date(created_at * 1000).toLocaleDateString()),
            actions: [removal(() => unlink().then(again))],
          };
        })}
      />
      {external_authentication_methods.map(({ name, display_name }) => (
        <ActionButton
          key={name}
          label={t.identities.link(display_name)}
          run={() => proven((password) => beginSignOn(idOf(name), 'POST /sso/link', { password }))}
        />
      ))}
    </>
  ),
);

type Invitation = AnswerOf<'GET /invites'>['invites'][number];

const roleNumbers = { member: 1, administrator: 2, guest: 3 };

function streamsField({ state }: App) {
  const { realm_default_streams } = state.realm.value;
  return {
    ...several('stream_ids', streamChoices([...state.streams.value.values()])),
    initial: realm_default_streams.map(({ stream_id }) => stream_id),
  };
}

function invitationRow(app: App, invitation: Invitation): Row {
  const { id: invite_id, email, full_name, link_url, is_multiuse } = invitation;
  const until = formatLongMoment(invitation.expiry_date, app.state.settings.value);
  const revoke = () =>
    is_multiuse
      ? app.request('DELETE /invites/multiuse/{invite_id}', { invite_id })
      : app.request('DELETE /invites/{invite_id}', { invite_id });
  const resend = () => app.request('POST /invites/{invite_id}/resend', { invite_id });
  return {
    key: `${is_multiuse} ${invite_id}`,
    title: email ?? link_url ?? t.invitations.hiddenLink,
    detail: is_multiuse
      ? t.invitations.detail(until, invitation.uses, invitation.uses_max)
      : [full_name, t.invitations.forAddress(until)].filter(Boolean).join(' · '),
    actions: [
      !is_multiuse && { label: t.invitations.resend, run: resend },
      typeof link_url === 'string' && copying(link_url),
      removal(revoke, t.warnings.revokeInvitation),
    ],
  };
}

/** What an invitation gives, and how long. */
function termFields(app: App) {
  const role = listed('role');
  const isAdmin = app.state.self.value.is_admin;
  return [
    isAdmin
      ? role
      : { ...role, choices: role.choices?.filter(([each]) => each !== 'administrator') ?? [] },
    { ...listed('invite_expires_in_minutes'), initial: limits.invitationDefaultMinutes },
    streamsField(app),
  ];
}

type Terms = ValuesOf<ReturnType<typeof termFields>[number]>;

function termsOf({ role, ...terms }: Terms) {
  return { ...terms, invite_as: roleNumbers[role] };
}

function inviting(app: App) {
  return {
    fields: [area('invitee_emails', 20_000), ...termFields(app)],
    add: ({ invitee_emails, ...terms }: Terms & { readonly invitee_emails: string }) =>
      app.request('POST /invites', { invitee_emails, ...termsOf(terms) }),
  };
}

/** For those who may invite, and may not see who is invited. */
function InviteForm({ app }: SectionProps) {
  const { fields, add } = inviting(app);
  const { add: title, button } = t.sections.invitations;
  return <Form title={title} fields={fields} button={button} doneText={t.invited} save={add} />;
}

/** People who are invited, and links by which anybody joins who has them. */
const OpenInvitations = readSection(
  (app) => app.request('GET /invites'),
  ({ app, value: { invites } }) => {
    const made = useSignal<string | undefined>(undefined);
    return (
      <>
        <Disclosure
          label={t.invitations.makeLink}
          content={() => (
            <>
              <Form
                title={t.invitations.makeLink}
                fields={[
                  ...termFields(app),
                  { ...amount('uses_max', limits.invitationUsesMax), initial: 0 },
                ]}
                button={t.invitations.makeLinkButton}
                doneText={t.added}
                save={async ({ uses_max, ...terms }) => {
                  const { invite_link } = await app.request('POST /invites/multiuse', {
                    ...termsOf(terms),
                    ...(uses_max > 0 && { uses_max }),
                  });
                  made.value = invite_link;
                }}
              />
              {made.value !== undefined && (
                <MadeText label={t.invitations.newLink} text={made.value} />
              )}
            </>
          )}
        />
        <ListSection
          name="invitations"
          rows={invites.map((invitation) => invitationRow(app, invitation))}
          {...inviting(app)}
        />
      </>
    );
  },
);

export function InvitationsSection({ app }: SectionProps) {
  return app.state.self.value.is_admin ? <OpenInvitations app={app} /> : <InviteForm app={app} />;
}

const tokenFields = [line('name', { required: true, maxLength: 100 })];

/** Tokens of identity providers that keep accounts by SCIM. */
export const ScimSection = readSection(
  (app) => app.request('GET /scim_tokens'),
  ({ app, value: { scim_tokens }, again }) => {
    const made = useSignal<string | undefined>(undefined);
    const revoke = (token_id: number) =>
      app.request('DELETE /scim_tokens/{token_id}', { token_id }).then(again);
    return (
      <>
        <p class="hint">{t.scim.address(new URL('/scim/v2', location.href).href)}</p>
        {made.value !== undefined && (
          <>
            <p>{t.scim.shownOnce}</p>
            <MadeText label={t.scim.token} text={made.value} />
          </>
        )}
        <ListSection
          name="scim"
          rows={scim_tokens.map(({ id, name, last_used_at: at }) => ({
            key: id,
            title: name,
            detail:
              at === null
                ? t.scim.unused
                : t.lastUsed(formatLongMoment(at, app.state.settings.value)),
            actions: [removal(() => revoke(id), t.warnings.revokeScimToken)],
          }))}
          fields={tokenFields}
          add={async ({ name }) => {
            const { token } = await proven((password) =>
              app.request('POST /scim_tokens', { name, password }),
            );
            made.value = token;
            again();
          }}
        />
      </>
    );
  },
);

type Export = AnswerOf<'GET /export/realm'>['exports'][number];

function stateOf({ pending, failed_timestamp, deleted_timestamp }: Export): string {
  if (pending) return t.exports.pending;
  if (deleted_timestamp !== null) return t.exports.deleted;
  return failed_timestamp === null ? t.exports.ready : t.exports.failed;
}

function exportRow(app: App, made: Export): Row {
  const { id: export_id, export_time, export_url, deleted_timestamp } = made;
  const remove = () => app.request('DELETE /export/realm/{export_id}', { export_id });
  return {
    key: export_id,
    title: formatLongMoment(export_time, app.state.settings.value),
    href: export_url,
    detail: stateOf(made),
    actions: [deleted_timestamp === null && removal(remove)],
  };
}

/** Archives of what every member may read. */
export const ExportsSection = readSection(
  (app) => app.request('GET /export/realm'),
  ({ app, value: { exports } }) => (
    <>
      <Rows
        label={t.sections.exports.title}
        rows={exports.toReversed().map((made) => exportRow(app, made))}
      />
      <ActionButton label={t.exports.make} run={() => app.request('POST /export/realm')} />
    </>
  ),
);
