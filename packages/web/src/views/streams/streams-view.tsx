import { foldName } from '@parley/api/fold';
import { useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { Refusal } from '../../data/failure.ts';
import { streamNarrow } from '../../data/narrow.ts';
import { mayCreateStreams } from '../../data/policies.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { Filters } from '../parts/filters.tsx';
import { line, listed, peopleChoices, several, toggles } from '../settings/fields.ts';
import { Form } from '../settings/form.tsx';
import { Disclosure, Rows } from '../settings/rows.tsx';
import { SettingsPage } from '../settings/settings-page.tsx';
import { privacies } from './privacy.ts';
import { describeStream, joinAction, StreamPage } from './stream-page.tsx';

function hasName(app: App, name: string): boolean {
  const wanted = foldName(name.trim());
  return [...app.state.streams.peek().values()].some((each) => foldName(each.name) === wanted);
}

function NewStreamForm({ app }: { readonly app: App }) {
  const { self, realm, streams, activePeople } = app.state;
  const announcedIn = streams.value.get(realm.value.realm_notifications_stream_id);
  const selfId = self.value.user_id;
  const others = activePeople.value.filter(({ user_id }) => user_id !== selfId);
  return (
    <Form
      fields={[
        line('name', { required: true, maxLength: 60 }),
        line('description', { maxLength: 1024 }),
        listed('privacy'),
        ...toggles('is_announcement_only'),
        ...(announcedIn === undefined ? [] : toggles('announce')),
        several('principals', peopleChoices(others)),
      ]}
      button={t.streams.create}
      save={async ({ name, description, privacy, principals, ...options }) => {
        // To the server this would be joining it.
        if (hasName(app, name)) throw new Refusal(t.streams.exists);
        await app.request('POST /users/me/subscriptions', {
          subscriptions: [{ name, description }],
          ...privacies[privacy],
          ...options,
          principals: [selfId, ...principals],
        });
        const { stream_id } = await app.request('GET /get_stream_id', { stream: name.trim() });
        app.navigate({ view: 'messages', narrow: streamNarrow(stream_id) });
      }}
    />
  );
}

function StreamList({ app }: { readonly app: App }) {
  const { streams, subscriptions, subscribers } = app.state;
  const filter = useSignal<keyof typeof t.streams.shown>('all');
  const shown = [...streams.value.values()]
    .filter(
      ({ stream_id }) =>
        filter.value === 'all' ||
        subscriptions.value.has(stream_id) === (filter.value === 'subscribed'),
    )
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return (
    <>
      {mayCreateStreams(app.state) && (
        <Disclosure label={t.streams.create} content={() => <NewStreamForm app={app} />} />
      )}
      <Filters names={t.streams.shown} chosen={filter} />
      <Rows
        label={t.streams.title}
        rows={shown.map((stream) => {
          const { stream_id, name } = stream;
          const inside = subscribers.value.get(stream_id);
          return {
            key: stream_id,
            title: `#${name}`,
            href: app.addressOf({ view: 'streams', streamId: stream_id }),
            detail: describeStream(stream, inside && t.streams.peopleCount(inside.size)),
            actions: [joinAction(app, stream)],
          };
        })}
      />
    </>
  );
}

type StreamsViewProps = { readonly app: App; readonly streamId: number | undefined };

/** All streams that the person may see, or one of them. */
export function StreamsView({ app, streamId }: StreamsViewProps) {
  const stream = streamId === undefined ? undefined : app.state.streams.value.get(streamId);
  const all = app.addressOf({ view: 'streams', streamId: undefined });
  return (
    <SettingsPage
      title={stream === undefined ? t.streams.title : `#${stream.name}`}
      back={streamId === undefined ? undefined : [all, t.allStreams]}
    >
      {streamId === undefined && <StreamList app={app} />}
      {streamId !== undefined && stream === undefined && <p>{t.streams.unknown}</p>}
      {stream !== undefined && <StreamPage key={streamId} app={app} stream={stream} />}
    </SettingsPage>
  );
}
