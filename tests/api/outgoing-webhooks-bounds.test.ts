/** The destinations and the time limits of outgoing webhooks, their metrics, and what is never logged. */
import { MovedClock } from '@parley/clock';
import { waitUntil } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages, refusalOf } from './message-fixture.ts';
import { OutgoingFixture } from './outgoing-fixture.ts';
import { json, redirect } from './webhook-receiver.ts';
import { uncoded } from './refusals.ts';

const fixture = useFixture(() =>
  OutgoingFixture.start({
    environment: {
      PARLEY_OUTGOING_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
      PARLEY_LOG_LEVEL: 'trace',
    },
  }),
);

/** The longest wait for the beginning of an answer. */
const answerWithinMs = 10_000;

const refusedNotice =
  / triggered an outgoing webhook\.\n```\nAddressNotAllowed: The address of this server may not be called\.\n```$/;

test.each([
  ['http://127.0.0.2:PORT/inside'],
  ['http://[::1]:PORT/inside'],
  ['http://[::ffff:127.0.0.1]:PORT/inside'],
  ['http://2130706434:PORT/inside'],
  ['http://169.254.169.254/latest/meta-data/'],
  ['http://10.0.0.1/'],
])('an internal address is not called: %s', async (url) => {
  const { receiver } = fixture;
  const bot = await fixture.makeBot(url.replace('PORT', String(receiver.port)));
  const topic = `inside ${bot.id}`;
  await fixture.send(bot.mention, topic);
  expect(await fixture.saidInTopic(bot, topic)).toMatchObject([
    { content: 'Failure! An error of type AddressNotAllowed occurred.' },
  ]);
  const [notice] = await fixture.privateMessagesFrom(bot, fixture.all.bob);
  expect(notice?.['content']).toMatch(refusedNotice);
  await fixture.settle();
  expect(receiver.at('/inside')).toEqual([]);
});

test('an internal address is not called after a redirect either', async () => {
  const { receiver } = fixture;
  const target = `http://127.0.0.2:${receiver.port}/inside`;
  const bot = await fixture.makeBot(receiver.on('/outside', redirect(target, 307)));
  await fixture.send(bot.mention, 'redirected');
  expect(await fixture.saidInTopic(bot, 'redirected')).toMatchObject([
    { content: 'Failure! An error of type AddressNotAllowed occurred.' },
  ]);
  await fixture.settle();
  expect(receiver.at('/outside')).toHaveLength(1);
  expect(receiver.at('/inside')).toEqual([]);
});

test('a URL that is not a web address is refused when a bot is created or changed', async () => {
  const { bob } = fixture.all;
  const none = [
    'nothing',
    'javascript:alert(1)',
    'file:///etc/passwd',
    ' ',
    'http://127.0.0.:5002',
  ];
  for (const url of none) {
    const body = {
      full_name: 'Refused Bot',
      short_name: 'refused',
      bot_type: 3,
      payload_url: JSON.stringify(url),
    };
    expect(await refusalOf(bob.client.post('bots', body))).toMatchObject({
      status: 400,
      msg: 'payload_url is not a URL',
    });
  }
  const bot = await fixture.makeBot(fixture.receiver.url('/fine'));
  expect(
    await refusalOf(
      bob.client.patch(`bots/${bot.id}`, { service_payload_url: '"file:///etc/passwd"' }),
    ),
  ).toMatchObject({ status: 400, msg: 'service_payload_url is not a URL' });
});

test('a service that does not answer in time is called four times, then reported as unavailable', async () => {
  const { receiver } = fixture;
  const { clock } = fixture.all.cluster.settings;
  if (!(clock instanceof MovedClock)) throw new Error('the time of this system passes by itself');
  const bot = await fixture.makeBot(receiver.on('/silent', () => undefined));
  await fixture.send(bot.mention, 'silent');
  // It does not come to rest while a call is under way, and moves the time to each repetition.
  const settled = fixture.settle();
  for (let calls = 1; calls <= 4; calls += 1) {
    await waitUntil(`call ${calls}`, () => receiver.at('/silent').length === calls);
    await clock.advance(answerWithinMs);
  }
  await settled;
  expect(await fixture.saidInTopic(bot, 'silent')).toMatchObject([
    { content: 'Failure! Bot is unavailable' },
  ]);
  const [notice] = await fixture.privateMessagesFrom(bot, fixture.all.bob);
  expect(notice?.['content']).toMatch(/ triggered an outgoing webhook\.\nA timeout occurred\.$/);
  const keys = receiver.at('/silent').map(({ headers }) => headers['x-parley-delivery']);
  expect([keys.length, new Set(keys).size]).toEqual([4, 1]);
});

