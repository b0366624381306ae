import { readObjects } from '@parley/test-kit';
import { beforeAll, expect, test } from 'vitest';

import { anyNumber } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';

const organization = useFixture(() => startSmallOrganization({ people: 0, presence: 0 }));
beforeAll(async () => {
  const subscribe = async (who: PersonKey, name: string, more: object = {}): Promise<void> => {
    await organization.client(who).subscribe(name, { ...more });
  };
  await subscribe('bob', 'design', { principals: ['bob@example.com', 'gil@example.com'] });
  await subscribe('bob', 'Zoo');
  await subscribe('bob', 'board', { invite_only: true });
  await subscribe('cat', 'lunch');
  await subscribe('cat', 'plans', { invite_only: true });
  // A public stream without subscribers is listed too.
  await subscribe('cat', 'empty');
  await organization.client('cat').unsubscribe('empty');
  await organization.pool.query({
    text: "UPDATE streams SET is_default = true WHERE name IN ('lunch', 'plans')",
  });
});

async function namesFor(who: PersonKey, flags: Record<string, boolean> = {}): Promise<unknown[]> {
  const answer = await organization.client(who).get('streams', flags);
  return readObjects(answer, 'streams').map((stream) => stream['name']);
}

test('lists public and subscribed streams, upper case first', async () => {
  expect(await namesFor('bob')).toEqual(['Zoo', 'board', 'design', 'empty', 'lunch']);
  expect(await namesFor('cat')).toEqual(['Zoo', 'design', 'empty', 'lunch', 'plans']);
});

test('returns every stream with nine fields', async () => {
  const streams = readObjects(await organization.client('bob').get('streams'), 'streams');
  expect(streams[1]).toEqual({
    name: 'board',
    stream_id: anyNumber,
    description: '',
    rendered_description: '',
    invite_only: true,
    is_web_public: false,
    is_announcement_only: false,
    history_public_to_subscribers: false,
    // The notice about its creation.
    first_message_id: anyNumber,
  });
});

test('an administrator sees private streams of others only with include_all_active', async () => {
  expect(await namesFor('ann')).toEqual(['Zoo', 'design', 'empty', 'lunch']);
  expect(await namesFor('ann', { include_all_active: true })).toEqual([
    'Zoo',
    'board',
    'design',
    'empty',
    'lunch',
    'plans',
  ]);
});

test('include_all_active is refused for others', async () => {
  const { status, body } = await organization
    .client('bob')
    .request('GET', 'streams', { include_all_active: true });
  expect(status).toBe(400);
  expect(body).toEqual({
    result: 'error',
    msg: 'User not authorized for this query',
    code: 'BAD_REQUEST',
  });
});

test('without a source the list is empty', async () => {
  const none = { include_public: false, include_subscribed: false };
  expect(await namesFor('bob', none)).toEqual([]);
  expect(await namesFor('bob', { include_public: false })).toEqual(['Zoo', 'board', 'design']);
  expect(await namesFor('bob', { include_subscribed: false })).toEqual([
    'Zoo',
    'design',
    'empty',
    'lunch',
  ]);
});

test('a guest gets only subscribed streams', async () => {
  expect(await namesFor('gil')).toEqual(['design']);
  expect(await namesFor('gil', { include_subscribed: false, include_default: true })).toEqual([]);
});

test('include_default adds accessible default streams, and is_default', async () => {
  const flags = { include_public: false, include_subscribed: false, include_default: true };
  expect(await namesFor('bob', flags)).toEqual(['lunch']);
  expect(await namesFor('cat', flags)).toEqual(['lunch', 'plans']);
  const all = readObjects(
    await organization.client('cat').get('streams', { include_default: true }),
    'streams',
  );
  expect(all.map((stream) => stream['is_default'])).toEqual([false, false, false, true, true]);
});

test("a bot may add its owner's streams; for people that has no effect", async () => {
  expect(await namesFor('bobBot')).toEqual(['Zoo', 'design', 'empty', 'lunch']);
  expect(await namesFor('bobBot', { include_owner_subscribed: true })).toContain('board');
  expect(await namesFor('bob', { include_owner_subscribed: true })).toEqual(await namesFor('bob'));
});
