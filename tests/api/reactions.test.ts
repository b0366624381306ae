import { addRealmEmoji, deactivateRealmEmoji } from '@parley/store';
import { RefusedRequest } from '@parley/test-kit';
import type { JsonObject, Parameters, TestAccount } from '@parley/test-kit';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages, refusalOf } from './message-fixture.ts';
import type { MessageFixture } from './message-fixture.ts';
import { ReactionFixture, denmark, thumbsUp } from './reaction-fixture.ts';
import type { Name } from './reaction-fixture.ts';
import { success } from './refusals.ts';

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

async function refused(request: Promise<unknown>): Promise<unknown> {
  const refusal = await refusalOf(request);
  expect(refusal).toMatchObject({ status: 400, result: 'error', code: 'BAD_REQUEST' });
  return refusal['msg'];
}

const fetchedUser = (who: Name): unknown => ({
  id: person(who).id,
  email: person(who).email,
  full_name: person(who).user.fullName,
});
const reactionEvent = (who: Name, op: 'add' | 'remove', emoji: object, id = message): unknown => ({
  type: 'reaction',
  op,
  message_id: id,
  ...emoji,
  user: {
    user_id: person(who).id,
    email: person(who).email,
    full_name: person(who).user.fullName,
  },
  user_id: person(who).id,
});

/** Expects one event in the queues of these people, and in no others. */
async function expectEvent(event: unknown, at: readonly Name[]): Promise<void> {
  expect(await queues.read()).toEqual(Object.fromEntries(at.map((name) => [name, [event]])));
}

const fixture = useFixture(() => ReactionFixture.start());
beforeAll(async () => {
  ({ all, people, queues } = fixture);
});

beforeEach(async () => {
  message = await all.ann.client.sendToStream('Denmark', 'lunch', 'one');
});

