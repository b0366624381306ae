/** Outgoing-webhook bots as people and their services see them (reference facts, people 18). */
import { describe, expect, test } from 'vitest';

import { anyNumber, textMatching } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages } from './message-fixture.ts';
import { OutgoingFixture } from './outgoing-fixture.ts';
import { json, plain, redirect, silent } from './webhook-receiver.ts';
import type { ReceivedCall } from './webhook-receiver.ts';

const fixture = useFixture(() => OutgoingFixture.start());

async function onlyCall(path: string): Promise<ReceivedCall> {
  await fixture.settle();
  const calls = fixture.receiver.at(path);
  expect(calls).toHaveLength(1);
  return calls[0] as ReceivedCall;
}

const uuid = textMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

describe('causes of a call', () => {
  test('a mention in a stream posts the five keys to the address of the bot', async () => {
    const { bot, path } = await fixture.makeAnsweringBot(silent);
    const { cat } = fixture.all;
    const content = `${bot.mention} **today**?`;
    const id = await fixture.send(content, 'sky');
    const call = await onlyCall(path);
    expect(call).toMatchObject({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'ZulipOutgoingWebhook/2.1.4',
        'x-parley-delivery': uuid,
      },
    });
    const sent = JSON.parse(call.body) as Record<string, unknown>;
    expect(Object.keys(sent).toSorted()).toEqual([
      'bot_email',
      'data',
      'message',
      'token',
      'trigger',
    ]);
    expect(sent).toMatchObject({
      data: content,
      bot_email: bot.email,
      token: textMatching(/^[A-Za-z0-9]{32}$/),
      trigger: 'mention',
    });
    const [found] = (await fetchMessages(cat, { anchor: id, num_before: 0 })).messages;
    const { flags: _flags, ...normal } = found ?? { flags: [] };
    const avatar = textMatching(/^https:\/\/secure\.gravatar\.com\/avatar\//);
    expect(sent['message']).toEqual({
      ...normal,
      avatar_url: avatar,
      rendered_content: `<p><span class="user-mention" data-user-id="${bot.id}">@${bot.name}</span> <strong>today</strong>?</p>`,
    });
    expect(sent['message']).toMatchObject({
      id,
      type: 'stream',
      display_recipient: 'plaza',
      stream_id: anyNumber,
      subject: 'sky',
      content,
      content_type: 'text/x-markdown',
      sender_email: cat.email,
      sender_realm_str: 'test',
    });
  });

  test('a private message calls each outgoing bot among its recipients, alone and in a group', async () => {
    const { bot: one, path } = await fixture.makeAnsweringBot(silent);
    const { bot: two, path: secondPath } = await fixture.makeAnsweringBot(silent);
    const { cat, bob } = fixture.all;
    await fixture.sendPrivately([one.id], 'hello');
    // Calls for one bot run concurrently, in no particular order.
    await fixture.settle();
    await fixture.sendPrivately([one.id, two.id, bob.id], 'all of you');
    await fixture.settle();
    const bodies = fixture.receiver.at(path).map((call) => JSON.parse(call.body) as object);
    expect(bodies).toHaveLength(2);
    expect(bodies[0]).toMatchObject({
      data: 'hello',
      trigger: 'private_message',
      bot_email: one.email,
      message: { type: 'private', subject: '', sender_email: cat.email },
    });
    const second = JSON.parse((fixture.receiver.at(secondPath)[0] as ReceivedCall).body) as {
      message: { display_recipient: { id: number }[] };
    };
    expect(second.message.display_recipient.map(({ id }) => id)).toEqual(
      [bob.id, cat.id, one.id, two.id].toSorted((a, b) => a - b),
    );
  });

  test('text that only looks like a mention causes no call', async () => {
    const { bot, path } = await fixture.makeAnsweringBot(silent);
    const { ann, cat, bob, organization } = fixture.all;
    const user = { ...ann, id: bot.id };
    await organization.makeStream('with the bot', [ann, cat, user]);
    for (const content of [
      `\`${bot.mention}\``,
      `\`\`\`\n${bot.mention}\n\`\`\``,
      `@_**${bot.name}**`,
      '@**all**',
      bot.name,
    ])
      await cat.client.sendToStream('with the bot', 'x', content);
    // A mention of a bot that is not in the conversation.
    await fixture.sendPrivately([bob.id], `${bot.mention} hello`);
    await fixture.settle();
    expect(fixture.receiver.at(path)).toEqual([]);
  });

  test('messages of bots cause no call, not even to the bot itself', async () => {
    const { bot: echo, path } = await fixture.makeAnsweringBot(json({ content: 'placeholder' }));
    fixture.receiver.on(path, json({ content: `${echo.mention} again` }));
    const { bot } = fixture.all;
    await bot.client.sendToStream('plaza', 'bots', echo.mention);
    await bot.client.sendPrivately([echo.id], 'hello');
    await fixture.settle();
    expect(fixture.receiver.at(path)).toEqual([]);
    await fixture.send(echo.mention, 'bots');
    const [said] = await fixture.saidInTopic(echo, 'bots');
    expect(said).toMatchObject({ content: `${echo.mention} again` });
    await fixture.settle();
    expect(fixture.receiver.at(path)).toHaveLength(1);
  });
});

