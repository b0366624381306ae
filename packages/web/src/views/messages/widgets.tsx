import { useComputed, useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { conversationOfMessage } from '../../data/conversation.ts';
import { addWidgetStep } from '../../data/message-actions.ts';
import { readWidget, widgetSteps } from '../../data/widgets.ts';
import type { Widget as WidgetData } from '../../data/widgets.ts';
import { texts } from '../../texts.ts';
import { report } from '../../data/notices.ts';

type OfKind<Kind> = Extract<WidgetData, { readonly kind: Kind }>;

/** The poll, list of tasks or choices of a message; nothing if it has none. */
export function Widget({ app, messageId }: { readonly app: App; readonly messageId: number }) {
  const widget = useComputed(() => {
    const message = app.lists.store.find(messageId)?.value;
    return message && readWidget(message);
  }).value;
  const add = (step: string): void => report(addWidgetStep(app, messageId, step));
  switch (widget?.kind) {
    case undefined:
      return null;
    case 'poll':
      return <Poll app={app} poll={widget} add={add} />;
    case 'tasks':
      return <Tasks list={widget} add={add} />;
    case 'choices':
      return <Choices app={app} messageId={messageId} form={widget} />;
  }
}

function Poll({
  app,
  poll: { question, options, nextIndex },
  add,
}: {
  readonly app: App;
  readonly poll: OfKind<'poll'>;
  readonly add: (step: string) => void;
}) {
  const selfId = app.state.self.value.user_id;
  return (
    <section class="widget" aria-label={texts.widgets.poll}>
      <h4>{question || texts.widgets.poll}</h4>
      <ul>
        {options.map(({ key, text, voterIds }) => {
          const names = [...voterIds].map(
            (id) => app.state.people.value.get(id)?.full_name ?? texts.compose.unknownPerson,
          );
          const isOwn = voterIds.has(selfId);
          return (
            <li key={key}>
              <button
                type="button"
                class="vote"
                aria-pressed={isOwn}
                aria-label={texts.widgets.vote(text, voterIds.size)}
                onClick={() => add(widgetSteps.vote(key, !isOwn))}
              >
                {voterIds.size}
              </button>
              <span>{text}</span>
              {names.length > 0 && <small>{names.join(', ')}</small>}
            </li>
          );
        })}
      </ul>
      <AddEntry
        label={texts.widgets.addOption}
        onAdd={(text) => add(widgetSteps.option(nextIndex, text))}
      />
    </section>
  );
}

function Tasks({
  list: { tasks, nextIndex },
  add,
}: {
  readonly list: OfKind<'tasks'>;
  readonly add: (step: string) => void;
}) {
  return (
    <section class="widget" aria-label={texts.widgets.tasks}>
      <h4>{texts.widgets.tasks}</h4>
      <ul>
        {tasks.map(({ key, text, description, isDone }) => (
          <li key={key}>
            <label>
              <input
                type="checkbox"
                checked={isDone}
                onChange={() => add(widgetSteps.strike(key))}
              />
              {isDone ? <s>{text}</s> : <span>{text}</span>}
            </label>
            {description !== '' && <small>{description}</small>}
          </li>
        ))}
      </ul>
      <AddEntry
        label={texts.widgets.addTask}
        onAdd={(text) => add(widgetSteps.task(nextIndex, text))}
      />
    </section>
  );
}

const entryLengthMax = 200;

function AddEntry({
  label,
  onAdd,
}: {
  readonly label: string;
  readonly onAdd: (text: string) => void;
}) {
  const text = useSignal('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.value.trim() !== '') onAdd(text.value.trim());
        text.value = '';
      }}
    >
      <input
        aria-label={label}
        placeholder={label}
        maxLength={entryLengthMax}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
      />
      <button type="submit" disabled={text.value.trim() === ''}>
        {texts.widgets.add}
      </button>
    </form>
  );
}

function Choices({
  app,
  messageId,
  form: { heading, choices },
}: {
  readonly app: App;
  readonly messageId: number;
  readonly form: OfKind<'choices'>;
}) {
  const answer = (reply: string): void => {
    const message = app.lists.store.find(messageId)?.peek();
    if (message === undefined) return;
    app.outbox.send(conversationOfMessage(message, app.state.self.peek().user_id), reply);
  };
  return (
    <section class="widget" aria-label={texts.widgets.choices}>
      <h4>{heading}</h4>
      <div class="choices">
        {choices.map(({ name, reply }) => (
          <button key={reply} type="button" onClick={() => answer(reply)}>
            {name}
          </button>
        ))}
      </div>
    </section>
  );
}