describe('adding', () => {
  test('a reaction appears in fetched history and goes to all holders of the message, including the actor', async () => {
    expect(await react('bob', thumbsUp)).toEqual(success);
    await expectEvent(reactionEvent('bob', 'add', thumbsUp), denmark);
    for (const who of ['ann', 'cat'] as const)
      expect(await reactionsOf(who)).toEqual([
        { ...thumbsUp, user: fetchedUser('bob'), user_id: person('bob').id },
      ]);
  });

  test('the name is enough: custom emoji first, then the built-in extra one, then Unicode names', async () => {
    const named = async (name: string): Promise<unknown> => {
      await react('ann', { emoji_name: name });
      const { user: _user, user_id: _id, ...emoji } = (await reactionsOf('ann')).at(-1) ?? {};
      await unreact('ann', { emoji_name: name });
      return emoji;
    };
    expect(await named('tada')).toEqual({
      emoji_name: 'tada',
      emoji_code: '1f389',
      reaction_type: 'unicode_emoji',
    });
    expect(await named('zulip')).toEqual({
      emoji_name: 'zulip',
      emoji_code: 'zulip',
      reaction_type: 'zulip_extra_emoji',
    });
    expect(await named('parley')).toEqual({
      emoji_name: 'parley',
      emoji_code: fixture.customId,
      reaction_type: 'realm_emoji',
    });
    const shadow = await addRealmEmoji(all.pool, {
      name: 'wave',
      authorId: undefined,
      fileName: '2.png',
    });
    expect(await named('wave')).toEqual({
      emoji_name: 'wave',
      emoji_code: String(shadow),
      reaction_type: 'realm_emoji',
    });
    // With a type, the name means an emoji of that type, because bots send no code.
    await react('bob', { emoji_name: 'wave', reaction_type: 'unicode_emoji' });
    expect((await reactionsOf('ann')).at(-1)).toMatchObject({
      emoji_code: '1f44b',
      reaction_type: 'unicode_emoji',
    });
    await react('bob', { emoji_name: 'parley', reaction_type: 'realm_emoji' });
    await deactivateRealmEmoji(all.pool, 'wave');
    await queues.read();
  });

  test('an alias gets the name of the first reaction', async () => {
    await react('ann', thumbsUp);
    await react('bob', { emoji_name: 'thumbs_up' });
    await react('dan', { emoji_name: 'anything', emoji_code: '1f44d' });
    expect(await reactionsOf('ann')).toMatchObject(
      ['ann', 'bob', 'dan'].map((who) => ({ ...thumbsUp, user: { id: person(who as Name).id } })),
    );
    const events = (await queues.read()).bob ?? [];
    expect(events.map((event) => event['emoji_name'])).toEqual(['+1', '+1', '+1']);
  });

  test('a valid code with a foreign name is stored under the canonical name', async () => {
    for (const name of ['tada', '', 'x'.repeat(100_000)]) {
      await react('bob', { ...thumbsUp, emoji_name: name });
      await expectEvent(reactionEvent('bob', 'add', thumbsUp), denmark);
      await unreact('bob', { emoji_name: 'like' });
      await expectEvent(reactionEvent('bob', 'remove', thumbsUp), denmark);
    }
    const rabbit = { emoji_name: 'rabbit', emoji_code: '1f407', reaction_type: 'unicode_emoji' };
    await react('bob', rabbit);
    await expectEvent(reactionEvent('bob', 'add', rabbit), denmark);
  });

  test('a deactivated or renamed emoji can only be added to an existing reaction', async () => {
    const id = String(
      await addRealmEmoji(all.pool, { name: 'old', authorId: undefined, fileName: '3.png' }),
    );
    await react('ann', { emoji_name: 'old' });
    await deactivateRealmEmoji(all.pool, 'old');
    const byCode = { emoji_name: 'old', emoji_code: id, reaction_type: 'realm_emoji' };
    expect(await refused(react('bob', { emoji_name: 'old' }))).toBe("Emoji 'old' does not exist");
    await react('bob', byCode);
    await unreact('ann', byCode);
    await unreact('bob', { emoji_code: id, reaction_type: 'realm_emoji' });
    expect(await refused(react('bob', byCode))).toBe('This custom emoji has been deactivated.');
    await queues.read();
  });

  test('a repeat is refused: the same code, and the same name with another code', async () => {
    await react('bob', thumbsUp);
    for (const again of [thumbsUp, { emoji_name: '+1' }, { emoji_name: 'thumbs_up' }])
      expect(await refused(react('bob', again))).toBe('Reaction already exists.');
    const id = String(
      await addRealmEmoji(all.pool, { name: '+1', authorId: undefined, fileName: '4.png' }),
    );
    const shadow = { emoji_name: '+1', emoji_code: id, reaction_type: 'realm_emoji' };
    expect(await refused(react('bob', shadow))).toBe('Reaction already exists.');
    await react('dan', shadow);
    expect(await refused(react('bob', shadow))).toBe('Reaction already exists.');
    await deactivateRealmEmoji(all.pool, '+1');
    await queues.read();
  });

  const extra = (name: string, code: string): Parameters => ({
    emoji_name: name,
    emoji_code: code,
    reaction_type: 'zulip_extra_emoji',
  });
  const custom = (name: string, code?: string): Parameters => ({
    emoji_name: name,
    emoji_code: code,
    reaction_type: 'realm_emoji',
  });
  const noCode = 'Invalid emoji code.';
  const noCustom = 'Invalid custom emoji.';
  const noType = 'Invalid emoji type.';
  const unknown = (name: string): string => `Emoji '${name}' does not exist`;
  const named = { emoji_name: 'no_such_name', reaction_type: 'unicode_emoji' };
  const huge = { emoji_name: 'x'.repeat(100_000), emoji_code: 'ffffff' };

  const refusals: [string, Parameters, string][] = [
    ['an unknown name', { emoji_name: 'no such <b>' }, unknown('no such <b>')],
    ['an empty name', { emoji_name: '' }, unknown('')],
    ['an unknown name of a type', named, unknown('no_such_name')],
    ['an unknown code', { emoji_name: '+1', emoji_code: 'ffffff' }, noCode],
    ['an empty code', { emoji_name: '+1', emoji_code: '' }, noCode],
    ['a code in upper case', { emoji_name: '+1', emoji_code: '1F44D' }, noCode],
    ['another extra emoji', extra('zulip', 'other'), noCode],
    ['the extra emoji by another name', extra('tada', 'zulip'), 'Invalid emoji name.'],
    ['no such custom emoji', custom('parley', '99999'), noCustom],
    ['a custom code that is no id', custom('parley', '1'.repeat(300)), noCustom],
    ['a Unicode name as custom emoji', custom('tada'), noCustom],
    ['an unknown type', { ...thumbsUp, reaction_type: 'emoji' }, noType],
    ['an unknown type by name', { emoji_name: '+1', reaction_type: '__proto__' }, noType],
    ['an unknown code of a huge name', huge, noCode],
  ];
  test.each(refusals)('%s is refused', async (_name, parameters, msg) => {
    expect(await refused(react('bob', parameters))).toBe(msg);
    expect(await reactionsOf('ann')).toEqual([]);
  });

  test('a custom emoji with another name is refused', async () => {
    const byTada = react('bob', custom('tada', fixture.customId));
    expect(await refused(byTada)).toBe('Invalid custom emoji name.');
    const padded = react('bob', custom('parley', `0${fixture.customId}`));
    expect(await refused(padded)).toBe(noCustom);
  });
});

