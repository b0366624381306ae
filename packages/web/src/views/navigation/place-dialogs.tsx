/** What the menu of a place asks for: new names, and whether a private stream is left. */
import { limits } from '@parley/api/limits';

import type { App } from '../../data/app.ts';
import { topicNarrow } from '../../data/narrow.ts';
import { conversationAt, streamIdAt } from '../../data/place.ts';
import type { Place } from '../../data/place.ts';
import { unsubscribeFrom } from '../../data/subscriptions.ts';
import { settingsTexts } from '../../settings-texts.ts';
import { texts } from '../../texts.ts';
import { DialogForm, takeFocus } from '../parts/dialog-form.tsx';

export type PlaceDialogProps = {
  readonly app: App;
  readonly place: Place;
  readonly onClose: () => void;
};

const t = texts.places;

type NameFormProps = {
  readonly name: string;
  readonly maxLength: number;
  readonly rename: (name: string) => Promise<unknown>;
  readonly onClose: () => void;
};

function NameForm({ name, maxLength, rename, onClose }: NameFormProps) {
  return (
    <DialogForm
      action={t.rename}
      submit={async (field) => {
        const written = field('name').trim();
        if (written !== name) await rename(written);
        onClose();
      }}
      onClose={onClose}
    >
      <label class="field">
        {t.name}
        <input
          ref={takeFocus}
          autoFocus
          name="name"
          required
          pattern=".*\S.*"
          autoComplete="off"
          maxLength={maxLength}
          defaultValue={name}
        />
      </label>
    </DialogForm>
  );
}

/** Gives all messages of a topic another one. */
export function RenameTopic({ app, place, onClose }: PlaceDialogProps) {
  const conversation = conversationAt(place);
  if (conversation?.type !== 'stream') return null;
  const { streamId, topic } = conversation;
  const rename = async (written: string): Promise<void> => {
    const { messages } = await app.request('GET /messages', {
      narrow: [...topicNarrow(streamId, topic)],
      anchor: 'newest',
      num_before: 1,
      num_after: 0,
    });
    const [newest] = messages;
    if (newest === undefined) return;
    await app.request('PATCH /messages/{message_id}', {
      message_id: newest.id,
      topic: written,
      propagate_mode: 'change_all',
    });
  };
  return (
    <NameForm
      name={topic}
      maxLength={limits.topicMaxCodePoints}
      rename={rename}
      onClose={onClose}
    />
  );
}

function streamOf({ state }: App, place: Place) {
  const streamId = streamIdAt(place);
  return streamId === undefined ? undefined : state.streams.value.get(streamId);
}

export function RenameStream({ app, place, onClose }: PlaceDialogProps) {
  const stream = streamOf(app, place);
  if (stream === undefined) return null;
  const { stream_id, name } = stream;
  return (
    <NameForm
      name={name}
      maxLength={limits.streamNameMaxCodePoints}
      rename={(new_name) => app.request('PATCH /streams/{stream_id}', { stream_id, new_name })}
      onClose={onClose}
    />
  );
}

/** Asks before a stream is left into which only others bring somebody back. */
export function LeavePrivateStream({ app, place, onClose }: PlaceDialogProps) {
  const stream = streamOf(app, place);
  if (stream === undefined) return null;
  return (
    <DialogForm
      action={t.unsubscribe}
      kind="danger"
      submit={async () => {
        await unsubscribeFrom(app, stream);
        onClose();
      }}
      onClose={onClose}
    >
      <p>{settingsTexts.warnings.leavePrivateStream}</p>
    </DialogForm>
  );
}
