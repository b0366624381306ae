import { useEffect, useMemo, useRef } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { editLast } from '../../data/message-actions.ts';
import type { Conversation } from '../../data/narrow.ts';
import { conversationAt, streamIdAt } from '../../data/place.ts';
import { texts } from '../../texts.ts';
import { EmojiButton } from '../emoji/emoji-button.tsx';
import { lazy } from '../lazy.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { takeFocus } from '../parts/dialog-form.tsx';
import { keepFocusInside, onEscape } from '../parts/focus.ts';
import { IconButton } from '../parts/icon-button.tsx';
import { RenderedHtml } from '../parts/rendered-html.tsx';
import { useReading } from '../parts/waiting.tsx';
import { Composer, newTopicAt } from './composer.ts';
import { FailedMessages } from './failed-messages.tsx';
import { LinkedPictures, pasteFiles, takeDrops, UploadList } from './files.tsx';
import { doesEnterSend, MessageField } from './message-field.tsx';
import { Notes } from './notes.tsx';
import { Recipients } from './recipients.tsx';

const SendLater = lazy(async () => (await import('./send-later.tsx')).SendLater);

/** Where a person writes: to the conversation that is shown, or to one chosen here. */
export function ComposeArea({ app }: { readonly app: App }) {
  const composer = useMemo(() => new Composer(app), [app]);
  const area = useRef<HTMLElement>(null);
  useEffect(() => composer.follow(), [composer]);
  useEffect(
    () => takeDrops(area.current?.parentElement, (files) => composer.addFiles(files)),
    [composer],
  );
  const conversation = app.composing.value;
  return (
    <section ref={area} class="compose" aria-label={texts.compose.area}>
      <FailedMessages composer={composer} />
      {conversation === undefined ? (
        <StartButtons composer={composer} />
      ) : (
        <ComposeForm composer={composer} conversation={conversation} />
      )}
    </section>
  );
}

/** Where nothing is written to: in places that are no conversation, and in one where it was closed. */
function StartButtons({ composer }: { readonly composer: Composer }) {
  const { app } = composer;
  const isInStream = streamIdAt(app.place.value) !== undefined;
  const start = (conversation: Conversation): void => {
    composer.redirect(conversation);
    // It is drawn by then.
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>('.compose-recipients input')?.focus(),
    );
  };
  const shown = conversationAt(app.place.value);
  return (
    <div class="compose-start row">
      {shown !== undefined && (
        <button type="button" onClick={() => (app.composing.value = shown)}>
          {texts.compose.startHere}
        </button>
      )}
      <button type="button" onClick={() => start(newTopicAt(app))}>
        {isInStream ? texts.compose.startTopic : texts.compose.startStream}
      </button>
      <button type="button" onClick={() => start({ type: 'private', userIds: [] })}>
        {texts.compose.startPrivate}
      </button>
    </div>
  );
}

type ComposeFormProps = { readonly composer: Composer; readonly conversation: Conversation };

function ComposeForm({ composer, conversation }: ComposeFormProps) {
  const { app, field, isPreviewed } = composer;
  const text = field.text.value;
  return (
    <form
      class="compose-form"
      onSubmit={(event) => {
        event.preventDefault();
        composer.send();
      }}
      onPaste={pasteFiles(field)}
      onFocusOut={() => composer.keep()}
      onMouseDown={keepFocusInside}
      onKeyDown={onEscape(() => composer.close())}
    >
      <div class="compose-head">
        <Recipients composer={composer} conversation={conversation} />
        <IconButton icon="close" label={texts.compose.close} onClick={() => composer.close()} />
      </div>
      <UploadList uploads={field.uploads} />
      <LinkedPictures field={field} />
      <Notes composer={composer} />
      {isPreviewed.value ? (
        <Preview key={text} app={app} content={text} />
      ) : (
        <div
          onKeyDown={(event) => {
            if (event.key !== 'ArrowUp' || event.defaultPrevented || text !== '') return;
            event.preventDefault();
            editLast(app, conversation);
          }}
        >
          <MessageField app={app} field={field} conversation={conversation} />
        </div>
      )}
      <ComposeButtons composer={composer} />
    </form>
  );
}

/** How others will see a text, which does not change: what the server's renderer makes of it. */
function Preview({ app, content }: { readonly app: App; readonly content: string }) {
  const { value, waiting } = useReading(() => app.request('POST /messages/render', { content }));
  return (
    <div
      // The field that had it is gone.
      ref={takeFocus}
      class="compose-preview"
      role="region"
      aria-label={texts.compose.preview}
      tabIndex={0}
    >
      {value === undefined ? waiting : <RenderedHtml html={value.rendered} />}
    </div>
  );
}

function ComposeButtons({ composer }: { readonly composer: Composer }) {
  const { app, field, isPreviewed, obstacle } = composer;
  const files = useRef<HTMLInputElement>(null);
  const isEmpty = field.text.value.trim() === '';
  return (
    <div class="compose-buttons row">
      <input
        ref={files}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          field.addFiles(currentTarget.files ?? []);
          currentTarget.value = '';
        }}
      />
      <IconButton
        icon="attach"
        label={texts.compose.attach}
        onClick={() => files.current?.click()}
      />
      <EmojiButton app={app} onChoose={({ emoji_name }) => field.insert(`:${emoji_name}: `)} />
      <button
        type="button"
        class="plain"
        aria-pressed={isPreviewed.value}
        disabled={isEmpty && !isPreviewed.value}
        onClick={() => {
          isPreviewed.value = !isPreviewed.value;
          if (!isPreviewed.value) field.focus();
        }}
      >
        {texts.compose.preview}
      </button>
      <span class="compose-hint line">
        {doesEnterSend(app) ? texts.compose.enterSends : texts.compose.ctrlEnterSends}
      </span>
      <DialogButton
        icon="clock"
        label={texts.scheduled.schedule}
        title={texts.scheduled.schedule}
        disabled={isEmpty || obstacle.value !== undefined}
        content={(close) => <SendLater composer={composer} onClose={close} />}
      />
      <button class="primary" disabled={isEmpty}>
        {texts.compose.send}
      </button>
    </div>
  );
}
