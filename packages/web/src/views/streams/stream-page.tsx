import type { App } from '../../data/app.ts';
import { streamNarrow } from '../../data/narrow.ts';
import type { Person, Stream, Subscription } from '../../data/state.ts';
import {
  changeStream,
  changeSubscriptions,
  deleteStream,
  subscribe,
  unsubscribe,
} from '../../data/stream-actions.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { Avatar } from '../parts/avatar.tsx';
import { ActionButton } from '../settings/action-button.tsx';
import { area, line, people, toggle } from '../settings/fields.ts';
import { SavedFields, SubmitForm } from '../settings/form.tsx';
import { Rows } from '../settings/rows.tsx';
import { LeaveButton } from './leave-button.tsx';
import { privacies, privacyChoice, privacyOf } from './privacy.ts';

type StreamProps = { readonly app: App; readonly stream: Stream };

const ownFields = [
  line('color', { type: 'color' }),
  toggle('pin_to_top'),
  toggle('is_muted'),
  toggle('desktop_notifications'),
  toggle('audible_notifications'),
  toggle('wildcard_mentions_notify'),
];

/** Colour controls know six digits only. */
function withSixDigits(color: string): string {
  return color.length === 4 ? color.replaceAll(/[0-9a-f]/gi, '$&$&') : color;
}

function OwnSettings({
  app,
  subscription,
}: {
  readonly app: App;
  readonly subscription: Subscription;
}) {
  const { stream_id } = subscription;
  return (
    <>
      <h2>{t.streams.forYou}</h2>
      <SavedFields
        fields={ownFields}
        values={{
          color: withSixDigits(subscription.color),
          pin_to_top: subscription.pin_to_top,
          is_muted: subscription.is_muted,
          desktop_notifications: subscription.desktop_notifications ?? false,
          audible_notifications: subscription.audible_notifications ?? false,
          wildcard_mentions_notify:
            subscription.wildcard_mentions_notify ??
            app.state.settings.value.wildcard_mentions_notify,
        }}
        save={async (change) =>
          changeSubscriptions(app, {
            subscription_data: Object.entries(change).map(([property, value]) => ({
              stream_id,
              property,
              value,
            })),
          })
        }
      />
    </>
  );
}

const sharedFields = [
  line('new_name', { required: true, maxLength: 60 }),
  area('description', 1024),
  privacyChoice,
  toggle('is_announcement_only'),
];

function SharedSettings({ app, stream }: StreamProps) {
  const { stream_id, name, description, is_announcement_only } = stream;
  return (
    <>
      <h2>{t.streams.forEverybody}</h2>
      <SavedFields
        fields={sharedFields}
        values={{
          new_name: name,
          description,
          privacy: privacyOf(stream),
          is_announcement_only,
        }}
        save={async ({ privacy, ...change }) => {
          const { invite_only: is_private, ...history } = privacies[privacy ?? privacyOf(stream)];
          await changeStream(app, {
            stream_id,
            ...change,
            ...(privacy === undefined ? {} : { is_private, ...history }),
          });
        }}
      />
      <ActionButton
        label={t.streams.delete}
        warning={t.warnings.deleteStream}
        run={async () => {
          await deleteStream(app, { stream_id });
          app.navigate({ view: 'streams', streamId: undefined });
        }}
      />
    </>
  );
}

function StreamPeople({ app, stream }: StreamProps) {
  const { state } = app;
  const { is_admin, can_subscribe_other_users } = state.self.value;
  const ids = state.subscribers.value.get(stream.stream_id) ?? new Set<number>();
  const others = state.activePeople.value.filter(({ user_id }) => !ids.has(user_id));
  const mayAdd =
    can_subscribe_other_users &&
    (!stream.invite_only || state.subscriptions.value.has(stream.stream_id));
  const subscribers = [...ids]
    .map((id) => state.people.value.get(id))
    .filter((person): person is Person => person?.isActive === true)
    .toSorted((one, other) => one.full_name.localeCompare(other.full_name));
  return (
    <>
      <h2>{t.streams.people}</h2>
      {mayAdd && others.length > 0 && (
        <SubmitForm
          fields={[{ ...people('principals', others), label: t.streams.addPeople }]}
          label={t.add}
          doneText={t.added}
          submit={async ({ principals }) => {
            if (principals.length > 0) await subscribe(app, stream, principals);
          }}
        />
      )}
      <Rows
        label={t.streams.people}
        empty={t.streams.nobody}
        rows={subscribers.map((person) => ({
          key: person.user_id,
          picture: <Avatar person={person} size={32} />,
          title: person.full_name,
          actions: is_admin && (
            <ActionButton
              label={t.remove}
              about={person.full_name}
              run={async () => unsubscribe(app, stream, [person.user_id])}
            />
          ),
        }))}
      />
    </>
  );
}

/** One stream: its settings for the person and for everybody, and who is in it. */
export function StreamPage({ app, stream }: StreamProps) {
  const { subscriptions, self } = app.state;
  const subscription = subscriptions.value.get(stream.stream_id);
  const { is_admin, is_guest } = self.value;
  return (
    <>
      <p>
        {[
          stream.invite_only ? t.streams.private : undefined,
          stream.is_announcement_only ? t.streams.announcementOnly : undefined,
          stream.description,
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      <p class="form-end">
        <a
          href={app.addressOf({
            view: 'messages',
            narrow: streamNarrow(stream.stream_id),
            near: undefined,
          })}
        >
          {t.streams.messages}
        </a>
        {subscription !== undefined && <LeaveButton app={app} stream={stream} />}
        {subscription === undefined && !is_guest && (
          <ActionButton label={t.streams.subscribe} run={async () => subscribe(app, stream)} />
        )}
      </p>
      {subscription !== undefined && <OwnSettings app={app} subscription={subscription} />}
      {is_admin && <SharedSettings app={app} stream={stream} />}
      <StreamPeople app={app} stream={stream} />
    </>
  );
}
