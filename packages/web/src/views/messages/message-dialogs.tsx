/** What dialogs ask and say about a message: where it is to be moved, whether it is to be deleted, how it was edited. */
import { limits } from '@parley/api/limits';
import type { AnswerOf } from '@parley/client';
import { useId } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { linkTo, quoteOf, sourceOf } from '../../data/message-actions.ts';
import { notify } from '../../data/notices.ts';
import type { Message } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { TimeForm } from '../parts/time-form.tsx';
import { formatLongMoment } from '../parts/time.ts';
import { DialogForm, takeFocus } from '../parts/dialog-form.tsx';
import { nameOf } from '../parts/names.ts';
import { RenderedHtml } from '../parts/rendered-html.tsx';
import { useReading } from '../parts/waiting.tsx';

export type DialogProps = {
  readonly app: App;
  readonly message: Message;
  readonly onClose: () => void;
};

/** Asks when the notification bot is to remind the person of a message: privately, with a link to it. */
export function Remind({ app, message, onClose }: DialogProps) {
  const { settings, self } = app.state;
  const remind = async (at: Date): Promise<void> => {
    await app.request('POST /messages', {
      type: 'private',
      to: JSON.stringify([self.peek().user_id]),
      content: quoteOf(message, await sourceOf(app, message), linkTo(app, message)),
      delivery_type: 'remind',
      deliver_at: at.toISOString(),
    });
    notify(texts.actions.willRemind(formatLongMoment(at.getTime() / 1_000, settings.peek())));
    onClose();
  };
  return (
    <TimeForm
      settings={settings.value}
      action={texts.actions.remind}
      choose={remind}
      onClose={onClose}
    />
  );
}

type Edit = AnswerOf<'GET /messages/{message_id}/history'>['message_history'][number];

const modes = ['change_one', 'change_later', 'change_all'] as const;

const noticeNames = ['send_notification_to_old_thread', 'send_notification_to_new_thread'] as const;

/** Moves a message, and others of its topic if wished, to another topic of the stream. */
export function MoveForm({ app, message, onClose }: DialogProps) {
  const topicsId = useId();
  if (message.type !== 'stream') return null;
  const notified = app.state.realm.value.realm_send_move_notices ? noticeNames : [];
  const move = async (field: (name: string) => string): Promise<void> => {
    const propagate_mode = modes.find((each) => each === field('mode')) ?? 'change_later';
    const topic = field('topic').trim();
    if (topic !== message.subject)
      await app.request('PATCH /messages/{message_id}', {
        message_id: message.id,
        topic,
        propagate_mode,
        ...Object.fromEntries(notified.map((name) => [name, field(name) !== ''])),
      });
    onClose();
  };
  return (
    <DialogForm action={texts.edit.move} submit={move} onClose={onClose}>
      <label class="field">
        {texts.compose.topic}
        <input
          ref={takeFocus}
          autoFocus
          name="topic"
          required
          pattern=".*\S.*"
          list={topicsId}
          maxLength={limits.topicMaxCodePoints}
          defaultValue={message.subject}
        />
      </label>
      <datalist id={topicsId}>
        {app.topics.of(message.stream_id).value.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <fieldset>
        <legend>{texts.edit.moveWhich}</legend>
        {modes.map((mode) => (
          <label key={mode} class="row">
            <input type="radio" name="mode" value={mode} defaultChecked={mode === 'change_later'} />
            {texts.edit.modes[mode]}
          </label>
        ))}
      </fieldset>
      {notified.map((name) => (
        <label key={name} class="row">
          <input type="checkbox" name={name} defaultChecked />
          {texts.edit.notices[name]}
        </label>
      ))}
    </DialogForm>
  );
}

/** Asks before a message is deleted, which nobody can undo. */
export function DeleteForm({ app, message, onClose }: DialogProps) {
  return (
    <DialogForm
      action={texts.edit.delete}
      kind="danger"
      submit={async () => {
        await app.request('DELETE /messages/{message_id}', { message_id: message.id });
        onClose();
      }}
      onClose={onClose}
    >
      <p>{texts.edit.deleteQuestion}</p>
    </DialogForm>
  );
}

/** Every state of a message, the newest first, with what each edit changed marked. */
export function History({ app, message }: DialogProps) {
  const { value, waiting } = useReading(() =>
    app.request('GET /messages/{message_id}/history', { message_id: message.id }),
  );
  if (value === undefined) return waiting;
  return (
    <ol class="history">
      {value.message_history.toReversed().map((edit, index) => (
        <EditState key={index} app={app} edit={edit} />
      ))}
    </ol>
  );
}

function EditState({ app: { state }, edit }: { readonly app: App; readonly edit: Edit }) {
  const name = nameOf(state, edit.user_id);
  const moment = formatLongMoment(edit.timestamp, state.settings.value);
  const { prev_topic, content_html_diff } = edit;
  const isOriginal = prev_topic === undefined && content_html_diff === undefined;
  return (
    <li>
      <p class="hint">
        {isOriginal ? texts.edit.written(name, moment) : texts.edit.edited(name, moment)}
      </p>
      {prev_topic !== undefined && (
        <p>
          {texts.compose.topic}: <del>{prev_topic}</del> <ins>{edit.topic}</ins>
        </p>
      )}
      {(isOriginal || content_html_diff !== undefined) && (
        <RenderedHtml html={content_html_diff ?? edit.rendered_content} />
      )}
    </li>
  );
}
