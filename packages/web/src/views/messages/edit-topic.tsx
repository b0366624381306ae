import { limits } from '@parley/api/limits';
import { useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { describeFailure } from '../../data/failure.ts';
import { moveTo } from '../../data/message-actions.ts';
import type { PropagateMode } from '../../data/message-actions.ts';
import type { StreamMessage } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { Dialog } from '../parts/dialog.tsx';

const modes = ['change_one', 'change_later', 'change_all'] as const;

/** Moves a message, and others of its topic if wished, to another topic of the stream. */
export function EditTopicDialog({
  app,
  message,
  onClose,
}: {
  readonly app: App;
  readonly message: StreamMessage;
  readonly onClose: () => void;
}) {
  const topicsId = useId();
  const topic = useSignal(message.subject);
  const mode = useSignal<PropagateMode>('change_later');
  const failure = useSignal<string | undefined>(undefined);
  const isMoving = useSignal(false);
  const move = async (): Promise<void> => {
    isMoving.value = true;
    try {
      await moveTo(app, message.id, topic.value.trim(), mode.value);
      onClose();
    } catch (error) {
      failure.value = describeFailure(error);
      isMoving.value = false;
    }
  };
  const isSame = topic.value.trim() === message.subject;
  return (
    <Dialog title={texts.edit.moveTitle} onClose={onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          void move();
        }}
      >
        <label class="field">
          {texts.compose.topic}
          <input
            autoFocus
            required
            list={topicsId}
            maxLength={limits.topicMaxCodePoints}
            value={topic.value}
            onInput={({ currentTarget }) => {
              topic.value = currentTarget.value;
            }}
          />
        </label>
        <datalist id={topicsId}>
          {app.topics.of(message.stream_id).value.map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <ModeChoice mode={mode} />
        {failure.value !== undefined && (
          <p class="refused" role="alert">
            {failure.value}
          </p>
        )}
        <div class="dialog-buttons">
          <button type="button" onClick={onClose}>
            {texts.edit.cancel}
          </button>
          <button
            type="submit"
            class="primary"
            disabled={isMoving.value || isSame || topic.value.trim() === ''}
          >
            {texts.edit.move}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function ModeChoice({ mode }: { readonly mode: Signal<PropagateMode> }) {
  return (
    <fieldset>
      <legend>{texts.edit.moveWhich}</legend>
      {modes.map((each) => (
        <label key={each} class="choice">
          <input
            type="radio"
            name="mode"
            checked={mode.value === each}
            onChange={() => {
              mode.value = each;
            }}
          />
          {texts.edit.modes[each]}
        </label>
      ))}
    </fieldset>
  );
}
