/** Sections in which people change their own account. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { AnswerOf } from '@parley/client';
import {
  addAlertWords,
  changeDisplaySettings,
  changeNotificationSettings,
  changeOwnAccount,
  deactivateOwnAccount,
  endOtherSessions,
  endSession,
  listSessions,
  readApiKey,
  removeAlertWords,
  replaceApiKey,
  setEnterSends,
} from '../../data/settings-actions.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { ActionButton, removal } from './action-button.tsx';
import { choice, line, listed, toggles } from './fields.ts';
import { Form, SavedFields } from './form.tsx';
import { ListSection } from './list-section.tsx';
import { useOutcome } from './outcome.tsx';
import { Rows } from './rows.tsx';
import type { SectionProps } from './section.ts';

const displayFields = [
  ...toggles('enter_sends', 'night_mode', 'high_contrast_mode', 'dense_mode'),
  ...toggles('twenty_four_hour_time', 'starred_message_counts', 'translate_emoticons'),
  listed('demote_inactive_streams'),
  choice('timezone', [
    ['', t.display.browserTimezone],
    ...Intl.supportedValuesOf('timeZone').map((zone) => [zone, zone] as const),
  ]),
];

export function DisplaySection({ app }: SectionProps) {
  return (
    <SavedFields
      fields={displayFields}
      values={app.state.settings.value}
      save={async ({ enter_sends, ...change }) =>
        enter_sends === undefined
          ? changeDisplaySettings(app, change)
          : setEnterSends(app, { enter_sends })
      }
    />
  );
}

const notificationFields = [
  ...toggles('enable_desktop_notifications', 'enable_sounds', 'wildcard_mentions_notify'),
  ...toggles('enable_stream_desktop_notifications', 'enable_stream_audible_notifications'),
  ...toggles('pm_content_in_desktop_notifications'),
  listed('notification_sound'),
  listed('desktop_icon_count_display'),
];

export function NotificationsSection({ app }: SectionProps) {
  return (
    <>
      <SavedFields
        fields={notificationFields}
        values={app.state.settings.value}
        save={async (change) => changeNotificationSettings(app, change)}
      />
      <h2>{t.notifications.perStream}</h2>
      <p>{t.notifications.perStreamNote}</p>
      <Rows
        label={t.notifications.perStream}
        rows={[...app.state.subscriptions.value.values()]
          .toSorted((one, other) => one.name.localeCompare(other.name))
          .map(({ stream_id, name, is_muted, desktop_notifications, audible_notifications }) => ({
            key: stream_id,
            title: `#${name}`,
            href: app.addressOf({ view: 'streams', streamId: stream_id }),
            detail: t.notifications.details(
              desktop_notifications === true,
              audible_notifications === true,
              is_muted,
            ),
          }))}
      />
    </>
  );
}

const wordFields = [line('word', { required: true, maxLength: 100 })];

export function AlertWordsSection({ app }: SectionProps) {
  return (
    <ListSection
      name="alert-words"
      rows={app.state.self.value.alert_words.map((word) => ({
        key: word,
        title: word,
        actions: [removal(async () => removeAlertWords(app, { alert_words: [word] }))],
      }))}
      fields={wordFields}
      add={async ({ word }) => addAlertWords(app, { alert_words: [word] })}
    />
  );
}

/** Programs and systems by what they call themselves; many also claim to be one that comes later. */
const programs = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari'];
const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'];

/** @returns the browser and its system in few words, or all that it said of itself */
function describeDevice(device: string): string {
  const program = programs.find((name) => device.includes(`${name}/`));
  const system = systems.find((name) => device.includes(name));
  if (program === undefined || system === undefined)
    return device === '' ? t.sessions.unknownDevice : device;
  return t.sessions.device(program, system);
}

type BrowserSession = AnswerOf<'GET /sessions'>['sessions'][number];

export function SessionsSection({ app }: SectionProps) {
  const sessions = useSignal<readonly BrowserSession[]>([]);
  const { note, attempt } = useOutcome();
  const load = async (): Promise<void> => {
    sessions.value = (await listSessions(app)).sessions;
  };
  useEffect(() => {
    void attempt(load, '');
  }, []);
  if (sessions.value.length === 0) return note;
  return (
    <>
      <Rows
        label={t.sections.sessions.title}
        rows={sessions.value.map(({ session_id, device, last_used_at, is_current }) => ({
          key: session_id,
          title: describeDevice(device),
          detail: is_current
            ? t.sessions.current
            : t.sessions.lastUsed(new Date(last_used_at * 1000).toLocaleString()),
          actions: is_current
            ? []
            : [
                {
                  label: t.sessions.end,
                  run: async () => endSession(app, { session_id }).then(load),
                },
              ],
        }))}
      />
      {sessions.value.length > 1 && (
        <ActionButton
          label={t.sessions.endOthers}
          run={async () => endOtherSessions(app).then(load)}
        />
      )}
    </>
  );
}

const keyFields = [
  line('password', { type: 'password', required: true, autoComplete: 'current-password' }),
];

export function ApiKeySection({ app }: SectionProps) {
  const key = useSignal<string | undefined>(undefined);
  return (
    <>
      {key.value === undefined ? (
        <Form
          fields={keyFields}
          button={t.apiKey.show}
          save={async ({ password }) => {
            key.value = await readApiKey(app, password);
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
        run={async () => replaceApiKey(app)}
      />
    </>
  );
}

const passwordFields = [
  line('old_password', { type: 'password', required: true, autoComplete: 'current-password' }),
  line('new_password', { type: 'password', required: true, autoComplete: 'new-password' }),
];

export function AccountSection({ app }: SectionProps) {
  return (
    <>
      <Form
        title={t.account.changePassword}
        fields={passwordFields}
        button={t.change}
        save={async (passwords) => changeOwnAccount(app, passwords)}
      />
      <h2>{t.account.deactivateSelf}</h2>
      <ActionButton
        label={t.deactivate}
        warning={t.warnings.deactivateSelf}
        run={async () => deactivateOwnAccount(app)}
      />
    </>
  );
}
