/** Edits and deletions while the checked facts change: the state at their position in the log counts. */
import type { Client } from '@parley/database';
import { lockStreams, updateStream } from '@parley/store';
import type { JsonObject } from '@parley/test-kit';
import { describe, expect, test } from 'vitest';

import { meetTransaction } from '../support/held-transaction.ts';
import { useFixture } from '../support/use-fixture.ts';
import { ChangeFixture, invalidMessage } from './change-fixture.ts';
import { expectRefusal, success } from './refusals.ts';

const fixture = useFixture(() =>
  ChangeFixture.start(['update_message', 'delete_message', 'subscription']),
);

const meeting = <Answer>(
  change: (client: Client) => Promise<unknown>,
  request: () => Promise<Answer>,
): Promise<Answer> => meetTransaction(fixture.all.pool, change, request);

async function lastEventOf(who: 'fay'): Promise<JsonObject | undefined> {
  return (await fixture.queues.read())[who]?.at(-1);
}

describe('a change that commits first takes effect', () => {
  test('a rename of the stream', async () => {
    const streamId = await fixture.people.bob.client.streamId('Denmark');
    const rename = (name: string) => async (client: Client) => {
      await lockStreams(client, { streamIds: [streamId] });
      await updateStream(client, streamId, { name });
    };
    const id = await fixture.send('bob', 'lunch', 'one');
    await meeting(rename('Norway'), () => fixture.edit('bob', id, { content: 'two' }));
    expect(await lastEventOf('fay')).toMatchObject({ stream_name: 'Norway', content: 'two' });
    await meeting(rename('Denmark'), () => fixture.edit('bob', id, { topic: 'dinner' }));
    expect(await lastEventOf('fay')).toMatchObject({ stream_name: 'Denmark', subject: 'dinner' });
  });

  test('a change of a stream to history that is not shared', async () => {
    const streamId = await fixture.people.bob.client.streamId('shared');
    const share = (historyPublicToSubscribers: boolean) => async (client: Client) => {
      await lockStreams(client, { streamIds: [streamId] });
      await updateStream(client, streamId, {
        privacy: { inviteOnly: true, historyPublicToSubscribers },
      });
    };
    const id = await fixture.send('bob', 'lunch', 'one', 'shared');
    await fixture.join('eve', 'shared');
    expect(await fixture.edit('eve', id, { topic: 'by eve' })).toEqual(success);
    await fixture.queues.read();
    await meeting(share(false), () => fixture.edit('bob', id, { content: 'two' }));
    const read = await fixture.queues.read();
    expect(read.fay).toHaveLength(1);
    expect(read.eve).toBeUndefined();
    await meeting(share(true), () => fixture.edit('bob', id, { content: 'three' }));
    expect((await fixture.queues.read()).eve).toMatchObject([{ flags: ['read'] }]);
    const late = meeting(share(false), () => fixture.edit('eve', id, { topic: 'again' }));
    await expectRefusal(late, invalidMessage);
    await meeting(share(true), () => fixture.edit('bob', id, { content: 'four' }));
    await fixture.leave('eve', 'shared');
  });

  test('the loss of the administrator role, and a deactivation', async () => {
    const { pool, organization } = fixture.all;
    const hal = await organization.makeAccount('Hal High', { role: 'administrator' });
    const meets = <Answer>(
      role: string,
      isActive: boolean,
      request: () => Promise<Answer>,
    ): Promise<Answer> =>
      meeting(async (client) => {
        await client.query({
          text: 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE',
          values: [hal.id],
        });
        await client.query({
          text: 'UPDATE users SET role = $2, is_active = $3, id = id WHERE id = $1',
          values: [hal.id, role, isActive],
        });
      }, request);
    const id = await fixture.send('bob', 'lunch', 'one');
    await fixture.withSettings({ allow_community_topic_editing: false }, () =>
      expectRefusal(
        meets('member', true, () => hal.client.patch(`messages/${id}`, { topic: 'x' })),
        "You don't have permission to edit this message",
      ),
    );
    await pool.query({
      text: "UPDATE users SET role = 'administrator' WHERE id = $1",
      values: [hal.id],
    });
    await expectRefusal(
      meets('member', true, () => hal.client.delete(`messages/${id}`)),
      "You don't have permission to delete this message",
    );
    const gone = await meets('administrator', false, () =>
      hal.client.request('PATCH', `messages/${id}`, { topic: 'x' }),
    );
    expect(gone.status).toBe(401);
    expect(await fixture.fetched('bob', id)).toMatchObject({ subject: 'lunch', content: 'one' });
  });

  test('a move of the message', async () => {
    const id = await fixture.send('bob', 'here', 'one');
    const other = await fixture.send('bob', 'there', 'two');
    await fixture.queues.read();
    // The statements of a move, as by another replica.
    const move = async (client: Client): Promise<void> => {
      await client.query({
        text: `UPDATE messages m SET topic = t.topic, conversation_id = t.conversation_id FROM messages t
          WHERE m.id = $1 AND t.id = $2`,
        values: [id, other],
      });
    };
    await meeting(move, () =>
      fixture.edit('bob', id, { topic: 'everywhere', propagate_mode: 'change_all' }),
    );
    expect(await lastEventOf('fay')).toMatchObject({
      orig_subject: 'there',
      message_ids: [id, other],
    });
  });
});

test('subscribers who join and leave during edits get exactly the edits in between', async () => {
  const ids = await fixture.sendEach('lunch', 'bob', 'bob');
  await fixture.queues.read();
  const edits = (async () => {
    for (let n = 0; n < 30; n += 1)
      await fixture.edit('bob', ids[n % 2] ?? 0, { content: `edit ${n}` });
  })();
  for (let n = 0; n < 5; n += 1) {
    await fixture.join('eve', 'Denmark');
    await fixture.leave('eve', 'Denmark');
  }
  await edits;
  const { fay = [], eve = [] } = await fixture.queues.read();
  const isEdit = (event: JsonObject): boolean => event['type'] === 'update_message';
  expect(fay.filter(isEdit)).toHaveLength(30);
  let isMember = false;
  for (const event of eve) {
    if (event['type'] === 'subscription') {
      if (event['op'] === 'add') isMember = true;
      if (event['op'] === 'remove') isMember = false;
    } else {
      expect(isMember).toBe(true);
      expect(event).toMatchObject({ flags: ['read'] });
    }
  }
  // Between a join and the next leave no edit is missing: her edits are consecutive runs of those that everybody got.
  const contentsOf = (events: readonly JsonObject[]): unknown[] =>
    events.filter(isEdit).map((event) => event['content']);
  const allEdits = contentsOf(fay);
  let run: JsonObject[] = [];
  for (const event of [...eve, { type: 'subscription', op: 'remove' }]) {
    if (isEdit(event)) run.push(event);
    else if (event['op'] === 'remove' || event['op'] === 'add') {
      const [first, ...rest] = contentsOf(run);
      const at = allEdits.indexOf(first);
      expect(rest).toEqual(allEdits.slice(at + 1, at + 1 + rest.length));
      run = [];
    }
  }
});
