/** Sections about the organization: its name, pictures and rules, and lists that belong to it. */
import {
  addDomain,
  addEmoji,
  addLinkifier,
  changeDomain,
  changeOrganization,
  removeDomain,
  removeEmoji,
  removeIcon,
  removeLinkifier,
  removeLogo,
  uploadIcon,
  uploadLogo,
} from '../../data/organization-actions.ts';
import type { Realm } from '../../data/state.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { removal } from './action-button.tsx';
import { amount, area, choice, file, line, listed, streamChoices, toggles } from './fields.ts';
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

function OrganizationPictures({ app }: SectionProps) {
  const { icon_source, icon_url, ...logos } = valuesOf(app.state.realm.value);
  return (
    <>
      <PictureField
        name="icon"
        picture={icon_source === 'U' && <img src={icon_url} alt="" />}
        upload={async (picture) => uploadIcon(app, { file: picture })}
        remove={icon_source === 'U' ? async () => removeIcon(app) : undefined}
      />
      {(['logo', 'night_logo'] as const).map((name) => {
        const night = name === 'night_logo';
        return (
          <PictureField
            key={name}
            name={name}
            picture={<img src={logos[`${name}_url`]} alt="" data-night={night} />}
            upload={async (picture) => uploadLogo(app, { night, file: picture })}
            remove={
              logos[`${name}_source`] === 'U' ? async () => removeLogo(app, { night }) : undefined
            }
          />
        );
      })}
    </>
  );
}

export function OrganizationSection({ app }: SectionProps) {
  const values = valuesOf(app.state.realm.value);
  const present = new Set([values.notifications_stream_id, values.signup_notifications_stream_id]);
  const streams = [...app.state.streams.value.values()].filter(
    ({ stream_id, invite_only }) => !invite_only || present.has(stream_id),
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
        save={async (change) => changeOrganization(app, change)}
      />
      <OrganizationPictures app={app} />
    </>
  );
}

const yearSecs = 365 * 24 * 60 * 60;

const permissionFields = [
  listed('create_stream_policy'),
  listed('invite_to_stream_policy'),
  amount('waiting_period_threshold', 10_000),
  listed('bot_creation_policy'),
  listed('user_group_edit_policy'),
  listed('email_address_visibility'),
  ...toggles('add_emoji_by_admins_only', 'name_changes_disabled', 'avatar_changes_disabled'),
  ...toggles('emails_restricted_to_domains', 'allow_message_editing'),
  amount('message_content_edit_limit_seconds', yearSecs),
  ...toggles('allow_community_topic_editing', 'allow_edit_history', 'allow_message_deleting'),
  amount('message_content_delete_limit_seconds', yearSecs),
  ...toggles('mandatory_topics', 'inline_image_preview', 'inline_url_embed_preview'),
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

const emojiFields = [line('emoji_name', { required: true, maxLength: 100 }), file('file')];

export function EmojiSection({ app }: SectionProps) {
  const { rest, realm, self } = app.state;
  const { is_admin, is_guest, user_id } = self.value;
  const isOwn = (author: unknown): boolean =>
    typeof author === 'object' && author !== null && 'id' in author && author.id === user_id;
  return (
    <ListSection
      name="emoji"
      rows={Object.values(rest.value.realm_emoji)
        .filter(({ deactivated }) => !deactivated)
        .map(({ id, source_url, name, author }) => ({
          key: id,
          picture: <img src={source_url} alt="" />,
          title: name,
          actions:
            is_admin || isOwn(author)
              ? [
                  removal(
                    async () => removeEmoji(app, { emoji_name: name }),
                    t.warnings.removeEmoji,
                  ),
                ]
              : [],
        }))}
      fields={emojiFields}
      add={async (added) => addEmoji(app, added)}
      mayAdd={is_admin || !(is_guest || realm.value.realm_add_emoji_by_admins_only)}
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
        actions: [removal(async () => removeLinkifier(app, { filter_id }))],
      }))}
      fields={linkifierFields}
      add={async (linkifier) => addLinkifier(app, linkifier)}
    />
  );
}

const subdomainFields = toggles('allow_subdomains');
const domainFields = [line('domain', { required: true, maxLength: 253 }), ...subdomainFields];

export function DomainsSection({ app }: SectionProps) {
  return (
    <ListSection
      name="domains"
      rows={app.state.rest.value.realm_domains.map(({ domain, allow_subdomains }) => ({
        key: domain,
        title: domain,
        detail: allow_subdomains && t.withSubdomains,
        edit: () => (
          <SavedFields
            fields={subdomainFields}
            values={{ allow_subdomains }}
            save={async (change) => changeDomain(app, { domain, allow_subdomains, ...change })}
          />
        ),
        actions: [removal(async () => removeDomain(app, { domain }))],
      }))}
      fields={domainFields}
      add={async (domain) => addDomain(app, domain)}
    />
  );
}
