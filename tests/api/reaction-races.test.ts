import { RefusedRequest } from '@parley/test-kit';
import type { JsonObject, Parameters, TestAccount } from '@parley/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { refusalOf } from './message-fixture.ts';
import type { MessageFixture } from './message-fixture.ts';
import { ReactionFixture, thumbsUp } from './reaction-fixture.ts';
import type { Name } from './reaction-fixture.ts';

let fixture: ReactionFixture;
let all: MessageFixture;
let people: ReactionFixture['people'];
let queues: ReactionFixture['queues'];
/** A message of Ann's in the public stream. */
let message: number;

const person = (name: Name): TestAccount => people[name];
const react = (who: Name, parameters: Parameters, id: number = message): Promise<JsonObject> =>
  fixture.react(who, parameters, id);
const unreact = (who: Name, parameters: Parameters, id: number = message): Promise<JsonObject> =>
  fixture.unreact(who, parameters, id);
const reactionsOf = (who: Name, id: number = message): Promise<readonly JsonObject[]> =>
  fixture.reactionsOf(who, id);

beforeAll(async () => {
  fixture = await ReactionFixture.start();
  ({ all, people, queues } = fixture);
});
afterAll(() => fixture.stop());

beforeEach(async () => {
  message = await all.ann.client.sendToStream('Denmark', 'lunch', 'one');
});

describe('reactions at the same moment', () => {
  const outcomes = async (requests: readonly Promise<unknown>[]): Promise<unknown[]> => {
    const settled = await Promise.allSettled(requests);
    return settled.map((outcome) => {
      if (outcome.status === 'fulfilled') return 'success';
      if (!(outcome.reason instanceof RefusedRequest)) throw outcome.reason;
      expect(outcome.reason).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
      return outcome.reason.body['msg'];
    });
  };

  /** The events in order result in the state of the history. */
  async function expectHistoryMatchesEvents(id: number): Promise<void> {
    const events = ((await queues.read()).ann ?? []).filter((event) => event['message_id'] === id);
    const present: JsonObject[] = [];
    for (const { op, user_id: userId, emoji_name: name, emoji_code: code } of events) {
      const at = present.findIndex(
        (reaction) => reaction['user_id'] === userId && reaction['emoji_code'] === code,
      );
      if (op === 'add') {
        expect(at).toBe(-1);
        present.push({ emoji_name: name, emoji_code: code, user_id: userId });
      } else {
        expect(at).not.toBe(-1);
        present.splice(at, 1);
      }
    }
    expect(
      (await reactionsOf('ann', id)).map((reaction) => ({
        emoji_name: reaction['emoji_name'],
        emoji_code: reaction['emoji_code'],
        user_id: reaction['user_id'],
      })),
    ).toEqual(present);
  }

  test('aliases of one emoji get one name, that of the first reaction', async () => {
    const names = ['+1', 'thumbs_up', 'like'];
    const who: readonly Name[] = ['ann', 'bob', 'cat', 'dan', 'bot', 'eve'];
    expect(
      await outcomes(
        who.map((name, n) => react(name, { emoji_name: names[n % 3] ?? '', emoji_code: '1f44d' })),
      ),
    ).toContain('success');
    const reactions = await reactionsOf('ann');
    expect(new Set(reactions.map((reaction) => reaction['emoji_name'])).size).toBe(1);
    await expectHistoryMatchesEvents(message);
  });

  test('one person twice makes one reaction', async () => {
    const answers = await outcomes(Array.from({ length: 12 }, () => react('cat', thumbsUp)));
    expect(answers.filter((answer) => answer === 'success')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'Reaction already exists.')).toHaveLength(11);
    expect(await reactionsOf('ann')).toHaveLength(1);
    await expectHistoryMatchesEvents(message);
  });

  test('concurrent adding and removing has answers and events that fit one order', async () => {
    const answers = await outcomes(
      Array.from({ length: 30 }, (_, n) =>
        n % 2 === 0 ? react('bob', thumbsUp) : unreact('bob', thumbsUp),
      ),
    );
    expect(
      answers.every((answer) =>
        ['success', 'Reaction already exists.', "Reaction doesn't exist."].includes(
          answer as string,
        ),
      ),
    ).toBe(true);
    await expectHistoryMatchesEvents(message);
  });

  test('many people and emoji on one message are all stored, in the order of the log', async () => {
    const who = Object.keys(people).filter((name) => name !== 'guest') as Name[];
    const emoji = ['tada', 'heart', 'smile', 'wave', '+1'];
    const answers = await outcomes(
      emoji.flatMap((name) => who.map((one) => react(one, { emoji_name: name }))),
    );
    expect(new Set(answers)).toEqual(new Set(['success']));
    expect(await reactionsOf('ann')).toHaveLength(who.length * emoji.length);
    await expectHistoryMatchesEvents(message);
  });

  test('everyone who becomes a holder gets all later events', async () => {
    const newcomers: readonly Name[] = ['cat', 'bot', 'eve'];
    for (let time = 0; time < 5; time += 1) {
      const id = await all.ann.client.sendToStream('Denmark', 'lunch', `late ${time}`);
      await queues.read();
      await outcomes([
        ...newcomers.map((name) => react(name, thumbsUp, id)),
        react('ann', { emoji_name: 'tada' }, id),
      ]);
      const read = await queues.read();
      const events = read.ann ?? [];
      expect(events).toHaveLength(4);
      for (const name of newcomers) {
        const own = events.findIndex((event) => event['user_id'] === person(name).id);
        expect(read[name]).toEqual(events.slice(own));
      }
    }
  });

  test('a user who becomes a holder by a star gets later events too', async () => {
    for (let time = 0; time < 5; time += 1) {
      const id = await all.ann.client.sendToStream('Denmark', 'lunch', `star ${time}`);
      await queues.read();
      await Promise.all([
        person('cat').client.post('messages/flags', { messages: [id], op: 'add', flag: 'starred' }),
        react('ann', thumbsUp, id),
        react('bob', thumbsUp, id),
      ]);
      await react('dan', thumbsUp, id);
      const read = await queues.read();
      const cat = read.cat ?? [];
      const starred = cat.findIndex((event) => event['type'] === 'update_message_flags');
      expect(starred).toBe(0);
      // Cat's queue is the tail of Ann's: after the star nothing is missing.
      const events = read.ann ?? [];
      expect(cat.slice(1)).toEqual(events.slice(events.length - cat.length + 1));
    }
  });

  test('reactions concurrent with deletion leave nothing behind', async () => {
    for (let time = 0; time < 8; time += 1) {
      const id = await all.ann.client.sendToStream('Denmark', 'lunch', `doomed ${time}`);
      const answers = await outcomes([
        react('bob', thumbsUp, id),
        react('cat', { emoji_name: 'tada' }, id),
        all.ann.client.delete(`messages/${id}`),
        react('dan', thumbsUp, id),
        unreact('bob', thumbsUp, id),
      ]);
      expect(answers[2]).toBe('success');
      const { rows } = await all.pool.query<{ left: number }>({
        text: `SELECT (SELECT count(*) FROM reactions WHERE message_id = $1)
          + (SELECT count(*) FROM late_receipts WHERE message_id = $1)
          + (SELECT count(*) FROM message_flags WHERE message_id = $1)
          + (SELECT count(*) FROM read_exceptions WHERE message_id = $1) AS left`,
        values: [id],
      });
      expect(rows[0]?.left).toBe(0);
      expect((await refusalOf(react('ann', thumbsUp, id)))['msg']).toBe('Invalid message(s)');
    }
    await queues.read();
  });
});