describe("the bot's reply", () => {
  test('is not sent if none is required', async () => {
    const { bot, path } = await fixture.makeAnsweringBot(
      json({ response_not_required: true, content: 'psst' }),
    );
    await fixture.send(bot.mention, 'no reply');
    await onlyCall(path);
    const { messages } = await fetchMessages(fixture.all.ann, {
      narrow: [
        ['stream', 'plaza'],
        ['topic', 'no reply'],
      ],
    });
    expect(messages).toHaveLength(1);
  });

  test.each([
    [{ response_string: 'the older key', content: 'not this' }, 'the older key'],
    [{ content: 'fine **weather**' }, 'fine **weather**'],
    [{ response_not_required: false, content: 'wanted' }, 'wanted'],
    [{ content: 'half \ud800 and \u0000 whole' }, 'half \ufffd and  whole'],
  ])('has the text of a generic answer: %j', async (answer, expected) => {
    const { bot } = await fixture.makeAnsweringBot(json(answer));
    const topic = `reply ${bot.id}`;
    await fixture.send(bot.mention, topic);
    expect(await fixture.saidInTopic(bot, topic)).toMatchObject([
      {
        content: expected,
        client: 'OutgoingWebhookResponse',
        sender_email: bot.email,
        subject: topic,
      },
    ]);
    await fixture.settle();
    expect(await fixture.saidInTopic(bot, topic)).toHaveLength(1);
  });

  test('has a widget with the text', async () => {
    const widget = {
      widget_type: 'zform',
      extra_data: {
        type: 'choices',
        heading: 'Which?',
        choices: [{ short_name: 'A', long_name: 'the first', reply: 'a' }],
      },
    };
    const { bot } = await fixture.makeAnsweringBot(
      json({ content: 'choose', widget_content: JSON.stringify(widget) }),
    );
    await fixture.send(bot.mention, 'widget');
    const [said] = await fixture.saidInTopic(bot, 'widget');
    expect(said?.['submessages']).toMatchObject([{ content: JSON.stringify(widget) }]);
  });

  test.each([
    [{}],
    [{ text: 'of the other interface' }],
    [{ content: '  \n' }],
    [[]],
    ['text'],
    [null],
  ])('is not sent for an answer without a text: %j', async (answer) => {
    const { bot, path } = await fixture.makeAnsweringBot(json(answer));
    const topic = `none ${bot.id}`;
    await fixture.send(bot.mention, topic);
    await onlyCall(path);
    const { messages } = await fetchMessages(fixture.all.ann, { narrow: [['sender', bot.email]] });
    expect(messages).toEqual([]);
  });

  test('goes to all participants of a private conversation', async () => {
    const { bot } = await fixture.makeAnsweringBot(json({ content: 'hello both' }));
    const { bob, cat } = fixture.all;
    await fixture.sendPrivately([bot.id, bob.id], 'hi');
    const narrow = [['pm-with', `${bot.email},${cat.email}`]];
    const [said] = await fixture.said(bot, bob, narrow);
    expect(said).toMatchObject({ type: 'private', content: 'hello both' });
    await fixture.sendPrivately([bot.id], 'hi, you alone');
    expect(await fixture.privateMessagesFrom(bot, cat)).toMatchObject([{ content: 'hello both' }]);
  });

  test('reports an answer that is not JSON', async () => {
    const { bot, path } = await fixture.makeAnsweringBot(plain('<html>'));
    await fixture.send(bot.mention, 'not json');
    expect(await fixture.saidInTopic(bot, 'not json')).toMatchObject([
      { content: 'Failure! Invalid JSON in response' },
    ]);
    await onlyCall(path);
    const { messages } = await fetchMessages(fixture.all.bob, { narrow: [['pm-with', bot.email]] });
    expect(messages).toEqual([]);
  });
});

