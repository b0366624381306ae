import type { App } from '../../data/app.ts';
import { conversationOf, shownStreamIdOf } from '../../data/narrow.ts';
import type { Narrow } from '../../data/narrow.ts';
import { report } from '../../data/notices.ts';
import { setForStream } from '../../data/subscriptions.ts';
import { texts } from '../../texts.ts';
import { PlaceMenu } from '../navigation/place-menu.tsx';
import { IconButton } from '../parts/icon-button.tsx';
import { titleOfNarrow } from '../parts/names.ts';
import { findStream, StreamPath } from '../parts/stream-path.tsx';

/** What the messages below are, and what can be done with all of them. */
export function PlaceHeader({ app, narrow }: { readonly app: App; readonly narrow: Narrow }) {
  const { state } = app;
  const conversation = conversationOf(narrow);
  const topic = conversation?.type === 'stream' ? conversation.topic : undefined;
  const streamId = shownStreamIdOf(narrow);
  const stream = streamId === undefined ? undefined : findStream(state, streamId);
  const isFormer = stream === undefined && state.formerStreams.value.has(streamId ?? 0);
  return (
    <header class="place-header">
      <h1 class="line">
        {streamId === undefined ? (
          titleOfNarrow(app, narrow)
        ) : (
          <StreamPath app={app} streamId={streamId} topic={topic} />
        )}
      </h1>
      {topic === undefined && <p class="line">{stream?.description}</p>}
      {isFormer && <p class="line">{texts.messages.archived}</p>}
      {streamId !== undefined && <PinButton app={app} streamId={streamId} />}
      <PlaceMenu
        app={app}
        address={app.addressOf({ view: 'messages', narrow })}
        label={texts.messages.placeActions}
      />
    </header>
  );
}

/** Keeps a stream above the others of the navigation. */
function PinButton({ app, streamId }: { readonly app: App; readonly streamId: number }) {
  const subscription = app.state.subscriptions.value.get(streamId);
  if (subscription === undefined) return null;
  const isPinned = subscription.pin_to_top;
  return (
    <IconButton
      icon="pin"
      label={texts.messages.pin}
      aria-pressed={isPinned}
      onClick={() => report(setForStream(app, streamId, { pin_to_top: !isPinned }))}
    />
  );
}
