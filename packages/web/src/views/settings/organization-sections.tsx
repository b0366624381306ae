/** Sections about the organization: its name, pictures and rules, and lists that belong to it. */
import type { Realm } from '../../data/state.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { removal } from './action-button.tsx';
import { amount, area, choice, file, line, listed, streamChoices, toggles } from './fields.ts';
import { PictureField, SavedFields } from './form.tsx';
import { ListSection } from './rows.tsx';
import { GroupsSection, PeopleSection } from './people-sections.tsx';
import { ProfileFieldsSection } from './profile-fields-section.tsx';
import { ExportsSection, ScimSection } from './read-sections.tsx';
import type { SectionProps, Sections } from './section.ts';
import { DefaultStreamsSection, StreamGroupsSection } from './stream-sections.tsx';

type RealmValues = {
  readonly [Name in keyof Realm as Name extends `realm_${infer Rest}` ? Rest : never]: Realm[Name];
};

/** The organization's properties under the names with which they are changed. */
function valuesOf(realm: Realm): RealmValues {
  return Object.fromEntries(
    Object.entries(realm).map(([name, value]) => [name.replace(/^realm_/, ''), value]),
  ) as RealmValues;
}

function OrganizationSection({ app }: SectionProps) {
  const values = valuesOf(app.state.realm.value);
  const { icon_source, icon_url } = values;
  const chosen = new Set([values.notifications_stream_id, values.signup_notifications_stream_id]);
  const streams = [...app.state.streams.value.values()].filter(
    ({ stream_id, invite_only }) => !invite_only || chosen.has(stream_id),
  );
  const streamOrNone = [[-1, t.noStream], ...streamChoices(streams)] as const;
  return (
    <>
      <SavedFields
        fields={[
          line('name', { required: true, maxLength: 40 }),
          area('description', 1000),
          choice('notifications_stream_id', streamOrNone),
          choice('signup_notifications_stream_id', streamOrNone),
        ]}
        values={values}
        save={(change) => app.request('PATCH /realm', change)}
      />
      <PictureField
        name="icon"
        picture={icon_source === 'U' && <img src={icon_url} alt="" />}
        upload={(picture) => app.request('POST /realm/icon', { file: picture })}
        remove={icon_source === 'U' && (() => app.request('DELETE /realm/icon'))}
      />
      {(['logo', 'night_logo'] as const).map((name) => {
        const night = name === 'night_logo';
        return (
          <PictureField
            key={name}
            name={name}
            picture={<img src={values[`${name}_url`]} alt="" data-night={night} />}
            upload={(picture) => app.request('POST /realm/logo', { night, file: picture })}
            remove={
              values[`${name}_source`] === 'U' &&
              (() => app.request('DELETE /realm/logo', { night }))
            }
          />
        );
      })}
    </>
  );
}

const yearSecs = 365 * 24 * 60 * 60;

const permissionFields = [
  listed('create_stream_policy'),
  listed('invite_to_stream_policy'),
  ...toggles('invite_required', 'invite_by_admins_only'),
  amount('waiting_period_threshold', 10_000),
  listed('bot_creation_policy'),
  listed('user_group_edit_policy'),
  listed('email_address_visibility'),
  ...toggles('add_emoji_by_admins_only', 'name_changes_disabled', 'avatar_changes_disabled'),
  ...toggles('emails_restricted_to_domains', 'allow_message_editing'),
  amount('message_content_edit_limit_seconds', yearSecs),
  ...toggles('allow_community_topic_editing', 'allow_edit_history', 'allow_message_deleting'),
  amount('message_content_delete_limit_seconds', yearSecs),
  ...toggles(
    'mandatory_topics',
    'send_move_notices',
    'inline_image_preview',
    'inline_url_embed_preview',
  ),
];

const emojiFields = [line('emoji_name', { required: true, maxLength: 100 }), file('file')];
const linkifierFields = [
  line('pattern', { required: true, maxLength: 500 }),
  line('url_format_string', { required: true, maxLength: 2000 }),
];
const subdomainFields = toggles('allow_subdomains');
const domainFields = [line('domain', { required: true, maxLength: 253 }), ...subdomainFields];

/** Those of which everybody sees something. */
export const sharedSections: Sections = {
  groups: GroupsSection,
  emoji: ({ app }) => {
    const { is_admin, is_guest, user_id } = app.state.self.value;
    const { realm_emoji, realm_add_emoji_by_admins_only } = app.state.realm.value;
    const isOwn = (author: unknown): boolean =>
      typeof author === 'object' && author !== null && 'id' in author && author.id === user_id;
    const remove = (emoji_name: string) =>
      removal(
        () => app.request('DELETE /realm/emoji/{emoji_name}', { emoji_name }),
        t.warnings.removeEmoji,
      );
    return (
      <ListSection
        name="emoji"
        rows={Object.values(realm_emoji)
          .filter(({ deactivated }) => !deactivated)
          .map(({ id, source_url, name, author }) => ({
            key: id,
            picture: <img src={source_url} alt="" />,
            title: name,
            actions: [(is_admin || isOwn(author)) && remove(name)],
          }))}
        fields={emojiFields}
        add={(added) => app.request('POST /realm/emoji/{emoji_name}', added)}
        mayAdd={is_admin || !(is_guest || realm_add_emoji_by_admins_only)}
      />
    );
  },
};

export const administrationSections: Sections = {
  organization: OrganizationSection,
  permissions: ({ app }) => (
    <SavedFields
      fields={permissionFields}
      values={valuesOf(app.state.realm.value)}
      save={(change) => app.request('PATCH /realm', change)}
    />
  ),
  people: PeopleSection,
  scim: ScimSection,
  'default-streams': DefaultStreamsSection,
  'stream-groups': StreamGroupsSection,
  linkifiers: ({ app }) => (
    <ListSection
      name="linkifiers"
      rows={app.state.realm.value.realm_filters.map(([pattern, url, filter_id]) => ({
        key: filter_id,
        title: pattern,
        detail: url,
        actions: [removal(() => app.request('DELETE /realm/filters/{filter_id}', { filter_id }))],
      }))}
      fields={linkifierFields}
      add={(linkifier) => app.request('POST /realm/filters', linkifier)}
    />
  ),
  'profile-fields': ProfileFieldsSection,
  domains: ({ app }) => (
    <ListSection
      name="domains"
      rows={app.state.realm.value.realm_domains.map(({ domain, allow_subdomains }) => ({
        key: domain,
        title: domain,
        detail: allow_subdomains && t.withSubdomains,
        edit: () => (
          <SavedFields
            fields={subdomainFields}
            values={{ allow_subdomains }}
            save={(change) =>
              app.request('PATCH /realm/domains/{domain}', { domain, allow_subdomains, ...change })
            }
          />
        ),
        actions: [removal(() => app.request('DELETE /realm/domains/{domain}', { domain }))],
      }))}
      fields={domainFields}
      add={(domain) => app.request('POST /realm/domains', domain)}
    />
  ),
  exports: ExportsSection,
};
