import type { Answer, JsonObject, Parameters, TestAccount } from '@parley/test-kit';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { FencedQueues } from './fenced-queues.ts';
import { entryOf, fetchMessages, refusalOf, startMessageFixture } from './message-fixture.ts';
import { coded, expectRefusal, success } from './refusals.ts';

type Name = 'ann' | 'bob' | 'cat' | 'guest' | 'bot' | 'dan' | 'outgoing bot';

let people: Readonly<Record<Name, TestAccount>>;
let queues: FencedQueues<Name>;
/** A poll of Ann's in the public stream. */
let message: number;

type Widget = { readonly widget_type: string; readonly extra_data: unknown };
const poll = (question: string, ...options: string[]): Widget => ({
  widget_type: 'poll',
  extra_data: { question, options },
});

const person = (name: Name): TestAccount => people[name];
const vote = { msg_type: 'widget', content: '{"type":"vote","key":"ann,0","vote":1}' } as const;
const holders: readonly Name[] = ['ann', 'bob', 'dan'];

const add = (who: Name, parameters: Parameters = vote, id: number = message): Promise<JsonObject> =>
  person(who).client.post('submessage', { message_id: id, ...parameters });

/** @returns what was added to the widget that came with the message */
async function addedTo(who: Name, id: number = message): Promise<readonly JsonObject[]> {
  return (await submessagesOf(who, id)).slice(1);
}

async function submessagesOf(who: Name, id: number = message): Promise<readonly JsonObject[]> {
  const { messages } = await fetchMessages(person(who), {
    anchor: id,
    num_before: 0,
    num_after: 0,
  });
  return (messages[0]?.['submessages'] ?? []) as readonly JsonObject[];
}

const all = useFixture(() =>
  startMessageFixture({ events: 1, messages: 2, subscriptions: 1, people: 1 }),
);
beforeAll(async () => {
  const { organization, ann, bob, cat, guest, bot } = all;
  people = {
    ann,
    bob,
    cat,
    guest,
    bot,
    dan: await organization.makeAccount('Dan Doe'),
    'outgoing bot': await organization.makeAccount('Outgoing', { botType: 3, owner: bob }),
  };
  await organization.makeStream('Denmark', [ann, bob, person('dan'), person('outgoing bot')]);
  await organization.makeStream('fences', Object.values(people));
  queues = await FencedQueues.open(people, ['submessage'], (content) =>
    ann.client.sendToStream('fences', 'x', content),
  );
});

beforeEach(async () => {
  await queues.read();
  message = await all.ann.client.sendToStream('Denmark', 'lunch', '/poll Lunch?');
});

