import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { conversationOfMessage } from '../../data/conversation.ts';
import { describeFailure } from '../../data/failure.ts';
import { editContent, readSource, rightsNow, startEditing } from '../../data/message-actions.ts';
import type { Message } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { MessageField } from '../compose/message-field.tsx';
import { UploadList } from '../compose/upload-list.tsx';
import { WrittenText } from '../compose/written-text.ts';

const tickMs = 1000;

/** The text of a message while its author edits it, in place of the message's content. */
export function EditMessage({ app, messageId }: { readonly app: App; readonly messageId: number }) {
  const message = app.lists.store.find(messageId)?.value;
  return message === undefined ? null : <EditForm app={app} message={message} />;
}

function EditForm({ app, message }: { readonly app: App; readonly message: Message }) {
  const field = useMemo(() => new WrittenText(), []);
  const conversation = useMemo(
    () => conversationOfMessage(message, app.state.self.peek().user_id),
    [app, message],
  );
  // There is nothing to write in before the source is there: it would take the place of what was written.
  const isRead = useSignal(false);
  const isSaving = useSignal(false);
  const failure = useSignal<string | undefined>(undefined);
  useEffect(() => {
    readSource(app, message.id).then(
      (source) => {
        field.text.value = source;
        isRead.value = true;
        field.focus();
      },
      (error: unknown) => {
        failure.value = describeFailure(error);
      },
    );
    return () => field.uploads.cancelAll();
  }, [app, field, message.id]);
  const save = async (): Promise<void> => {
    if (isSaving.value) return;
    failure.value = undefined;
    isSaving.value = true;
    try {
      await editContent(app, message.id, field.text.value);
      startEditing(undefined);
    } catch (error) {
      failure.value = describeFailure(error);
    } finally {
      isSaving.value = false;
    }
  };
  return (
    <form
      class="edit-message"
      aria-label={texts.edit.label}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <UploadList uploads={field.uploads} />
      {isRead.value && (
        <MessageField
          app={app}
          field={field}
          conversation={conversation}
          onSubmit={() => void save()}
          onEscape={() => startEditing(undefined)}
        />
      )}
      <div class="edit-buttons">
        <button type="submit" class="primary" disabled={!isRead.value || isSaving.value}>
          {texts.edit.save}
        </button>
        <button type="button" onClick={() => startEditing(undefined)}>
          {texts.edit.cancel}
        </button>
        <TimeLeft app={app} message={message} />
      </div>
      {failure.value !== undefined && (
        <p class="refused" role="alert">
          {failure.value}
        </p>
      )}
    </form>
  );
}

/** How long the organization still lets the text be edited. */
function TimeLeft({ app, message }: { readonly app: App; readonly message: Message }) {
  const ticks = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => {
      ticks.value += 1;
    }, tickMs);
    return () => clearInterval(timer);
  }, [ticks]);
  // Read for the sake of being drawn again.
  void ticks.value;
  const left = rightsNow(message, app.state).editSecsLeft;
  return left === undefined ? null : <small>{texts.edit.timeLeft(Math.floor(left))}</small>;
}