describe('the interface of Slack', () => {
  test('sends a form with eleven fields, and reads the text of the answer', async () => {
    const { bot, path } = await fixture.makeAnsweringBot(
      json({ text: 'from slack', content: 'not this' }),
      {
        interface_type: 2,
      },
    );
    const { cat } = fixture.all;
    const content = `${bot.mention} & more`;
    await fixture.send(content, 'slack');
    expect(await fixture.saidInTopic(bot, 'slack')).toMatchObject([{ content: 'from slack' }]);
    const call = await onlyCall(path);
    expect(call.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'ZulipOutgoingWebhook/2.1.4',
      'x-parley-delivery': uuid,
    });
    expect(Object.fromEntries(new URLSearchParams(call.body))).toEqual({
      token: textMatching(/^[A-Za-z0-9]{32}$/),
      team_id: 'test',
      team_domain: 'example.com',
      channel_id: textMatching(/^\d+$/),
      channel_name: 'plaza',
      timestamp: textMatching(/^\d{10}$/),
      user_id: String(cat.id),
      user_name: 'Cat Moe',
      text: content,
      trigger_word: 'mention',
      service_id: String(bot.id),
    });
  });

  test('is not called for private messages', async () => {
    const { bot, path } = await fixture.makeAnsweringBot(json({ text: 'x' }), {
      interface_type: 2,
    });
    await fixture.sendPrivately([bot.id], 'hello');
    expect(await fixture.privateMessagesFrom(bot, fixture.all.cat)).toMatchObject([
      { content: "Failure! Slack outgoing webhooks don't support private messages." },
    ]);
    await fixture.settle();
    expect(fixture.receiver.at(path)).toEqual([]);
  });
});