describe('removing', () => {
  test('by name, by code and in the query; the event has the stored name', async () => {
    for (const parameters of [{ emoji_name: 'thumbs_up' }, { emoji_code: '1f44d' }, thumbsUp]) {
      await react('bob', thumbsUp);
      await queues.read();
      expect(await unreact('bob', parameters)).toEqual(success);
      await expectEvent(reactionEvent('bob', 'remove', thumbsUp), denmark);
      expect(await reactionsOf('ann')).toEqual([]);
    }
    await react('bob', thumbsUp);
    const inQuery = await person('bob').client.withoutChecks(
      'DELETE',
      `messages/${message}/reactions?emoji_name=%2B1`,
    );
    expect(JSON.parse(inQuery.text)).toEqual(success);
    await react('bob', thumbsUp);
    const overridden = await person('bob').client.post(`messages/${message}/reactions`, {
      method: 'DELETE',
      emoji_name: '+1',
    });
    expect(overridden).toEqual(success);
    await queues.read();
  });

  test('a stored name is removed by that name, even if it has another meaning or none now', async () => {
    const store = (userId: number, name: string): Promise<unknown> =>
      all.pool.query(
        `INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name) VALUES ($1, $2, 'unicode_emoji', '1f430', $3)`,
        [message, userId, name],
      );
    for (const name of ['rabbit', 'rabbit_face_of_old']) {
      await store(person('bob').id, name);
      const stored = { emoji_name: name, emoji_code: '1f430', reaction_type: 'unicode_emoji' };
      await unreact('bob', { emoji_name: name });
      await expectEvent(reactionEvent('bob', 'remove', stored), denmark);
      await store(person('bob').id, name);
      // Others can add the same reaction under its stored name; it can be removed by its code or by a current name.
      await react('ann', { ...stored, emoji_name: 'bunny' });
      await expectEvent(reactionEvent('ann', 'add', stored), denmark);
      await unreact('bob', { emoji_code: '1f430' });
      await unreact('ann', { emoji_name: 'bunny' });
      expect(await reactionsOf('ann')).toEqual([]);
      await queues.read();
    }
  });

  test('a missing reaction, or one by somebody else, is refused', async () => {
    await react('ann', thumbsUp);
    for (const parameters of [thumbsUp, { emoji_name: 'tada' }, { emoji_code: 'nonsense' }])
      expect(await refused(unreact('bob', parameters))).toBe("Reaction doesn't exist.");
    expect(await refused(unreact('ann', { ...thumbsUp, reaction_type: 'realm_emoji' }))).toBe(
      "Reaction doesn't exist.",
    );
    expect(await refused(unreact('bob', {}))).toBe(
      'At least one of the following arguments must be present: emoji_name, emoji_code',
    );
    expect(await refused(unreact('bob', { emoji_name: 'no_such_name' }))).toBe(
      "Emoji 'no_such_name' does not exist",
    );
    await queues.read();
  });
});

