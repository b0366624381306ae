/** Sections about the organization: its name, pictures and rules, and lists that belong to it. */
import {
  addDefaultStream,
  addDomain,
  addEmoji,
  addLinkifier,
  addProfileField,
  changeOrganization,
  removeDefaultStream,
  removeDomain,
  removeEmoji,
  removeIcon,
  removeLinkifier,
  removeLogo,
  removeProfileField,
  uploadIcon,
  uploadLogo,
} from '../../data/organization-actions.ts';
import type { Realm, RealmEmoji } from '../../data/state.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { amount, area, choice, file, line, policy, toggle } from './fields.ts';
import { SavedFields } from './form.tsx';
import { ListSection } from './list-section.tsx';
import { PictureField } from './picture-field.tsx';
import type { SectionProps } from './section.ts';

type RealmValues = {
  readonly [Name in keyof Realm as Name extends `realm_${infer Rest}` ? Rest : never]: Realm[Name];
};

/** The organization's properties under the names with which they are changed. */
function valuesOf(realm: Realm): RealmValues {
  return Object.fromEntries(
    Object.entries(realm).map(([name, value]) => [name.replace(/^realm_/, ''), value]),
  ) as RealmValues;
}

const organizationFields = [
  line('name', { required: true, maxLength: 40 }),
  area('description', 1000),
];

function OrganizationPictures({ app }: SectionProps) {
  const realm = app.state.realm.value;
  const logos = [
    {
      night: false,
      label: t.pictures.logo,
      url: realm.realm_logo_url,
      source: realm.realm_logo_source,
    },
    {
      night: true,
      label: t.pictures.nightLogo,
      url: realm.realm_night_logo_url,
      source: realm.realm_night_logo_source,
    },
  ];
  return (
    <>
      <PictureField
        label={t.pictures.icon}
        picture={realm.realm_icon_source === 'U' && <img src={realm.realm_icon_url} alt="" />}
        upload={async (picture) => uploadIcon(app, { file: picture })}
        remove={realm.realm_icon_source === 'U' ? async () => removeIcon(app) : undefined}
      />
      {logos.map(({ night, label, url, source }) => (
        <PictureField
          key={label}
          label={label}
          picture={<img src={url} alt="" data-night={night} />}
          upload={async (picture) => uploadLogo(app, { night, file: picture })}
          remove={source === 'U' ? async () => removeLogo(app, { night }) : undefined}
        />
      ))}
    </>
  );
}

export function OrganizationSection({ app }: SectionProps) {
  const { realm_notifications_stream_id, realm_signup_notifications_stream_id } =
    app.state.realm.value;
  const present = new Set([realm_notifications_stream_id, realm_signup_notifications_stream_id]);
  const streams = [...app.state.streams.value.values()]
    .filter(({ stream_id, invite_only }) => !invite_only || present.has(stream_id))
    .map(({ stream_id, name }) => ({ value: stream_id, label: `#${name}` }));
  const streamChoices = [{ value: -1, label: t.noStream }, ...streams] as const;
  return (
    <>
      <SavedFields
        fields={[
          ...organizationFields,
          choice('notifications_stream_id', streamChoices),
          choice('signup_notifications_stream_id', streamChoices),
        ]}
        values={valuesOf(app.state.realm.value)}
        save={async (change) => changeOrganization(app, change)}
      />
      <OrganizationPictures app={app} />
    </>
  );
}

const yearSecs = 365 * 24 * 60 * 60;
const { administrators, members, afterWaitingPeriod, everybody } = t.policies;

const permissionFields = [
  policy('create_stream_policy', { 1: members, 2: administrators, 3: afterWaitingPeriod }),
  policy('invite_to_stream_policy', { 1: members, 2: administrators, 3: afterWaitingPeriod }),
  amount('waiting_period_threshold', 0, 10_000),
  policy('bot_creation_policy', {
    1: members,
    2: t.policies.genericByAdministrators,
    3: administrators,
  }),
  policy('user_group_edit_policy', { 1: members, 2: administrators }),
  policy('email_address_visibility', { 1: everybody, 3: administrators }),
  toggle('add_emoji_by_admins_only'),
  toggle('name_changes_disabled'),
  toggle('avatar_changes_disabled'),
  toggle('emails_restricted_to_domains'),
  toggle('allow_message_editing'),
  amount('message_content_edit_limit_seconds', 0, yearSecs),
  toggle('allow_community_topic_editing'),
  toggle('allow_edit_history'),
  toggle('allow_message_deleting'),
  amount('message_content_delete_limit_seconds', 0, yearSecs),
  toggle('mandatory_topics'),
  toggle('inline_image_preview'),
  toggle('inline_url_embed_preview'),
];

