import { useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { describeFailure } from '../../data/failure.ts';
import { deleteMessage } from '../../data/message-actions.ts';
import { texts } from '../../texts.ts';
import { Dialog } from '../parts/dialog.tsx';

/** Asks before a message is deleted, which nobody can undo. */
export function DeleteDialog({
  app,
  messageId,
  onClose,
}: {
  readonly app: App;
  readonly messageId: number;
  readonly onClose: () => void;
}) {
  const failure = useSignal<string | undefined>(undefined);
  const isDeleting = useSignal(false);
  const remove = async (): Promise<void> => {
    isDeleting.value = true;
    try {
      await deleteMessage(app, messageId);
      onClose();
    } catch (error) {
      failure.value = describeFailure(error);
      isDeleting.value = false;
    }
  };
  return (
    <Dialog title={texts.edit.deleteTitle} onClose={onClose}>
      <p>{texts.edit.deleteQuestion}</p>
      {failure.value !== undefined && (
        <p class="refused" role="alert">
          {failure.value}
        </p>
      )}
      <div class="dialog-buttons">
        <button type="button" autoFocus onClick={onClose}>
          {texts.edit.cancel}
        </button>
        <button
          type="button"
          class="danger"
          disabled={isDeleting.value}
          onClick={() => void remove()}
        >
          {texts.edit.delete}
        </button>
      </div>
    </Dialog>
  );
}
