import { ApiClient } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { FollowedQueue } from './follow-queue.ts';
import { expectRefusal, success } from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';

const organization = useFixture(() =>
  startSmallOrganization({ events: 2, presence: 1, subscriptions: 0 }),
);

const as = (who?: PersonKey): ApiClient => organization.client(who);
const id = (who: PersonKey): number => organization.id(who);
const person = (who: PersonKey): object => ({
  user_id: id(who),
  email: organization.accounts[who].user.email,
});

function expectTyping(
  event: JsonObject | undefined,
  op: string,
  sender: PersonKey,
  others: readonly PersonKey[],
): void {
  expect(event).toEqual({
    type: 'typing',
    op,
    sender: person(sender),
    recipients: expect.arrayContaining([sender, ...others].map(person)) as unknown,
  });
  expect(event?.['recipients']).toHaveLength(others.length + 1);
}

describe('POST typing', () => {
  test('sends events to recipients and sender only, whatever the form of the recipients', async () => {
    const queues = Object.fromEntries(
      await Promise.all(
        (['ann', 'bob', 'cat', 'gil', 'bobBot'] as const).map(
          async (who) =>
            [who, await FollowedQueue.open(as(who), { event_types: ['typing'] })] as const,
        ),
      ),
    ) as Record<PersonKey, FollowedQueue>;
    const forms: readonly [to: unknown, others: readonly PersonKey[]][] = [
      [[id('bob')], ['bob']],
      [
        [id('bob'), id('gil'), id('bob')],
        ['bob', 'gil'],
      ],
      [
        ['bob@example.com', 'GIL@example.com'],
        ['bob', 'gil'],
      ],
      ['bob@example.com, gil@example.com,bob@example.com', ['bob', 'gil']],
      ['"bob@example.com"', ['bob']],
      [[id('bob'), id('ann')], ['bob']],
    ];
    for (const [to, others] of forms)
      for (const op of ['start', 'stop']) {
        expect(await as('ann').post('typing', { op, to })).toEqual(success);
        for (const who of ['ann', ...others] as const) {
          const [event, ...more] = await queues[who].next(1);
          expectTyping(event, op, 'ann', others);
          expect(more).toEqual([]);
        }
      }
    // An event to a wrong recipient would arrive before this one.
    await as('cat').post('typing', { op: 'start', to: [id('gil'), id('bobBot')] });
    for (const who of ['cat', 'gil', 'bobBot'] as const) {
      const [event, ...more] = await queues[who].next(1);
      expectTyping(event, 'start', 'cat', ['gil', 'bobBot']);
      expect(more).toEqual([]);
    }
  });

  test('guests and bots may send it, also to themselves', async () => {
    const position = await organization.position();
    const ann = await FollowedQueue.open(as('ann'), { event_types: ['typing'] });
    const gil = await FollowedQueue.open(as('gil'), { event_types: ['typing'] });
    expect(await as('bobBot').post('typing', { op: 'start', to: [id('ann')] })).toEqual(success);
    expectTyping((await ann.next(1))[0], 'start', 'bobBot', ['ann']);
    expect(await as('gil').post('typing', { op: 'start', to: [id('gil')] })).toEqual(success);
    expectTyping((await gil.next(1))[0], 'start', 'gil', []);
    const kinds = (await organization.entriesAfter(position)).map(({ kind }) => kind);
    expect(kinds.every((kind) => kind === 'change' || kind === 'tick')).toBe(true);
  });

  test('concurrent notices share a few entries, in order', async () => {
    const bob = await FollowedQueue.open(as('bob'), { event_types: ['typing'] });
    const position = await organization.position();
    await Promise.all(
      Array.from({ length: 30 }, () => as('ann').post('typing', { op: 'start', to: [id('bob')] })),
    );
    expect(await bob.next(30)).toHaveLength(30);
    expect((await organization.entriesAfter(position)).length).toBeLessThan(20);
  });

  test.each([
    [{ op: 'foo' }, "Missing parameter: 'to' (recipient)"],
    [{ op: 'start' }, "Missing parameter: 'to' (recipient)"],
    [{ op: 'start', to: '' }, "Missing parameter: 'to' (recipient)"],
    [{ op: 'start', to: ' , ' }, "Missing parameter: 'to' (recipient)"],
    [{ op: 'start', to: '[]' }, "Missing parameter: 'to' (recipient)"],
    [{ op: 'start', to: 'null' }, "Missing parameter: 'to' (recipient)"],
    [{ op: 'foo', to: 'nobody@example.com' }, "Invalid 'op' value (should be start or stop)"],
    [{ op: '', to: 'nobody@example.com' }, "Invalid 'op' value (should be start or stop)"],
    [
      { op: 'start', to: 'bob@example.com,nobody@example.com' },
      "Invalid email 'nobody@example.com'",
    ],
    [{ op: 'start', to: '["a\\u0000b"]' }, "Invalid email 'a\0b'"],
    [{ op: 'start', to: '["\\ud800"]' }, "Invalid email '\ufffd'"],
    [
      { op: 'start', to: JSON.stringify(Array.from({ length: 101 }, (_, n) => 99_999 + n)) },
      'Too many recipients',
    ],
    [{ op: 'start', to: '[99999]' }, 'Invalid user ID 99999'],
    [{ op: 'start', to: '[9007199254740991]' }, 'Invalid user ID 9007199254740991'],
    [{ op: 'start', to: '[-1]' }, 'Invalid user ID -1'],
  ])('refuses %o', async (parameters, msg) => {
    await expectRefusal(as('ann').post('typing', parameters), msg);
  });

  test('refuses deactivated recipients', async () => {
    const { person: fay } = await organization.makePersonWithBot('fay');
    await as('ann').delete(`users/${fay.user.id}`);
    for (const to of [[fay.user.id], ['fay@example.com'], [id('bob'), fay.user.id]])
      await expectRefusal(
        as('ann').post('typing', { op: 'start', to }),
        "'fay@example.com' is no longer using Parley.",
      );
  });
});