describe('submessage', () => {
  test('is stored with the message and sent to all its holders, by anybody who sees it', async () => {
    // Cat, the bot and the outgoing-webhook bot only see the message; a submessage does not make them holders.
    for (const who of ['bob', 'ann', 'cat', 'bot', 'outgoing bot'] as const) {
      expect(await add(who)).toEqual(success);
      const newest = (await submessagesOf('ann')).at(-1);
      expect(newest).toEqual({
        id: expect.any(Number) as unknown,
        message_id: message,
        sender_id: person(who).id,
        ...vote,
      });
      const event = {
        type: 'submessage',
        message_id: message,
        submessage_id: newest?.['id'],
        sender_id: person(who).id,
        ...vote,
      };
      expect(await queues.read()).toEqual(
        Object.fromEntries(holders.map((name) => [name, [event]])),
      );
    }
    expect((await fetchMessages(person('cat'))).ids).not.toContain(message);
  });

  test('late holders get it, such as users who reacted', async () => {
    await person('cat').client.post(`messages/${message}/reactions`, { emoji_name: 'tada' });
    await add('bob');
    expect(Object.keys(await queues.read()).toSorted()).toEqual([...holders, 'cat'].toSorted());
  });

  test('content is any JSON, stored as written', async () => {
    const contents = [
      '"text"',
      '1',
      'null',
      '[]',
      ' { "b" : 1, "a" : 1.0 } ',
      String.raw`"\u0000 \ud800 \" '' \\ % $1"`,
      `"${'🙂'.repeat(9_998)}"`,
      '['.repeat(5_000) + ']'.repeat(5_000),
      '{"__proto__":{"x":1}}',
    ];
    for (const content of contents) await add('bob', { msg_type: 'x', content });
    expect((await addedTo('ann')).map((submessage) => submessage['content'])).toEqual(contents);
    expect(((await queues.read()).ann ?? []).map((event) => event['content'])).toEqual(contents);
  });

  test('nobody adds anything to a message without a widget, and its sender no widget afterwards', async () => {
    const widget = { msg_type: 'widget', content: JSON.stringify(poll('Whose?')) };
    const plain = await all.ann.client.sendToStream('Denmark', 'lunch', 'one');
    // As an earlier version stored what others added.
    const replaced = await all.ann.client.sendToStream('Denmark', 'lunch', 'two');
    await all.pool.query(
      'INSERT INTO submessages (message_id, sender_id, msg_type, content) VALUES ($1, $2, $3, $4)',
      [replaced, all.bob.id, widget.msg_type, widget.content],
    );
    await queues.read();
    for (const id of [plain, replaced])
      for (const who of ['bob', 'ann'] as const)
        for (const parameters of [widget, vote, { msg_type: 'x', content: '1' }])
          await expectRefusal(
            add(who, parameters, id),
            'You cannot attach a submessage to this message.',
          );
    expect(await submessagesOf('ann', plain)).toEqual([]);
    expect(await queues.read()).toEqual({});
  });

  test.each([
    ['one person adds fewer than others need', 499, 0, 'bob'],
    ['the bytes of one person are few', 1, 99_996, 'bob'],
    ['a message has only as many as can be fetched', 10, 99_900, 'ann bob cat dan guest bot'],
  ])('%s', async (_name, count, bytes, others) => {
    const whole = others.includes(' ');
    for (const who of others.split(' ') as Name[])
      await all.pool.query(
        `INSERT INTO submessages (message_id, sender_id, msg_type, content)
          SELECT $1, $2, 'x', repeat('1', greatest(1, $4 / $3)) FROM generate_series(1, $3)`,
        [message, person(who).id, count, bytes],
      );
    const short = { msg_type: 'x', content: '1' };
    if (!whole) expect(await add('bob', short)).toEqual(success);
    const refused = { status: 400, msg: 'Too many submessages on this message' };
    const long = { msg_type: 'x', content: `"${'x'.repeat(9_000)}"` };
    expect(await refusalOf(add('bob', bytes === 0 ? short : long))).toMatchObject(refused);
    if (!whole) expect(await add('dan', long)).toEqual(success);
  });

  test('content that is not JSON, or too long, is refused after visibility is checked', async () => {
    const hidden = await all.ann.client.sendPrivately([all.bob.email], 'hi');
    const bad: [Parameters, string][] = [
      [{ msg_type: 'widget', content: 'not json' }, 'Invalid json for submessage'],
      [{ msg_type: 'widget', content: '' }, 'Invalid json for submessage'],
      [{ msg_type: 'widget', content: '"a\0b"' }, 'Invalid json for submessage'],
      [{ msg_type: 'widget', content: '{"a":1,}' }, 'Invalid json for submessage'],
      [
        { msg_type: 'widget', content: `"${'x'.repeat(9_999)}"` },
        'content is too long (limit: 10000 characters)',
      ],
      [
        { msg_type: 'widget', content: `"${'x'.repeat(1_000_000)}"` },
        'content is too long (limit: 10000 characters)',
      ],
      [{ msg_type: 'x'.repeat(61), content: '1' }, 'msg_type is too long (limit: 60 characters)'],
    ];
    for (const [parameters, msg] of bad) {
      await expectRefusal(add('bob', parameters), coded(msg));
      for (const id of [hidden, 99_999_999, -1, 0, 2 ** 62])
        await expectRefusal(add('cat', parameters, id), 'Invalid message(s)');
    }
    expect(await addedTo('ann')).toEqual([]);
    expect(await queues.read()).toEqual({});
  });

  test('concurrent submessages have ids in the order of the log', async () => {
    const who: readonly Name[] = ['ann', 'bob', 'cat', 'dan', 'bot'];
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        add(who[n % who.length] ?? 'ann', { msg_type: 'x', content: String(n) }),
      ),
    );
    const events = ((await queues.read()).ann ?? []).map((event) => ({
      id: event['submessage_id'],
      message_id: event['message_id'],
      sender_id: event['sender_id'],
      msg_type: event['msg_type'],
      content: event['content'],
    }));
    expect(events).toHaveLength(40);
    expect(await addedTo('ann')).toEqual(events);
  });
});