describe('permission and events', () => {
  test('a member who reacts to a visible message becomes a holder, as read and historical', async () => {
    await react('cat', thumbsUp);
    await expectEvent(reactionEvent('cat', 'add', thumbsUp), [...denmark, 'cat']);
    const { messages } = await fetchMessages(person('cat'));
    expect(messages.find(({ id }) => id === message)?.flags).toEqual(['read', 'historical']);
    await react('ann', { emoji_name: 'tada' });
    await unreact('cat', { emoji_name: '+1' });
    const later = (await queues.read()).cat ?? [];
    expect(later.map((event) => event['op'])).toEqual(['add', 'remove']);
    // The user holds the message even after removing the reaction.
    expect((await fetchMessages(person('cat'))).ids).toContain(message);
  });

  test('a generic bot becomes a holder like a person, and an outgoing one does not', async () => {
    await react('bot', thumbsUp);
    await expectEvent(reactionEvent('bot', 'add', thumbsUp), [...denmark, 'bot']);
    for (const who of ['outgoing bot', 'subscribed outgoing bot'] as const) {
      await react(who, thumbsUp);
      await expectEvent(reactionEvent(who, 'add', thumbsUp), [...denmark, 'bot']);
    }
  });

  test('a former subscriber of a public stream keeps received messages; a guest among them sees nothing newer', async () => {
    const { organization } = all;
    const left = await organization.makeAccount(`Left Guest ${message}`, { role: 'guest' });
    const stream = await organization.makeStream(`leaving ${message}`, [all.ann, left]);
    const before = await all.ann.client.sendToStream(stream.name, 'x', 'before');
    await all.ann.client.unsubscribe(stream.name, { principals: [left.email] });
    const after = await all.ann.client.sendToStream(stream.name, 'x', 'after');
    expect(await left.client.post(`messages/${before}/reactions`, thumbsUp)).toEqual(success);
    for (const id of [after, message])
      expect(await refused(left.client.post(`messages/${id}/reactions`, thumbsUp))).toBe(
        'Invalid message(s)',
      );
  });

  test('private streams: members as far as their history reaches, and nobody else, not even administrators', async () => {
    const { organization, bob } = all;
    for (const historyPublicToSubscribers of [false, true]) {
      const stream = await organization.makeStream(
        `secret ${message} ${historyPublicToSubscribers}`,
        [bob],
        { inviteOnly: true, historyPublicToSubscribers },
      );
      const early = await bob.client.sendToStream(stream.name, 'x', 'early');
      await organization.maker.subscribe(stream.id, [person('dan').id]);
      const late = await bob.client.sendToStream(stream.name, 'x', 'late');
      await queues.read();
      await react('dan', thumbsUp, late);
      await expectEvent(reactionEvent('dan', 'add', thumbsUp, late), ['bob', 'dan']);
      if (historyPublicToSubscribers) {
        await react('dan', thumbsUp, early);
        await expectEvent(reactionEvent('dan', 'add', thumbsUp, early), ['bob', 'dan']);
      } else {
        expect(await refused(react('dan', thumbsUp, early))).toBe('Invalid message(s)');
      }
      for (const who of ['ann', 'cat', 'guest', 'bot', 'eve', 'outgoing bot'] as const)
        for (const change of [react, unreact])
          expect(await refused(change(who, thumbsUp, late))).toBe('Invalid message(s)');
      await bob.client.unsubscribe(stream.name);
      for (const change of [react, unreact])
        expect(await refused(change('bob', thumbsUp, late))).toBe('Invalid message(s)');
    }
  });

  test('private messages: only participants', async () => {
    const pair = await all.ann.client.sendPrivately([person('guest').email], 'hi');
    await queues.read();
    await react('guest', thumbsUp, pair);
    await expectEvent(reactionEvent('guest', 'add', thumbsUp, pair), ['ann', 'guest']);
    for (const who of ['bob', 'bot', 'outgoing bot', 'member guest'] as const)
      for (const change of [react, unreact])
        expect(await refused(change(who, thumbsUp, pair))).toBe('Invalid message(s)');
  });
});

describe('at the same moment', () => {
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
        person('cat').client.flag([id], 'starred'),
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
