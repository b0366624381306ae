/** Sections in which people change their own account. */
import { useSignal } from '@preact/signals';

import { Refusal } from '../../data/failure.ts';
import { canBePushed, isPushed, startPushes, stopPushes } from '../../data/push.ts';
import { proven } from '../../data/proof.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { ActionButton, removal } from './action-button.tsx';
import { choice, line, listed, toggles } from './fields.ts';
import { Form, SavedFields } from './form.tsx';
import { ProfileSection } from './profile-section.tsx';
import { SessionsSection } from './read-sections.tsx';
import { ListSection } from './rows.tsx';
import type { SectionProps, Sections } from './section.ts';

const displayFields = [
  ...toggles('enter_sends', 'night_mode', 'high_contrast_mode', 'dense_mode'),
  ...toggles('enable_drafts_synchronization'),
  ...toggles('twenty_four_hour_time', 'starred_message_counts', 'translate_emoticons'),
  listed('demote_inactive_streams'),
  choice('timezone', [
    ['', t.display.browserTimezone],
    ...Intl.supportedValuesOf('timeZone').map((zone) => [zone, zone] as const),
  ]),
];

const notificationFields = [
  ...toggles('enable_desktop_notifications', 'enable_sounds', 'wildcard_mentions_notify'),
  ...toggles('enable_stream_desktop_notifications', 'enable_stream_audible_notifications'),
  ...toggles('pm_content_in_desktop_notifications'),
  listed('notification_sound'),
  listed('desktop_icon_count_display'),
  ...toggles('enable_offline_push_notifications', 'enable_online_push_notifications'),
  ...toggles('enable_stream_push_notifications'),
  ...toggles('enable_offline_email_notifications', 'enable_stream_email_notifications'),
  ...toggles('message_content_in_email_notifications'),
  listed('email_notifications_batching_period_seconds'),
];

const wordFields = [line('word', { required: true, maxLength: 100 })];

/** A browser says no by an exception of its own, with words for programmers. */
async function turnPushesOn({ app }: SectionProps): Promise<void> {
  try {
    await startPushes(app);
  } catch (error) {
    throw error instanceof DOMException ? new Refusal(t.push.refused) : error;
  }
}

/** Whether this browser is told while no page is looked at. */
function PushSwitch({ app }: SectionProps) {
  if (!canBePushed) return <p>{t.push.unsupported}</p>;
  const isOn = isPushed.value;
  return (
    <>
      <p>{isOn ? t.push.on : t.push.off}</p>
      <ActionButton
        label={isOn ? t.push.turnOff : t.push.turnOn}
        run={() => (isOn ? stopPushes(app) : turnPushesOn({ app }))}
      />
    </>
  );
}

const keyFields = [
  line('password', { type: 'password', required: true, autoComplete: 'current-password' }),
];

function ApiKeySection({ app }: SectionProps) {
  const key = useSignal<string | undefined>(undefined);
  const { delivery_email, email } = app.state.self.value;
  const username = delivery_email === '' ? email : delivery_email;
  return (
    <>
      {key.value === undefined ? (
        <Form
          fields={keyFields}
          button={t.apiKey.show}
          save={async ({ password }) => {
            key.value = (await app.request('POST /fetch_api_key', { username, password })).api_key;
          }}
        />
      ) : (
        <output aria-label={t.apiKey.yours}>
          <code>{key}</code>
        </output>
      )}
      <ActionButton
        label={t.apiKey.replace}
        warning={t.warnings.replaceOwnKey}
        run={() =>
          proven((given) => app.request('POST /users/me/api_key/regenerate', { password: given }))
        }
      />
    </>
  );
}

const passwordFields = [
  line('old_password', { type: 'password', required: true, autoComplete: 'current-password' }),
  line('new_password', { type: 'password', required: true, autoComplete: 'new-password' }),
];

const addressFields = [line('email', { type: 'email', required: true, maxLength: 254 })];

export const ownSections: Sections = {
  profile: ProfileSection,
  display: ({ app }) => (
    <SavedFields
      fields={displayFields}
      values={app.state.settings.value}
      save={async ({ enter_sends, ...change }) =>
        enter_sends === undefined
          ? app.request('PATCH /settings/display', change)
          : app.request('POST /users/me/enter-sends', { enter_sends })
      }
    />
  ),
  notifications: ({ app }) => (
    <>
      <SavedFields
        fields={notificationFields}
        values={app.state.settings.value}
        save={(change) => app.request('PATCH /settings/notifications', change)}
      />
      <PushSwitch app={app} />
    </>
  ),
  'alert-words': ({ app }) => (
    <ListSection
      name="alert-words"
      rows={app.state.self.value.alert_words.map((word) => ({
        key: word,
        title: word,
        actions: [
          removal(() => app.request('DELETE /users/me/alert_words', { alert_words: [word] })),
        ],
      }))}
      fields={wordFields}
      add={({ word }) => app.request('POST /users/me/alert_words', { alert_words: [word] })}
    />
  ),
  sessions: SessionsSection,
  'api-key': ApiKeySection,
  account: ({ app }) => (
    <>
      <h2>{t.account.changePassword}</h2>
      <Form
        title={t.account.changePassword}
        fields={passwordFields}
        button={t.change}
        save={(passwords) => app.request('PATCH /settings', passwords)}
      />
      {(app.state.self.value.is_admin || !app.state.realm.value.realm_email_changes_disabled) && (
        <>
          <h2>{t.account.changeAddress}</h2>
          <Form
            title={t.account.changeAddress}
            fields={addressFields}
            button={t.change}
            doneText={t.account.mailSent}
            save={({ email }) =>
              proven((old_password) => app.request('PATCH /settings', { email, old_password }))
            }
          />
        </>
      )}
      <h2>{t.account.deactivateSelf}</h2>
      <ActionButton
        label={t.deactivate}
        warning={t.warnings.deactivateSelf}
        run={() => app.request('DELETE /users/me')}
      />
    </>
  ),
};
