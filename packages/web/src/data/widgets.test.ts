import { describe, expect, test } from 'vitest';

import { readWidget, widgetSteps } from './widgets.ts';

const author = 7;
const other = 9;

function message(start: unknown, steps: readonly (readonly [senderId: number, content: string])[]) {
  const contents = [[author, JSON.stringify(start)] as const, ...steps];
  return {
    sender_id: author,
    submessages: contents.map(([sender_id, content], index) => ({
      id: index + 1,
      message_id: 1,
      sender_id,
      msg_type: 'widget',
      content,
    })),
  };
}

const poll = { widget_type: 'poll', extra_data: { question: 'Lunch?', options: ['Soup'] } };

describe('polls', () => {
  test('have the options of their author and those that others add, with who votes for them', () => {
    const widget = readWidget(
      message(poll, [
        [other, widgetSteps.option(1, 'Bread')],
        [other, widgetSteps.vote('canned,0', true)],
        [author, widgetSteps.vote(`${other},1`, true)],
        [author, widgetSteps.vote('canned,0', true)],
        [author, widgetSteps.vote('canned,0', false)],
      ]),
    );
    expect(widget).toEqual({
      kind: 'poll',
      question: 'Lunch?',
      options: [
        { key: 'canned,0', text: 'Soup', voterIds: new Set([other]) },
        { key: `${other},1`, text: 'Bread', voterIds: new Set([author]) },
      ],
      nextIndex: 2,
    });
  });

  test('have the question that their author gave them last; nobody else changes it', () => {
    const question = (text: string) => JSON.stringify({ type: 'question', question: text });
    const widget = readWidget(
      message(poll, [
        [author, question('Supper?')],
        [other, question('Nothing?')],
      ]),
    );
    expect(widget).toMatchObject({ question: 'Supper?' });
  });

  test.each([
    'not JSON',
    '7',
    'null',
    '{"type":"vote","key":[],"vote":1}',
    '{"type":"new_option"}',
  ])('ignore the step %s', (step) => {
    const widget = readWidget(message(poll, [[other, step]]));
    expect(widget).toMatchObject({ options: [{ text: 'Soup', voterIds: new Set() }] });
  });
});

test('a list of tasks has those added, done by one strike and open by the next', () => {
  const steps = [
    [author, widgetSteps.task(1, 'oars')],
    [other, widgetSteps.task(2, 'varnish')],
    [author, widgetSteps.strike(`2,${other}`)],
    [other, widgetSteps.strike(`1,${author}`)],
    [other, widgetSteps.strike(`1,${author}`)],
  ] as const;
  expect(readWidget(message({ widget_type: 'todo', extra_data: null }, steps))).toEqual({
    kind: 'tasks',
    tasks: [
      { key: `1,${author}`, text: 'oars', description: '', isDone: false },
      { key: `2,${other}`, text: 'varnish', description: '', isDone: true },
    ],
    nextIndex: 3,
  });
});

test('a widget that somebody else put there is not shown', () => {
  const { submessages, sender_id } = message(poll, [[author, widgetSteps.vote('canned,0', true)]]);
  const replaced = submessages.map((submessage, index) =>
    index === 0 ? { ...submessage, sender_id: other } : submessage,
  );
  expect(readWidget({ sender_id, submessages: replaced })).toBeUndefined();
});

test('choices have a name and the text that is sent for them', () => {
  const choices = [{ short_name: 'A', long_name: 'Apple', reply: 'I choose A' }];
  const form = { type: 'choices', heading: 'Choose', choices };
  expect(readWidget(message({ widget_type: 'zform', extra_data: form }, []))).toEqual({
    kind: 'choices',
    heading: 'Choose',
    choices: [{ name: 'Apple', reply: 'I choose A' }],
  });
});

test.each([{ widget_type: 'tictactoe', extra_data: null }, {}, null, 'poll'])(
  'a message with %j has no widget',
  (start) => {
    expect(readWidget(message(start, []))).toBeUndefined();
  },
);
