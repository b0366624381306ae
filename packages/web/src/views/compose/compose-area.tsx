import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { streamIdOf } from '../../data/narrow.ts';
import type { Conversation } from '../../data/narrow.ts';
import { texts } from '../../texts.ts';
import { EmojiButton } from '../emoji/emoji-button.tsx';
import { Icon } from '../icon.tsx';
import { Composer } from './composer.ts';
import { FailedMessages } from './failed-messages.tsx';
import { MessageField } from './message-field.tsx';
import { Notes } from './notes.tsx';
import { Preview } from './preview.tsx';
import { Recipients } from './recipients.tsx';
import { SendLaterDialog } from './send-later.tsx';
import { UploadList } from './upload-list.tsx';

/** Where a person writes: to the conversation that is shown, or to one chosen here. */
export function ComposeArea({ app }: { readonly app: App }) {
  const composer = useMemo(() => new Composer(app), [app]);
  useEffect(() => composer.follow(), [composer]);
  const conversation = app.composing.value;
  return (
    <section class="compose" aria-label={texts.compose.area}>
      <FailedMessages app={app} />
      {conversation === undefined ? (
        <StartButtons app={app} composer={composer} />
      ) : (
        <ComposeForm app={app} composer={composer} conversation={conversation} />
      )}
    </section>
  );
}

/** For places that are no conversation. */
function StartButtons({ app, composer }: { readonly app: App; readonly composer: Composer }) {
  const start = (conversation: Conversation): void => {
    composer.redirect(conversation);
    composer.field.focus();
  };
  const place = app.place.value;
  const shownId = place.view === 'messages' ? streamIdOf(place.narrow) : undefined;
  const [firstId = 0] = app.state.subscriptions.value.keys();
  return (
    <div class="compose-start">
      <button
        type="button"
        onClick={() => start({ type: 'stream', streamId: shownId ?? firstId, topic: '' })}
      >
        {shownId === undefined ? texts.compose.startStream : texts.compose.startTopic}
      </button>
      <button type="button" onClick={() => start({ type: 'private', userIds: [] })}>
        {texts.compose.startPrivate}
      </button>
    </div>
  );
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

function ComposeForm({
  app,
  composer,
  conversation,
}: {
  readonly app: App;
  readonly composer: Composer;
  readonly conversation: Conversation;
}) {
  const isPreviewed = useSignal(false);
  const isDropped = useSignal(false);
  const isLater = useSignal(false);
  return (
    <>
      <form
        class="compose-form"
        data-dropping={isDropped.value}
        onSubmit={(event) => {
          event.preventDefault();
          composer.send();
        }}
        onDragOver={(event) => {
          if (!hasFiles(event)) return;
          event.preventDefault();
          isDropped.value = true;
        }}
        onDragLeave={() => {
          isDropped.value = false;
        }}
        onDrop={(event) => {
          isDropped.value = false;
          if (!hasFiles(event)) return;
          event.preventDefault();
          composer.field.uploads.add(event.dataTransfer?.files ?? []);
        }}
      >
        <Recipients app={app} composer={composer} conversation={conversation} />
        <UploadList uploads={composer.field.uploads} />
        <Notes app={app} composer={composer} />
        {isPreviewed.value ? (
          <Preview app={app} content={composer.field.text.value} />
        ) : (
          <MessageField
            app={app}
            field={composer.field}
            conversation={conversation}
            onSubmit={() => composer.send()}
          />
        )}
        <ComposeButtons
          app={app}
          composer={composer}
          isPreviewed={isPreviewed.value}
          onPreview={() => {
            isPreviewed.value = !isPreviewed.value;
            if (!isPreviewed.value) composer.field.focus();
          }}
          onLater={() => {
            isLater.value = true;
          }}
        />
      </form>
      {isLater.value && (
        <SendLaterDialog
          app={app}
          composer={composer}
          onClose={() => {
            isLater.value = false;
          }}
        />
      )}
    </>
  );
}

function ComposeButtons({
  app,
  composer,
  isPreviewed,
  onPreview,
  onLater,
}: {
  readonly app: App;
  readonly composer: Composer;
  readonly isPreviewed: boolean;
  readonly onPreview: () => void;
  readonly onLater: () => void;
}) {
  const files = useRef<HTMLInputElement>(null);
  const isEmpty = composer.field.text.value.trim() === '';
  return (
    <div class="compose-buttons">
      <input
        ref={files}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          composer.field.uploads.add(currentTarget.files ?? []);
          currentTarget.value = '';
        }}
      />
      <button
        type="button"
        class="plain"
        aria-label={texts.compose.attach}
        title={texts.compose.attach}
        onClick={() => files.current?.click()}
      >
        <Icon name="attach" />
      </button>
      <EmojiButton
        app={app}
        onChoose={({ emoji_name }) => composer.field.insert(`:${emoji_name}: `)}
      />
      <button
        type="button"
        class="plain"
        aria-pressed={isPreviewed}
        disabled={isEmpty && !isPreviewed}
        onClick={onPreview}
      >
        {texts.compose.preview}
      </button>
      <span class="compose-hint">
        {app.state.settings.value.enter_sends
          ? texts.compose.enterSends
          : texts.compose.ctrlEnterSends}
      </span>
      <button
        type="button"
        class="plain"
        aria-label={texts.compose.later}
        title={texts.compose.later}
        disabled={isEmpty || composer.obstacle.value !== undefined}
        onClick={onLater}
      >
        <Icon name="clock" />
      </button>
      <button type="submit" class="primary" disabled={isEmpty}>
        {texts.compose.send}
      </button>
    </div>
  );
}