describe('failures', () => {
  test('a failure status is reported in the conversation, and to the owner with the payload', async () => {
    const { bot, path } = await fixture.makeAnsweringBot(plain('no ``` such thing\n', 404));
    const id = await fixture.send(bot.mention, '50% of v2.1 (x)');
    expect(await fixture.saidInTopic(bot, '50% of v2.1 (x)')).toMatchObject([
      { content: 'Failure! Third party responded with 404' },
    ]);
    const [notice] = await fixture.privateMessagesFrom(bot, fixture.all.bob);
    const { rows } = await fixture.all.pool.query<{ id: number }>(
      `SELECT id FROM streams WHERE name = 'plaza'`,
    );
    const streamId = rows[0]?.id ?? 0;
    const text = String(notice?.['content']);
    expect(text.replace(/\(http:\/\/[^/]+/, '(URI')).toBe(
      [
        `[A message](URI/#narrow/stream/${streamId}-plaza/topic/50.25.20of.20v2.2E1.20.28x.29/near/${id}) triggered an outgoing webhook.`,
        'The webhook got a response with status code *404*.',
        'The response contains the following payload:',
        '````',
        'no ``` such thing',
        '````',
      ].join('\n'),
    );
    expect(notice).toMatchObject({ client: 'OutgoingWebhookResponse', sender_email: bot.email });
    await onlyCall(path);
  });

  test('the notice omits an empty payload, and links to a private message', async () => {
    const { bot } = await fixture.makeAnsweringBot(plain('', 500));
    const { cat, bob } = fixture.all;
    const id = await fixture.sendPrivately([bot.id], 'hello');
    expect(await fixture.privateMessagesFrom(bot, cat)).toMatchObject([
      { content: 'Failure! Third party responded with 500' },
    ]);
    const [notice] = await fixture.privateMessagesFrom(bot, bob);
    const people = [cat, bot].toSorted((a, b) => (a.email < b.email ? -1 : 1));
    expect(String(notice?.['content']).replace(/\(http:\/\/[^/]+/, '(URI')).toBe(
      `[A message](URI/#narrow/pm-with/${people.map(({ id: one }) => one).join(',')}-pm/near/${id}) triggered an outgoing webhook.\n` +
        'The webhook got a response with status code *500*.',
    );
  });

  test('an unreachable service is called four times under one key, then reported as unavailable', async () => {
    const { bot, path } = await fixture.makeAnsweringBot((_call, _response, request) =>
      request.socket.destroy(),
    );
    await fixture.send(bot.mention, 'down');
    expect(await fixture.saidInTopic(bot, 'down')).toMatchObject([
      { content: 'Failure! Bot is unavailable' },
    ]);
    const [notice] = await fixture.privateMessagesFrom(bot, fixture.all.bob);
    expect(notice?.['content']).toMatch(
      / triggered an outgoing webhook\.\nA connection error occurred\. Is my bot server down\?$/,
    );
    await fixture.settle();
    const keys = fixture.receiver.at(path).map(({ headers }) => headers['x-parley-delivery']);
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
  });

  test('a service that recovers gets the call', async () => {
    let calls = 0;
    const { bot, path } = await fixture.makeAnsweringBot((call, response, request) => {
      calls += 1;
      if (calls < 3) request.socket.destroy();
      else json({ content: 'here again' })(call, response, request);
    });
    await fixture.send(bot.mention, 'back');
    expect(await fixture.saidInTopic(bot, 'back')).toMatchObject([{ content: 'here again' }]);
    await fixture.settle();
    expect(fixture.receiver.at(path)).toHaveLength(3);
    expect(
      (await fetchMessages(fixture.all.bob, { narrow: [['pm-with', bot.email]] })).ids,
    ).toEqual([]);
  });

  test('other failures are named and not retried', async () => {
    const { bot, path } = await fixture.makeAnsweringBot((_call, _response, request) => {
      request.socket.end('this is no HTTP\r\n\r\n');
    });
    await fixture.send(bot.mention, 'fault');
    const [said] = await fixture.saidInTopic(bot, 'fault');
    expect(said?.['content']).toMatch(/^Failure! An error of type HPE_\w+ occurred\.$/);
    const [notice] = await fixture.privateMessagesFrom(bot, fixture.all.bob);
    expect(notice?.['content']).toMatch(
      / triggered an outgoing webhook\.\n```\nHPE_\w+: Parse Error: .+\n```$/,
    );
    await onlyCall(path);
  });

  test('a bot without an address', async () => {
    const { bob } = fixture.all;
    const made = await bob.client.post('bots', {
      full_name: 'No Address',
      short_name: 'no-address',
      bot_type: 3,
    });
    await fixture.sendPrivately([made['user_id'] as number], 'hello');
    const bot = {
      id: made['user_id'] as number,
      email: made['email'] as string,
      name: '',
      mention: '',
    };
    expect(await fixture.privateMessagesFrom(bot, fixture.all.cat)).toMatchObject([
      { content: 'Failure! An error of type InvalidURL occurred.' },
    ]);
  });

  test('redirects are followed, as a GET or with the same request', async () => {
    const { receiver } = fixture;
    const target = receiver.on('/moved-here', json({ content: 'moved' }));
    for (const [status, method] of [
      [301, 'GET'],
      [302, 'GET'],
      [303, 'GET'],
      [307, 'POST'],
      [308, 'POST'],
    ] as const) {
      const { bot, path } = await fixture.makeAnsweringBot(redirect(target, status));
      const topic = `moved ${status}`;
      await fixture.send(bot.mention, topic);
      expect(await fixture.saidInTopic(bot, topic)).toMatchObject([{ content: 'moved' }]);
      const first = await onlyCall(path);
      const second = receiver.at('/moved-here').at(-1);
      expect(second).toMatchObject({ method, body: method === 'POST' ? first.body : '' });
      expect(second?.headers['x-parley-delivery']).toBe(first.headers['x-parley-delivery']);
    }
  });
});
