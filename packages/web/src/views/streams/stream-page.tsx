import type { App } from '../../data/app.ts';
import { streamNarrow } from '../../data/narrow.ts';
import { Refusal } from '../../data/failure.ts';
import { maySubscribeOthers } from '../../data/policies.ts';
import type { Stream, Subscription } from '../../data/state.ts';
import { setForStream, subscribeTo, unsubscribeFrom } from '../../data/subscriptions.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { Avatar } from '../parts/avatar.tsx';
import type { Action } from '../settings/action-button.tsx';
import { ActionButton, removal } from '../settings/action-button.tsx';
import { area, line, listed, peopleChoices, several, toggles } from '../settings/fields.ts';
import { SavedFields } from '../settings/form.tsx';
import { GrowingList } from '../settings/rows.tsx';
import type { SectionProps } from '../settings/section.ts';
import { privacies, privacyOf } from './privacy.ts';

type StreamProps = SectionProps & { readonly stream: Stream };

/**
 * Subscribing or unsubscribing. From private streams there is a warning, since there is no way back; guests subscribe to none by themselves.
 */
export function joinAction(app: App, stream: Stream): Action | false {
  const { invite_only, stream_id } = stream;
  if (app.state.subscriptions.value.has(stream_id))
    return {
      label: t.streams.leave,
      run: () => unsubscribeFrom(app, stream),
      warning: invite_only ? t.warnings.leavePrivateStream : undefined,
    };
  if (invite_only || app.state.self.value.is_guest) return false;
  return { label: t.streams.subscribe, run: () => subscribeTo(app, stream) };
}

/** @param more what is said between who sees it and its own words */
export function describeStream(
  { invite_only, description }: Stream,
  more: string | false | undefined,
): string {
  return [invite_only && t.streams.private, more, description].filter(Boolean).join(' · ');
}

const ownFields = [
  line('color', { type: 'color' }),
  ...toggles('pin_to_top', 'is_muted', 'desktop_notifications', 'audible_notifications'),
  ...toggles('wildcard_mentions_notify'),
];

/** Colour controls know six digits only. */
function withSixDigits(color: string): string {
  return color.length === 4 ? color.replaceAll(/[0-9a-f]/gi, '$&$&') : color;
}

type OwnSettingsProps = SectionProps & { readonly subscription: Subscription };

function OwnSettings({ app, subscription }: OwnSettingsProps) {
  const { stream_id, color, ...own } = subscription;
  const inAll = app.state.settings.value;
  return (
    <>
      <h2>{t.streams.forYou}</h2>
      <SavedFields
        fields={ownFields}
        values={{
          ...own,
          color: withSixDigits(color),
          desktop_notifications:
            own.desktop_notifications ?? inAll.enable_stream_desktop_notifications,
          audible_notifications:
            own.audible_notifications ?? inAll.enable_stream_audible_notifications,
          wildcard_mentions_notify: own.wildcard_mentions_notify ?? inAll.wildcard_mentions_notify,
        }}
        save={(change) => setForStream(app, stream_id, change)}
      />
    </>
  );
}

const sharedFields = [
  line('new_name', { required: true, maxLength: 60 }),
  area('description', 1024),
  listed('privacy'),
  ...toggles('is_announcement_only'),
];

function SharedSettings({ app, stream }: StreamProps) {
  const { stream_id, name, description, is_announcement_only } = stream;
  return (
    <>
      <h2>{t.streams.forEverybody}</h2>
      <SavedFields
        fields={sharedFields}
        values={{ new_name: name, description, privacy: privacyOf(stream), is_announcement_only }}
        save={async ({ privacy, ...change }) => {
          const { invite_only, ...history } = privacies[privacy ?? privacyOf(stream)];
          await app.request('PATCH /streams/{stream_id}', {
            stream_id,
            ...change,
            ...(privacy !== undefined && { is_private: invite_only, ...history }),
          });
        }}
      />
      <ActionButton
        label={t.streams.delete}
        warning={t.warnings.deleteStream}
        run={async () => {
          await app.request('DELETE /streams/{stream_id}', { stream_id });
          app.navigate({ view: 'streams', streamId: undefined });
        }}
      />
    </>
  );
}

function StreamPeople({ app, stream: { stream_id, name, invite_only } }: StreamProps) {
  const { self, people, subscribers, subscriptions, activePeople } = app.state;
  const ids = subscribers.value.get(stream_id) ?? new Set<number>();
  const inside = [...people.value.values()]
    .filter(({ isActive, user_id }) => isActive && ids.has(user_id))
    .toSorted((one, other) => one.full_name.localeCompare(other.full_name));
  const others = activePeople.value.filter(({ user_id }) => !ids.has(user_id));
  const mayAdd =
    maySubscribeOthers(app.state) && (!invite_only || subscriptions.value.has(stream_id));
  const remove = (user_id: number) =>
    removal(() =>
      app.request('DELETE /users/me/subscriptions', {
        subscriptions: [name],
        principals: [user_id],
      }),
    );
  return (
    <>
      <h2>{t.streams.people}</h2>
      <GrowingList
        label={t.streams.people}
        rows={inside.map((person) => ({
          key: person.user_id,
          picture: <Avatar person={person} size={32} />,
          title: person.full_name,
          actions: [self.value.is_admin && remove(person.user_id)],
        }))}
        mayAdd={mayAdd && others.length > 0}
        title={t.streams.addPeople}
        fields={[several('principals', peopleChoices(others))]}
        button={t.add}
        add={async ({ principals }) => {
          // To the server nobody would be the person who asks.
          if (principals.length === 0) throw new Refusal(t.streams.nobodyChosen);
          await app.request('POST /users/me/subscriptions', {
            subscriptions: [{ name }],
            principals,
          });
        }}
      />
    </>
  );
}

/** One stream: its settings for the person and for everybody, and who is in it. */
export function StreamPage({ app, stream }: StreamProps) {
  const { subscriptions, self } = app.state;
  const { stream_id, name, is_announcement_only } = stream;
  const subscription = subscriptions.value.get(stream_id);
  const action = joinAction(app, stream);
  return (
    <>
      <p>{describeStream(stream, is_announcement_only && t.fields.is_announcement_only)}</p>
      <div class="row">
        <a href={app.addressOf({ view: 'messages', narrow: streamNarrow(stream_id) })}>
          {t.streams.messages}
        </a>
        {action && <ActionButton key={action.label} about={name} {...action} />}
      </div>
      {subscription !== undefined && <OwnSettings app={app} subscription={subscription} />}
      {self.value.is_admin && <SharedSettings app={app} stream={stream} />}
      <StreamPeople app={app} stream={stream} />
    </>
  );
}