export function PermissionsSection({ app }: SectionProps) {
  return (
    <SavedFields
      fields={permissionFields}
      values={valuesOf(app.state.realm.value)}
      save={async (change) => changeOrganization(app, change)}
    />
  );
}

export function DefaultStreamsSection({ app }: SectionProps) {
  const streams = app.state.rest.value.realm_default_streams;
  const ids = new Set(streams.map(({ stream_id }) => stream_id));
  const [first, ...others] = [...app.state.streams.value.values()]
    .filter(({ stream_id, invite_only }) => !invite_only && !ids.has(stream_id))
    .map(({ stream_id, name }) => ({ value: stream_id, label: `#${name}` }));
  return (
    <ListSection
      name="default-streams"
      rows={streams.map(({ stream_id, name }) => ({
        key: stream_id,
        title: `#${name}`,
        remove: { run: async () => removeDefaultStream(app, { stream_id }) },
      }))}
      fields={first === undefined ? [] : [choice('stream_id', [first, ...others])]}
      add={first === undefined ? undefined : async (stream) => addDefaultStream(app, stream)}
    />
  );
}

function authorIdOf({ author }: RealmEmoji): number | undefined {
  return typeof author === 'object' &&
    author !== null &&
    'id' in author &&
    typeof author.id === 'number'
    ? author.id
    : undefined;
}

const emojiFields = [line('emoji_name', { required: true, maxLength: 100 }), file('file')];

export function EmojiSection({ app }: SectionProps) {
  const { rest, realm, self } = app.state;
  const { is_admin, is_guest, user_id } = self.value;
  const mayAdd = is_admin || !(is_guest || realm.value.realm_add_emoji_by_admins_only);
  return (
    <ListSection
      name="emoji"
      rows={Object.values(rest.value.realm_emoji)
        .filter(({ deactivated }) => !deactivated)
        .map((emoji) => ({
          key: emoji.id,
          picture: <img src={emoji.source_url} alt="" />,
          title: emoji.name,
          ...((is_admin || authorIdOf(emoji) === user_id) && {
            remove: {
              run: async () => removeEmoji(app, { emoji_name: emoji.name }),
              warning: t.warnings.removeEmoji,
            },
          }),
        }))}
      fields={emojiFields}
      add={mayAdd ? async (added) => addEmoji(app, added) : undefined}
    />
  );
}

const linkifierFields = [
  line('pattern', { required: true, maxLength: 500 }),
  line('url_format_string', { required: true, maxLength: 2000 }),
];

export function LinkifiersSection({ app }: SectionProps) {
  return (
    <ListSection
      name="linkifiers"
      rows={app.state.rest.value.realm_filters.map(([pattern, url, filter_id]) => ({
        key: filter_id,
        title: pattern,
        detail: url,
        remove: { run: async () => removeLinkifier(app, { filter_id }) },
      }))}
      fields={linkifierFields}
      add={async (linkifier) => addLinkifier(app, linkifier)}
    />
  );
}

const newProfileFieldFields = [
  line('name', { required: true, maxLength: 40 }),
  line('hint', { maxLength: 80 }),
  policy('field_type', t.profileFieldTypes),
  area('choices', 5000),
];

/** The options of a list by a number as their value, in the order of their lines. */
function optionsFrom(lines: string) {
  const options = lines.split('\n').map((option) => option.trim());
  return Object.fromEntries(
    options
      .filter((text) => text !== '')
      .map((text, index) => [String(index), { text, order: String(index + 1) }]),
  );
}

export function ProfileFieldsSection({ app }: SectionProps) {
  const typeNames: Readonly<Record<number, string>> = t.profileFieldTypes;
  return (
    <ListSection
      name="profile-fields"
      rows={app.state.rest.value.custom_profile_fields.map(({ id, name, hint, type }) => ({
        key: id,
        title: name,
        detail: [typeNames[type], hint].filter(Boolean).join(' · '),
        remove: {
          run: async () => removeProfileField(app, { field_id: id }),
          warning: t.warnings.removeProfileField,
        },
      }))}
      fields={newProfileFieldFields}
      add={async ({ choices, ...field }) =>
        addProfileField(app, {
          ...field,
          field_data: field.field_type === 3 ? optionsFrom(choices) : {},
        })
      }
    />
  );
}

const domainFields = [
  line('domain', { required: true, maxLength: 253 }),
  toggle('allow_subdomains'),
];

export function DomainsSection({ app }: SectionProps) {
  return (
    <ListSection
      name="domains"
      rows={app.state.rest.value.realm_domains.map(({ domain, allow_subdomains }) => ({
        key: domain,
        title: domain,
        detail: allow_subdomains && t.withSubdomains,
        remove: { run: async () => removeDomain(app, { domain }) },
      }))}
      fields={domainFields}
      add={async (domain) => addDomain(app, domain)}
    />
  );
}
