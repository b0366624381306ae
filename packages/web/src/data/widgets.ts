/**
 * Polls, lists of tasks and choices. The server keeps what people add to a message as submessages (reference facts, messages 16): the first
 * one says what the widget is, each later one is a step that all clients apply in the same order.
 */
import { isRecord, isText, parseJson } from './shapes.ts';
import type { Message } from './state.ts';

type Submessage = Message['submessages'][number];

/** Options and tasks shown of one message. */
const entriesMax = 100;

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function textOf(value: unknown): string {
  return isText(value) ? value : '';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

type Step = { readonly fields: Fields; readonly senderId: number; readonly isAuthors: boolean };

function readPoll(start: Fields, steps: readonly Step[]) {
  let question = textOf(start['question']);
  const options = new Map<string, { key: string; text: string; voterIds: Set<number> }>();
  // For the next entry that somebody adds.
  let nextIndex = 1;
  const add = (key: string, text: string): void => {
    if (text !== '' && !options.has(key) && options.size < entriesMax)
      options.set(key, { key, text, voterIds: new Set() });
  };
  for (const [index, option] of listOf(start['options']).entries())
    add(`canned,${index}`, textOf(option));
  for (const { fields, senderId, isAuthors } of steps) {
    const { type, idx, key, vote } = fields;
    if (type === 'new_option' && typeof idx === 'number') {
      add(`${senderId},${idx}`, textOf(fields['option']));
      nextIndex = Math.max(nextIndex, idx + 1);
    } else if (type === 'question' && isAuthors) question = textOf(fields['question']);
    else if (type === 'vote') {
      const voterIds = options.get(textOf(key))?.voterIds;
      if (vote === 1) voterIds?.add(senderId);
      else voterIds?.delete(senderId);
    }
  }
  return { kind: 'poll' as const, question, options: [...options.values()], nextIndex };
}

function readTasks(steps: readonly Step[]) {
  const tasks = new Map<
    string,
    { key: string; text: string; description: string; isDone: boolean }
  >();
  let nextIndex = 1;
  for (const { fields, senderId } of steps) {
    const { type, key } = fields;
    if (type === 'new_task' && typeof key === 'number') {
      const whole = `${key},${senderId}`;
      nextIndex = Math.max(nextIndex, key + 1);
      if (tasks.has(whole) || tasks.size === entriesMax) continue;
      tasks.set(whole, {
        key: whole,
        text: textOf(fields['task']),
        description: textOf(fields['desc']),
        isDone: fields['completed'] === true,
      });
    } else if (type === 'strike') {
      const task = tasks.get(textOf(key));
      if (task !== undefined) tasks.set(task.key, { ...task, isDone: !task.isDone });
    }
  }
  return { kind: 'tasks' as const, tasks: [...tasks.values()], nextIndex };
}

function readChoices(form: Fields) {
  if (form['type'] !== 'choices') return undefined;
  const choices = listOf(form['choices'])
    .slice(0, entriesMax)
    .flatMap((choice) => {
      const fields = fieldsOf(choice);
      const reply = textOf(fields['reply']);
      const name = textOf(fields['long_name']) || textOf(fields['short_name']) || reply;
      return reply === '' ? [] : [{ name, reply }];
    });
  return { kind: 'choices' as const, heading: textOf(form['heading']), choices };
}

/** @returns undefined if the message has no widget, or one that this client does not show */
export function readWidget(message: {
  readonly sender_id: number;
  readonly submessages: readonly Submessage[];
}) {
  const [first, ...later] = message.submessages
    .filter(({ msg_type }) => msg_type === 'widget')
    .toSorted((one, other) => one.id - other.id);
  // Only who wrote the text says what is shown in its place.
  if (first?.sender_id !== message.sender_id) return undefined;
  const start = fieldsOf(parseJson(first.content));
  const steps = later.map(({ content, sender_id: senderId }) => ({
    fields: fieldsOf(parseJson(content)),
    senderId,
    isAuthors: senderId === message.sender_id,
  }));
  const data = fieldsOf(start['extra_data']);
  switch (start['widget_type']) {
    case 'poll':
      return readPoll(data, steps);
    case 'todo':
      return readTasks(steps);
    case 'zform':
      return readChoices(data);
    default:
      return undefined;
  }
}

export type Widget = NonNullable<ReturnType<typeof readWidget>>;

/** The steps that a person can add, as contents of submessages. */
export const widgetSteps = {
  vote: (key: string, isFor: boolean) =>
    JSON.stringify({ type: 'vote', key, vote: isFor ? 1 : -1 }),
  option: (index: number, option: string) =>
    JSON.stringify({ type: 'new_option', idx: index, option }),
  task: (index: number, task: string) =>
    JSON.stringify({ type: 'new_task', key: index, task, desc: '', completed: false }),
  strike: (key: string) => JSON.stringify({ type: 'strike', key }),
};
