/** Changes between a message and its call, and between the call and its reply, with two replicas and a slow service. */
import { waitUntil } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';
import { describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages } from './message-fixture.ts';
import { OutgoingFixture } from './outgoing-fixture.ts';
import type { OutgoingBot } from './outgoing-fixture.ts';
import { json, plain, silent } from './webhook-receiver.ts';
import type { Respond } from './webhook-receiver.ts';

const fixture = useFixture(() => OutgoingFixture.start({ messages: 2 }));

/** Runs `change` during the first call and then breaks that call off, so that a second call is made after the change. */
function lostAfter(change: () => Promise<unknown>, then: Respond = silent): Respond {
  let calls = 0;
  return (call, response, request) => {
    calls += 1;
    if (calls > 1) then(call, response, request);
    else void change().finally(() => request.socket.destroy());
  };
}

/** Answers the call after `change`. */
function answeredAfter(change: () => Promise<unknown>, then: Respond): Respond {
  return (call, response, request) => {
    void change().finally(() => then(call, response, request));
  };
}

async function saidBy(bot: OutgoingBot, reader: TestAccount): Promise<unknown[]> {
  const { messages } = await fetchMessages(reader);
  return messages
    .filter((message) => message['sender_id'] === bot.id)
    .map((message) => message['content']);
}