describe('widgets', () => {
  /** Sends a message and returns its widget, after comparing the event with fetched history. */
  async function widgetOf(parameters: Parameters): Promise<Widget | undefined> {
    await queues.read();
    const answer = await person('bob').client.post('messages', {
      type: 'stream',
      to: 'Denmark',
      topic: 'widgets',
      ...parameters,
    });
    const { messages } = await fetchMessages(person('dan'), {
      anchor: answer['id'],
      num_before: 0,
    });
    const [sent] = messages;
    const submessages = sent?.['submessages'];
    // The text is unchanged.
    expect(sent?.['content']).toBe(String(parameters['content']).trimEnd());
    const received = (await queues.readWithMessages()).dan.at(-1)?.['message'] as JsonObject;
    expect(received['submessages']).toEqual(submessages);
    const list = submessages as readonly JsonObject[];
    if (list.length === 0) return undefined;
    expect(list).toEqual([
      {
        id: expect.any(Number) as unknown,
        message_id: answer['id'],
        sender_id: person('bob').id,
        msg_type: 'widget',
        content: expect.any(String) as unknown,
      },
    ]);
    return JSON.parse(String(list[0]?.['content'])) as Widget;
  }

  const commands: [string, Widget | undefined][] = [
    ['/poll', poll('')],
    ['/poll What is it?', poll('What is it?')],
    [
      '/poll What is it?\n\nRed\nGreen  \n\n   Blue\n - Yellow\n* Pink\n-\n- - White\n*Black',
      poll('What is it?', 'Red', 'Green', 'Blue', 'Yellow', 'Pink', '- White', 'Black'),
    ],
    ['/poll One\r\nTwo\rThree', poll('One', 'Two', 'Three')],
    ['/poll  \nTwo', poll('', 'Two')],
    ['/poll "quoted" \\ 🙂', poll('"quoted" \\ 🙂')],
    ['/todo', { widget_type: 'todo', extra_data: null }],
    ['/todo Things\nOne', { widget_type: 'todo', extra_data: null }],
    ['/tictactoe', { widget_type: 'tictactoe', extra_data: null }],
    ['/tictactoe now', { widget_type: 'tictactoe', extra_data: null }],
    [' /poll Question', undefined],
    ['/Poll Question', undefined],
    ['/polls Question', undefined],
    ['/poll\nQuestion', undefined],
    ['/me /poll Question', undefined],
    ['/constructor', undefined],
    ['poll Question', undefined],
  ];
  test.each(commands)('%j', async (content, widget) => {
    expect(await widgetOf({ content })).toEqual(widget);
  });

  const zform = {
    widget_type: 'zform',
    extra_data: {
      type: 'choices',
      heading: 'Which?',
      choices: [
        { type: 'multiple_choice', short_name: 'A', long_name: 'Ape', reply: 'answer A' },
        { short_name: 'B', long_name: 'Bee', reply: 'answer B' },
      ],
    },
  };

  test('widget_content is stored unchanged, and overrides a widget in the text', async () => {
    expect(await widgetOf({ content: 'Which?', widget_content: zform })).toEqual(zform);
    expect(await widgetOf({ content: '/poll Which?', widget_content: zform })).toEqual(zform);
    const empty = { ...zform, extra_data: { ...zform.extra_data, choices: [] } };
    expect(await widgetOf({ content: 'x', widget_content: empty })).toEqual(empty);
  });

  test('works in a private message, and its readers add to it', async () => {
    const id = await person('bob').client.sendPrivately([person('guest').email], '/poll Lunch?');
    expect(await submessagesOf('guest', id)).toHaveLength(1);
    await add('guest', vote, id);
    const [first, second] = await submessagesOf('bob', id);
    expect(second?.['id']).toBeGreaterThan(first?.['id'] as number);
    expect(second).toMatchObject({ sender_id: person('guest').id, ...vote });
  });

  test('a repeated send returns the first id and adds nothing; another widget under the key is refused', async () => {
    const send = (widget: object): Promise<JsonObject> =>
      person('bob').client.post(
        'messages',
        { type: 'stream', to: 'Denmark', topic: 'x', content: '/poll Q', widget_content: widget },
        { headers: { 'idempotency-key': `poll-${message}` } },
      );
    const { id } = await send(zform);
    await queues.read();
    expect(await send(zform)).toMatchObject({ id });
    expect(await submessagesOf('ann', id as number)).toHaveLength(1);
    const { rows } = await all.pool.query<{ count: number }>({
      text: 'SELECT count(*) AS count FROM submessages WHERE message_id = $1',
      values: [id],
    });
    expect(rows[0]?.count).toBe(1);
    expect(
      await refusalOf(send({ ...zform, extra_data: { ...zform.extra_data, heading: 'Other' } })),
    ).toMatchObject({ status: 409, code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('a message without a widget uses no submessage id and has the older entry format', async () => {
    const drawn = async (): Promise<number | undefined> => {
      const { rows } = await all.pool.query<{ last: number }>({
        text: 'SELECT last_value AS last FROM submessage_ids',
      });
      return rows[0]?.last;
    };
    const before = await drawn();
    const plain = await all.ann.client.sendToStream('Denmark', 'x', 'text');
    expect((await entryOf(all.pool, plain)).v).toBe(1);
    expect(await drawn()).toBe(before);
  });

  const form = (change: object): object => ({
    ...zform,
    extra_data: { ...zform.extra_data, ...change },
  });
  const refusals: [string, unknown, string][] = [
    ['no JSON', 'nope', 'API programmer sent invalid JSON content'],
    ['empty text', '', 'API programmer sent invalid JSON content'],
    ['a list', [], 'widget_content is not a dict'],
    ['a number', 1, 'widget_content is not a dict'],
    ['null', null, 'widget_content is not a dict'],
    ['no type', { extra_data: {} }, 'widget_type is not in widget_content'],
    ['no data', { widget_type: 'zform' }, 'extra_data is not in widget_content'],
    ['neither', {}, 'widget_type is not in widget_content'],
    ['data of another kind', { ...zform, extra_data: 'x' }, 'extra_data is not a dict'],
    ['no data at all', { ...zform, extra_data: null }, 'extra_data is not a dict'],
    ['another widget', { ...zform, widget_type: 'poll' }, 'unknown widget type: poll'],
    ['a type of another kind', { ...zform, widget_type: 1 }, 'widget_type is not a string'],
    ['no form', { ...zform, extra_data: {} }, 'zform is missing type field'],
    ['another form', form({ type: 'x' }), 'unknown zform type: x'],
    ['no heading', form({ heading: undefined }), 'heading key is missing from extra_data'],
    ['a heading of another kind', form({ heading: 1 }), 'extra_data["heading"] is not a string'],
    ['no choices', form({ choices: undefined }), 'choices key is missing from extra_data'],
    ['choices of another kind', form({ choices: {} }), 'extra_data["choices"] is not a list'],
    [
      'a choice of another kind',
      form({ choices: ['x'] }),
      'extra_data["choices"][0] is not a dict',
    ],
    [
      'a choice without its name',
      form({ choices: [{ long_name: 'x', reply: 'x' }] }),
      'short_name key is missing from extra_data["choices"][0]',
    ],
    [
      'a choice with a number',
      form({ choices: [{ short_name: 'x', long_name: 'x', reply: 1 }] }),
      'extra_data["choices"][0]["reply"] is not a string',
    ],
    [
      'too long a text',
      { ...zform, x: 'x'.repeat(10_000) },
      'widget_content is too long (limit: 10000 characters)',
    ],
  ];
  const sendWidget = (widget: unknown): Promise<Answer> =>
    person('bob').client.request('POST', 'messages', {
      type: 'stream',
      to: 'Denmark',
      topic: 'x',
      content: 'x',
      widget_content: widget,
    });

  test.each(refusals)('%s is refused', async (_name, widget, reason) => {
    const { status, body } = await sendWidget(widget);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', msg: `Widgets: ${reason}`, code: 'BAD_REQUEST' });
  });

  test('the deepest permitted nesting causes no server error', async () => {
    const deep = '['.repeat(4_900) + ']'.repeat(4_900);
    const { status } = await sendWidget(
      `{"widget_type":"zform","extra_data":{"type":"choices","heading":"","choices":[],"x":${deep}}}`,
    );
    // Whether it can be serialized again depends on the size of the stack.
    expect([200, 400]).toContain(status);
  });

  test('a widget is checked after permission and before rendering', async () => {
    const send = (parameters: Parameters): Promise<JsonObject> =>
      person('cat').client.post('messages', {
        content: 'x',
        widget_content: 'nope',
        ...parameters,
      });
    expect(await refusalOf(send({ type: 'stream', to: 'no such', topic: 'x' }))).toMatchObject({
      code: 'STREAM_DOES_NOT_EXIST',
    });
    expect(await refusalOf(send({ type: 'private', to: [999_999] }))).toMatchObject({
      msg: 'Invalid user ID 999999',
    });
    expect(await refusalOf(send({ type: 'private', to: [person('ann').id] }))).toMatchObject({
      msg: 'Widgets: API programmer sent invalid JSON content',
    });
  });
});
