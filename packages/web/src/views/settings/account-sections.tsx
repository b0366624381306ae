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
import { ActionButton } from './action-button.tsx';
import { choice, line, policy, toggle } from './fields.ts';
import { SavedFields, SubmitForm } from './form.tsx';
import { OutcomeNote, useOutcome } from './outcome.tsx';
import { ListSection } from './list-section.tsx';
import { Rows } from './rows.tsx';
import type { SectionProps } from './section.ts';

const displayFields = [
  toggle('enter_sends'),
  toggle('night_mode'),
  toggle('dense_mode'),
  toggle('twenty_four_hour_time'),
  toggle('starred_message_counts'),
  toggle('translate_emoticons'),
  policy('demote_inactive_streams', t.demotions),
  choice('timezone', [
    { value: '', label: t.display.browserTimezone },
    ...Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, label: zone })),
  ]),
];

export function DisplaySection({ app }: SectionProps) {
  return (
    <>
      <p>{t.display.note}</p>
      <SavedFields
        fields={displayFields}
        values={app.state.settings.value}
        save={async ({ enter_sends, ...change }) =>
          enter_sends === undefined
            ? changeDisplaySettings(app, change)
            : setEnterSends(app, { enter_sends })
        }
      />
    </>
  );
}

const notificationFields = [
  toggle('enable_desktop_notifications'),
  toggle('enable_sounds'),
  toggle('enable_stream_desktop_notifications'),
  toggle('enable_stream_audible_notifications'),
  toggle('wildcard_mentions_notify'),
  toggle('pm_content_in_desktop_notifications'),
  choice('notification_sound', [
    { value: 'ding', label: t.sounds.ding },
    { value: 'zulip', label: t.sounds.zulip },
  ]),
  policy('desktop_icon_count_display', t.iconCounts),
];

export function NotificationsSection({ app }: SectionProps) {
  const subscriptions = [...app.state.subscriptions.value.values()];
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
        empty={t.notifications.noStreams}
        rows={subscriptions
          .toSorted((one, other) => one.name.localeCompare(other.name))
          .map((subscription) => ({
            key: subscription.stream_id,
            title: `#${subscription.name}`,
            href: app.addressOf({ view: 'streams', streamId: subscription.stream_id }),
            detail: t.notifications.details(
              subscription.desktop_notifications === true,
              subscription.audible_notifications === true,
              subscription.is_muted,
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
        remove: { run: async () => removeAlertWords(app, { alert_words: [word] }) },
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
  const sessions = useSignal<readonly BrowserSession[] | undefined>(undefined);
  const { outcome, attempt } = useOutcome();
  const load = async (): Promise<void> => {
    sessions.value = (await listSessions(app)).sessions;
  };
  useEffect(() => {
    void attempt(load, '');
  }, []);
  if (sessions.value === undefined) return <OutcomeNote outcome={outcome} />;
  return (
    <>
      <Rows
        label={t.sections.sessions}
        empty={t.sessions.empty}
        rows={sessions.value.map(({ session_id, device, last_used_at, is_current }) => ({
          key: session_id,
          title: describeDevice(device),
          detail: is_current
            ? t.sessions.current
            : t.sessions.lastUsed(new Date(last_used_at * 1000).toLocaleString()),
          actions: !is_current && (
            <ActionButton
              label={t.sessions.end}
              about={describeDevice(device)}
              run={async () => endSession(app, { session_id }).then(load)}
            />
          ),
        }))}
      />
      {sessions.value.some(({ is_current }) => !is_current) && (
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
      <p>{t.apiKey.note}</p>
      {key.value === undefined ? (
        <SubmitForm
          fields={keyFields}
          label={t.apiKey.show}
          submit={async ({ password }) => {
            key.value = await readApiKey(app, password);
          }}
        />
      ) : (
        <p>
          <output aria-label={t.apiKey.yours}>
            <code>{key}</code>
          </output>
        </p>
      )}
      <ActionButton
        label={t.apiKey.replace}
        warning={t.warnings.replaceOwnKey}
        run={async () => {
          key.value = (await replaceApiKey(app)).api_key;
        }}
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
      <SubmitForm
        title={t.account.changePassword}
        fields={passwordFields}
        label={t.change}
        submit={async (passwords) => changeOwnAccount(app, passwords)}
      />
      <p>{t.account.passwordNote}</p>
      <h2>{t.account.deactivateSelf}</h2>
      <ActionButton
        label={t.deactivate}
        warning={t.warnings.deactivateSelf}
        run={async () => deactivateOwnAccount(app)}
      />
    </>
  );
}
