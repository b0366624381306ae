import { computed, signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { conversationOfMessage } from '../../data/conversation.ts';
import { editedMessageId, rightsNow } from '../../data/message-actions.ts';
import type { Message } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { LinkedPictures, pasteFiles, takeDrops, UploadList } from '../compose/files.tsx';
import { MessageField } from '../compose/message-field.tsx';
import { WrittenText } from '../compose/written-text.ts';
import { FailureNote, useAttempt } from '../parts/attempt.tsx';
import { keepFocusInside, onEscape } from '../parts/focus.ts';
import { Waiting } from '../parts/waiting.tsx';

const tickMs = 1000;

/** The text of the message that is being edited: it stays when the message leaves the page meanwhile. */
const edited = computed(() => {
  void editedMessageId.value;
  return { field: new WrittenText(), isRead: signal(false) };
});

/** The text of a message while its author edits it, in place of the message's content. */
export function EditMessage({ app, message }: { readonly app: App; readonly message: Message }) {
  // There is nothing to write in before the source is there: it would take the place of what was written.
  const { field, isRead } = edited.value;
  const conversation = useMemo(() => conversationOfMessage(message, app.state), [app, message]);
  const { isRunning, failure, run } = useAttempt();
  const { id: message_id } = message;
  const read = (): void =>
    void run(async () => {
      const { raw_content } = await app.request('GET /messages/{message_id}', { message_id });
      field.text.value = raw_content;
      isRead.value = true;
      field.focus();
    });
  useEffect(() => {
    if (!isRead.peek()) read();
  }, []);
  const close = (): void => {
    field.uploads.cancelAll();
    editedMessageId.value = undefined;
  };
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => takeDrops(form.current, (files) => field.addFiles(files)), [field]);
  const isBusy = isRunning || field.uploads.areRunning.value;
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy || !isRead.value) return;
    const change = { message_id, content: field.text.value };
    if (await run(() => app.request('PATCH /messages/{message_id}', change))) close();
  };
  return (
    <form
      class="edit-message"
      aria-label={texts.edit.label}
      onSubmit={(event) => void save(event)}
      ref={form}
      onPaste={pasteFiles(field)}
      onMouseDown={keepFocusInside}
      onKeyDown={onEscape(close)}
    >
      <UploadList uploads={field.uploads} />
      <LinkedPictures field={field} />
      {isRead.value ? (
        <MessageField app={app} field={field} conversation={conversation} />
      ) : (
        <Waiting failure={failure} onRetry={read} />
      )}
      <div class="compose-buttons row">
        <button class="primary" disabled={isBusy || !isRead.value}>
          {texts.edit.save}
        </button>
        <button type="button" onClick={close}>
          {texts.edit.cancel}
        </button>
        <TimeLeft app={app} message={message} />
      </div>
      {isRead.value && <FailureNote failure={failure} />}
    </form>
  );
}

/** How long the organization still lets the text be edited. */
function TimeLeft({ app, message }: { readonly app: App; readonly message: Message }) {
  const left = useSignal<number | undefined>(undefined);
  useEffect(() => {
    const read = (): void => {
      left.value = rightsNow(message, app.state).editSecsLeft;
    };
    read();
    const timer = setInterval(read, tickMs);
    return () => clearInterval(timer);
  }, [message]);
  return left.value === undefined ? null : (
    <small>{texts.edit.timeLeft(Math.floor(left.value))}</small>
  );
}
