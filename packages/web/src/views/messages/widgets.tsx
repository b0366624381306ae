import type { ComponentChildren } from 'preact';

import type { App } from '../../data/app.ts';
import { conversationOfMessage } from '../../data/conversation.ts';
import { report } from '../../data/notices.ts';
import type { Message } from '../../data/state.ts';
import { readWidget, widgetSteps } from '../../data/widgets.ts';
import type { Widget as WidgetData } from '../../data/widgets.ts';
import { texts } from '../../texts.ts';
import { FailureNote, useAttempt } from '../parts/attempt.tsx';
import { takeFields } from '../parts/dialog-form.tsx';
import { namesOf } from '../parts/names.ts';

type PartProps<Kind> = {
  readonly app: App;
  readonly message: Message;
  readonly data: Extract<WidgetData, { readonly kind: Kind }>;
};

/** The poll, list of tasks or choices of a message; nothing if it has none. */
export function Widget({ app, message }: { readonly app: App; readonly message: Message }) {
  const data = readWidget(message);
  if (data?.kind === 'poll') return <Poll app={app} message={message} data={data} />;
  if (data?.kind === 'tasks') return <Tasks app={app} message={message} data={data} />;
  return data === undefined ? null : <Choices app={app} message={message} data={data} />;
}

/** @param content one of `widgetSteps` */
function addStep(app: App, { id }: Message, content: string): Promise<unknown> {
  return app.request('POST /submessage', { message_id: id, msg_type: 'widget', content });
}

const entryLengthMax = 200;

type EntriesProps = {
  readonly label: string;
  readonly title: string;
  readonly addLabel: string;
  readonly add: (text: string) => Promise<unknown>;
  readonly children: ComponentChildren;
};

/** Entries that everybody can add to. */
function Entries({ label, title, addLabel, add, children }: EntriesProps) {
  const { isRunning, failure, run } = useAttempt();
  const addTyped = async (form: HTMLFormElement, text: string): Promise<void> => {
    if (text !== '' && (await run(() => add(text)))) form.reset();
  };
  return (
    <section class="widget" aria-label={label}>
      <strong>{title}</strong>
      <ul>{children}</ul>
      <form
        class="row"
        onSubmit={(event) => {
          const field = takeFields(event);
          void addTyped(event.currentTarget, field('entry').trim());
        }}
      >
        <input
          name="entry"
          aria-label={addLabel}
          placeholder={addLabel}
          required
          maxLength={entryLengthMax}
        />
        <button disabled={isRunning}>{texts.widgets.add}</button>
      </form>
      <FailureNote failure={failure} />
    </section>
  );
}

function Poll({ app, message, data: { question, options, nextIndex } }: PartProps<'poll'>) {
  const { addOption, poll, vote } = texts.widgets;
  return (
    <Entries
      label={poll}
      title={question || poll}
      addLabel={addOption}
      add={(text) => addStep(app, message, widgetSteps.option(nextIndex, text))}
    >
      {options.map(({ key, text, voterIds }) => {
        const isOwn = voterIds.has(app.state.self.value.user_id);
        return (
          <li key={key} class="row">
            <button
              type="button"
              class="vote"
              aria-pressed={isOwn}
              aria-label={vote(text, voterIds.size)}
              onClick={() => report(addStep(app, message, widgetSteps.vote(key, !isOwn)))}
            >
              {voterIds.size}
            </button>
            <span>{text}</span> <small>{namesOf(app.state, [...voterIds])}</small>
          </li>
        );
      })}
    </Entries>
  );
}

function Tasks({ app, message, data: { tasks, nextIndex } }: PartProps<'tasks'>) {
  const { addTask, tasks: title } = texts.widgets;
  return (
    <Entries
      label={title}
      title={title}
      addLabel={addTask}
      add={(text) => addStep(app, message, widgetSteps.task(nextIndex, text))}
    >
      {tasks.map(({ key, text, description, isDone }) => (
        <li key={key} class="row">
          <label class="row">
            <input
              type="checkbox"
              checked={isDone}
              onClick={(event) => {
                // It shows what everybody has: the event of the step changes it.
                event.preventDefault();
                report(addStep(app, message, widgetSteps.strike(key)));
              }}
            />
            {isDone ? <s>{text}</s> : <span>{text}</span>}
          </label>
          <small>{description}</small>
        </li>
      ))}
    </Entries>
  );
}

function Choices({ app, message, data: { heading, choices } }: PartProps<'choices'>) {
  return (
    <section class="widget" aria-label={texts.widgets.choices}>
      <strong>{heading}</strong>
      <ul>
        {choices.map(({ name, reply }) => (
          <li key={reply} class="row">
            <button
              type="button"
              onClick={({ detail }) => {
                // The second press of two is no second answer.
                if (detail < 2) app.outbox.send(conversationOfMessage(message, app.state), reply);
              }}
            >
              {name}
            </button>
            <small>{texts.widgets.sends(reply)}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}
