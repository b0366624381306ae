import type { App } from '../data/app.ts';
import { ComposeArea } from './compose/compose-area.tsx';
import { MessageView } from './messages/message-view.tsx';
import { SettingsView } from './settings/settings-view.tsx';
import { StreamsView } from './streams/streams-view.tsx';

/** The page of a signed-in person: navigation, the place in the middle, the compose area. */
export function Shell({ app }: { readonly app: App }) {
  const place = app.place.value;
  switch (place.view) {
    case 'messages':
      return (
        <main>
          <MessageView app={app} narrow={place.narrow} near={place.near} />
          <ComposeArea app={app} />
        </main>
      );
    case 'settings':
      return <SettingsView app={app} section={place.section} />;
    case 'streams':
      return <StreamsView app={app} streamId={place.streamId} />;
    default:
      return <main>{place.view}</main>;
  }
}