test('an answer that is too large, or has a huge header, is a failure', async () => {
  const { receiver } = fixture;
  const large = await fixture.makeBot(
    receiver.on('/large', json({ content: 'x'.repeat(300_000) })),
  );
  const headed = await fixture.makeBot(
    receiver.on('/headed', (_call, response) => {
      response.writeHead(200, { 'x-huge': 'y'.repeat(20_000) });
      response.end('{}');
    }),
  );
  await fixture.send(`${large.mention} ${headed.mention}`, 'large');
  expect(await fixture.saidInTopic(large, 'large')).toMatchObject([
    { content: 'Failure! An error of type AnswerTooLarge occurred.' },
  ]);
  expect(await fixture.saidInTopic(headed, 'large')).toMatchObject([
    { content: 'Failure! An error of type HPE_HEADER_OVERFLOW occurred.' },
  ]);
});

test('a reply longer than a message is cut', async () => {
  const bot = await fixture.makeBot(
    fixture.receiver.on('/long', json({ content: 'x'.repeat(20_000) })),
  );
  await fixture.send(bot.mention, 'long');
  const [said] = await fixture.saidInTopic(bot, 'long');
  expect(String(said?.['content'])).toHaveLength(10_000);
  expect(String(said?.['content'])).toMatch(/\n\[message truncated\]$/);
});

test('a reply with an invalid widget is not sent, and the owner gets a notice', async () => {
  const bot = await fixture.makeBot(
    fixture.receiver.on('/widget', json({ content: 'x', widget_content: '[' })),
  );
  await fixture.send(bot.mention, 'widget');
  const [notice] = await fixture.privateMessagesFrom(bot, fixture.all.bob);
  expect(notice?.['content']).toMatch(
    /\n```\nBAD_REQUEST: Widgets: API programmer sent invalid JSON content\n```$/,
  );
  const { messages } = await fetchMessages(fixture.all.ann, { narrow: [['sender', bot.email]] });
  expect(messages).toEqual([]);
});

test('an embedded bot cannot be created, and an existing one does nothing', async () => {
  const { bob, organization, ann } = fixture.all;
  expect(
    await refusalOf(
      bob.client.post('bots', {
        full_name: 'Converter',
        short_name: 'converter',
        bot_type: 4,
        service_name: 'converter',
      }),
    ),
  ).toEqual(uncoded('Embedded bots are not enabled.'));
  const embedded = await organization.makeAccount('Embedded Helper', { botType: 4, owner: bob });
  await fixture.send('@**Embedded Helper** 2 m', 'embedded');
  await fixture.sendPrivately([embedded.id], '2 m');
  await fixture.settle();
  const { messages } = await fetchMessages(ann, { narrow: [['sender', embedded.email]] });
  expect(messages).toEqual([]);
});

test('calls are counted by outcome, and the log contains neither tokens nor addresses', async () => {
  const { all, receiver } = fixture;
  const secret = 'very-secret-path';
  const bot = await fixture.makeBot(
    receiver
      .on(`/${secret}`, json({ content: 'counted' }))
      .replace('://', '://user:PassWordOfUrl@'),
  );
  await fixture.send(bot.mention, 'counted');
  await fixture.saidInTopic(bot, 'counted');
  await fixture.settle();
  const [call] = receiver.at(`/${secret}`);
  expect(call?.headers.authorization).toBe(
    `Basic ${Buffer.from('user:PassWordOfUrl').toString('base64')}`,
  );
  const { token } = JSON.parse(call?.body ?? '{}') as { token: string };
  expect(token).toHaveLength(32);
  const delivery = String(call?.headers['x-parley-delivery']);
  const processes = [
    ...all.cluster.findProcesses('messages'),
    ...all.cluster.findProcesses('people'),
  ];
  const logged = processes.flatMap(({ output }) => output).join('\n');
  expect(logged.length).toBeGreaterThan(1_000);
  for (const kept of [token, delivery, secret, 'PassWordOfUrl'])
    expect(logged.includes(kept)).toBe(false);

  const messages = all.cluster.getProcess('messages', 0);
  const metrics = await (await fetch(`${messages.internalUrl}/metrics`)).text();
  /** The value of the series with this name and label; further labels identify the process. */
  const valueOf = (name: string, label = ''): number => {
    const found = metrics
      .split('\n')
      .find((line) => line.startsWith(`${name}{`) && line.includes(label));
    return Number(found?.split('} ')[1]);
  };
  expect(valueOf('parley_outgoing_calls_total', 'outcome="answered"')).toBeGreaterThanOrEqual(3);
  expect(valueOf('parley_outgoing_calls_total', 'outcome="timeout"')).toBe(4);
  expect(valueOf('parley_outgoing_calls_total', 'outcome="fault"')).toBe(9);
  expect(valueOf('parley_outgoing_calls_total', 'outcome="reply-refused"')).toBe(1);
  expect(valueOf('parley_outgoing_calls_running')).toBe(0);
  expect(valueOf('parley_outgoing_call_seconds_count', 'outcome="timeout"')).toBe(4);
  expect(valueOf('parley_side_effects_waiting', 'lane="outgoing-calls"')).toBeGreaterThanOrEqual(0);
});