describe('before the call', () => {
  test('a deactivated bot is not called and sends nothing', async () => {
    const { bot, path } = await fixture.makeAnsweringBot(silent);
    fixture.receiver.on(
      path,
      lostAfter(() => fixture.all.bob.client.delete(`bots/${bot.id}`)),
    );
    await fixture.send(bot.mention, 'gone');
    await fixture.settle();
    expect(fixture.receiver.at(path)).toHaveLength(1);
    expect(await saidBy(bot, fixture.all.ann)).toEqual([]);
  });

  test('a deleted message causes no call', async () => {
    const { bot, path } = await fixture.makeAnsweringBot(silent);
    let id = 0;
    fixture.receiver.on(
      path,
      lostAfter(() => fixture.all.ann.client.delete(`messages/${id}`)),
    );
    id = await fixture.send(bot.mention, 'deleted');
    await fixture.settle();
    expect(fixture.receiver.at(path)).toHaveLength(1);
  });

  test('a message that no longer mentions the bot causes no call', async () => {
    const { bot, path } = await fixture.makeAnsweringBot(silent);
    const { cat } = fixture.all;
    let id = 0;
    fixture.receiver.on(
      path,
      lostAfter(() => cat.client.patch(`messages/${id}`, { content: 'for nobody' })),
    );
    id = await fixture.send(bot.mention, 'edited');
    await fixture.settle();
    expect(fixture.receiver.at(path)).toHaveLength(1);
    expect(fixture.receiver.at(path)[0]?.body).not.toContain('for nobody');
  });

  test('a message that still mentions it is sent in its current form, under the same key', async () => {
    const { bot, path } = await fixture.makeAnsweringBot(silent);
    const { cat } = fixture.all;
    let id = 0;
    fixture.receiver.on(
      path,
      lostAfter(() =>
        cat.client.patch(`messages/${id}`, { content: `${bot.mention} now`, topic: 'edited too' }),
      ),
    );
    id = await fixture.send(`${bot.mention} before`, 'edited');
    await fixture.settle();
    const calls = fixture.receiver.at(path);
    const bodies = calls.map(({ body }) => JSON.parse(body) as { data: string; message: object });
    expect(bodies).toMatchObject([
      { data: `${bot.mention} before`, message: { subject: 'edited' } },
      { data: `${bot.mention} now`, message: { subject: 'edited too' } },
    ]);
    expect(calls[0]?.headers['x-parley-delivery']).toBe(calls[1]?.headers['x-parley-delivery']);
    expect(bodies[1]?.message).not.toHaveProperty('edit_history');
    expect(bodies[1]?.message).not.toHaveProperty('flags');
  });

  test('a mention added by an edit causes no call', async () => {
    const { bot, path } = await fixture.makeAnsweringBot(silent);
    const { cat } = fixture.all;
    const id = await fixture.send('not yet', 'added');
    await cat.client.patch(`messages/${id}`, { content: bot.mention });
    await fixture.settle();
    expect(fixture.receiver.at(path)).toEqual([]);
  });

  test('a bot with a new address and interface is called there', async () => {
    const { bot, path } = await fixture.makeAnsweringBot(silent);
    const elsewhere = fixture.receiver.on('/elsewhere', json({ text: 'in the new way' }));
    fixture.receiver.on(
      path,
      lostAfter(() =>
        fixture.all.bob.client.patch(`bots/${bot.id}`, {
          service_payload_url: JSON.stringify(elsewhere),
          service_interface: 2,
        }),
      ),
    );
    await fixture.send(bot.mention, 'elsewhere');
    expect(await fixture.saidInTopic(bot, 'elsewhere')).toMatchObject([
      { content: 'in the new way' },
    ]);
    await fixture.settle();
    expect(fixture.receiver.at(path)).toHaveLength(1);
    expect(fixture.receiver.at('/elsewhere')).toMatchObject([
      { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ]);
  });

  test('a deactivated organization causes no call', async () => {
    const { bot, path } = await fixture.makeAnsweringBot(silent);
    const { pool } = fixture.all;
    fixture.receiver.on(
      path,
      lostAfter(() => pool.query('UPDATE realm SET is_deactivated = true')),
    );
    await fixture.send(bot.mention, 'closed');
    try {
      await fixture.settle();
    } finally {
      await pool.query('UPDATE realm SET is_deactivated = false');
    }
    expect(fixture.receiver.at(path)).toHaveLength(1);
  });
});

describe('before the reply', () => {
  test('a deactivated bot sends nothing', async () => {
    const { bot, path } = await fixture.makeAnsweringBot(silent);
    fixture.receiver.on(
      path,
      answeredAfter(
        () => fixture.all.bob.client.delete(`bots/${bot.id}`),
        json({ content: 'too late' }),
      ),
    );
    await fixture.send(bot.mention, 'late');
    await fixture.settle();
    expect(fixture.receiver.at(path)).toHaveLength(1);
    expect(await saidBy(bot, fixture.all.ann)).toEqual([]);
  });

  test('a deactivated owner gets no notice, and other work continues', async () => {
    const { organization, pool } = fixture.all;
    const owner = await organization.makeAccount('Passing Owner');
    const url = fixture.receiver.on(
      '/orphan',
      answeredAfter(
        () => pool.query('UPDATE users SET is_active = false WHERE id = $1', [owner.id]),
        plain('no', 404),
      ),
    );
    const bot = await fixture.makeBot(url, {}, owner);
    await fixture.send(bot.mention, 'orphan');
    expect(await fixture.saidInTopic(bot, 'orphan')).toMatchObject([
      { content: 'Failure! Third party responded with 404' },
    ]);
    await fixture.settle();
    const { rows } = await pool.query<{ sent: number }>({
      text: 'SELECT count(*) AS sent FROM messages WHERE sender_id = $1',
      values: [bot.id],
    });
    expect(rows).toEqual([{ sent: 1 }]);
  });

  test('in a deactivated stream no reply is sent, and the owner gets a notice', async () => {
    const { organization, pool, cat, bob } = fixture.all;
    const stream = await organization.makeStream('ending', [cat]);
    const { bot } = await fixture.makeAnsweringBot(
      answeredAfter(
        () =>
          pool.query(
            'UPDATE streams SET is_deactivated = true, version = version + 1 WHERE id = $1',
            [stream.id],
          ),
        json({ content: 'too late' }),
      ),
    );
    await cat.client.sendToStream('ending', 'x', bot.mention);
    await fixture.settle();
    expect(await saidBy(bot, bob)).toEqual([]);
    const { messages } = await fetchMessages(bob, { narrow: [['is', 'private']] });
    const notice = messages.find((message) => String(message['content']).includes(bot.email));
    expect(notice?.['content']).toMatch(/tried to send a message to the stream with the id `\d+`/);
  });

  test('in a private conversation with a deactivated participant no reply is sent, and the owner gets a notice', async () => {
    const { organization, pool, cat, bob } = fixture.all;
    const third = await organization.makeAccount('Leaving Soon');
    const { bot } = await fixture.makeAnsweringBot(
      answeredAfter(
        () => pool.query('UPDATE users SET is_active = false WHERE id = $1', [third.id]),
        json({ content: 'too late' }),
      ),
    );
    await fixture.sendPrivately([bot.id, third.id], 'hello');
    const [notice] = await fixture.privateMessagesFrom(bot, bob);
    expect(notice?.['content']).toMatch(
      / triggered an outgoing webhook\.\n```\nBAD_REQUEST: 'leaving\.soon@example\.com' is no longer using Parley\.\n```$/,
    );
    await fixture.settle();
    expect(await saidBy(bot, cat)).toEqual([]);
  });
});

describe('in a private stream', () => {
  test('a bot is called although it is not subscribed, and replies only if it or its owner may send', async () => {
    const { organization, ann, bob, cat } = fixture.all;
    const without = await organization.makeStream('closed room', [ann, cat], { inviteOnly: true });
    await organization.makeStream('open to the owner', [ann, bob, cat], { inviteOnly: true });
    const { bot, path } = await fixture.makeAnsweringBot(json({ content: 'hello' }));
    await cat.client.sendToStream('closed room', 'x', bot.mention);
    await cat.client.sendToStream('open to the owner', 'x', bot.mention);
    await fixture.settle();
    expect(fixture.receiver.at(path)).toHaveLength(2);
    const { messages } = await fetchMessages(ann, { narrow: [['sender', bot.email]] });
    expect(messages).toMatchObject([{ display_recipient: 'open to the owner', content: 'hello' }]);
    const found = await fetchMessages(bob, { narrow: [['is', 'private']] });
    const notice = found.messages.find((message) => String(message['content']).includes(bot.email));
    expect(notice?.['content']).toContain(`the stream with the id \`${without.id}\``);
  });
});

test('a bot with a slow service has at most four calls, and other bots do not wait for it', async () => {
  const held: (() => void)[] = [];
  let isSlow = true;
  const { bot: slow, path } = await fixture.makeAnsweringBot((call, response, request) => {
    const answer = (): void => silent(call, response, request);
    if (isSlow) held.push(answer);
    else answer();
  });
  const { bot: quick } = await fixture.makeAnsweringBot(json({ content: 'at once' }));
  for (let n = 1; n <= 12; n += 1) await fixture.send(`${slow.mention} ${n}`, 'slow');
  // It does not come to rest while calls are held, and begins whatever is due meanwhile.
  const settled = fixture.settle();
  await waitUntil('four calls are held', () => held.length === 4);
  for (let n = 1; n <= 3; n += 1) {
    await fixture.send(`${quick.mention} ${n}`, `quick ${n}`);
    await waitUntil('the other bot answers', async () => {
      const { messages } = await fetchMessages(fixture.all.ann, {
        narrow: [
          ['sender', quick.email],
          ['topic', `quick ${n}`],
        ],
      });
      expect(messages).toMatchObject([{ content: 'at once' }]);
      return true;
    });
  }
  expect(fixture.receiver.at(path)).toHaveLength(4);
  isSlow = false;
  for (const answer of held.splice(0)) answer();
  await settled;
  const data = fixture.receiver
    .at(path)
    .map(({ body }) => (JSON.parse(body) as { data: string }).data);
  expect(data.toSorted()).toEqual(
    Array.from({ length: 12 }, (_, n) => `${slow.mention} ${n + 1}`).toSorted(),
  );
});
