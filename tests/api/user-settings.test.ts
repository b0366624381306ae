import { readObjects } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';
import { describe, expect, test } from 'vitest';

import { textMatching } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { expectRefusal, success, uncoded } from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';
import { WatchedQueues, watchEveryKind } from './watched-queues.ts';

type StatusRequest = {
  readonly away?: boolean;
  readonly status_text?: string;
  readonly ends_at?: number;
};

const organization = useFixture(() => startSmallOrganization({ events: 1 }));

const as = (who?: PersonKey): ApiClient => organization.client(who);

describe('PATCH settings/display and settings/notifications', () => {
  test('checklist 55: answers and events for settings contain only changes', async () => {
    const queues = await watchEveryKind(organization);
    const display = {
      night_mode: true,
      dense_mode: true,
      enable_drafts_synchronization: true,
      emojiset: '"twitter"',
      default_language: 'de',
    };
    expect(await as('bob').patch('settings/display', display)).toEqual({
      ...success,
      default_language: 'de',
      emojiset: 'twitter',
      night_mode: true,
    });
    expect(await as('bob').patch('settings/display', display)).toEqual(success);
    expect(await as('bob').patch('settings/display')).toEqual(success);
    expect(
      await as('bob').patch('settings/notifications', {
        enable_sounds: false,
        enable_desktop_notifications: true,
        notification_sound: 'ding',
        desktop_icon_count_display: 3,
      }),
    ).toEqual({
      ...success,
      notification_sound: 'ding',
      enable_sounds: false,
      desktop_icon_count_display: 3,
    });
    const shown = (name: string, setting: unknown, more: object = {}): object => ({
      type: 'update_display_settings',
      user: 'bob@example.com',
      setting_name: name,
      setting,
      ...more,
    });
    const notified = (name: string, setting: unknown): object => ({
      type: 'update_global_notifications',
      user: 'bob@example.com',
      notification_name: name,
      setting,
    });
    expect(await queues.step()).toEqual({
      ann: [],
      gil: [],
      bobBot: [],
      bob: [
        shown('night_mode', true),
        shown('default_language', 'de', { language_name: 'Deutsch' }),
        shown('emojiset', 'twitter'),
        notified('notification_sound', 'ding'),
        notified('enable_sounds', false),
        notified('desktop_icon_count_display', 3),
      ],
    });
    const state = await as('bob').post('register', {
      fetch_event_types: ['update_display_settings', 'update_global_notifications'],
    });
    expect(state).toMatchObject({
      night_mode: true,
      dense_mode: true,
      enable_drafts_synchronization: true,
      emojiset: 'twitter',
      default_language: 'de',
      enable_sounds: false,
      notification_sound: 'ding',
      available_notification_sounds: ['ding', 'zulip'],
      emojiset_choices: [
        { key: 'google', text: 'Google modern' },
        { key: 'google-blob', text: 'Google classic' },
        { key: 'twitter', text: 'Twitter' },
        { key: 'text', text: 'Plain text' },
      ],
    });
  });

  test("a new time zone is announced to everybody, after the account's own event", async () => {
    const queues = await watchEveryKind(organization);
    expect(await as('gil').patch('settings/display', { timezone: '"Europe/Lisbon"' })).toEqual({
      ...success,
      timezone: 'Europe/Lisbon',
    });
    const person = {
      user_id: organization.id('gil'),
      email: 'gil@example.com',
      timezone: 'Europe/Lisbon',
    };
    const everybody = { type: 'realm_user', op: 'update', person };
    const own = {
      type: 'update_display_settings',
      user: 'gil@example.com',
      setting_name: 'timezone',
      setting: 'Europe/Lisbon',
    };
    expect(await queues.step()).toEqual({
      ann: [everybody],
      bob: [everybody],
      bobBot: [everybody],
      gil: [own, everybody],
    });
  });

  test("checklist 56: an unknown time zone gives `Invalid timezone '…'`", async () => {
    for (const timezone of ['Mars/Olympus', '', '"+02:00"'])
      await expectRefusal(
        as('bob').patch('settings/display', { timezone }),
        `Invalid timezone '${timezone.replaceAll('"', '')}'`,
      );
  });

  test.each([
    ['display', { default_language: 'klingon' }, "Invalid language 'klingon'"],
    ['display', { default_language: 'EN' }, "Invalid language 'EN'"],
    ['display', { default_language: 'pt_BR' }, "Invalid language 'pt_BR'"],
    ['display', { default_language: '"zh_Hans"' }, "Invalid language 'zh_Hans'"],
    ['display', { emojiset: 'apple' }, "Invalid emojiset 'apple'"],
    ['display', { demote_inactive_streams: 4 }, "Invalid setting value '4'"],
    ['notifications', { notification_sound: 'gong' }, "Invalid notification sound 'gong'"],
    [
      'notifications',
      { email_notifications_batching_period_seconds: 4 },
      'Invalid email batching period: 4 seconds',
    ],
    [
      'notifications',
      { email_notifications_batching_period_seconds: 86_401 },
      'Invalid email batching period: 86401 seconds',
    ],
  ])('settings/%s refuses (%#)', async (group, change, msg) => {
    await expectRefusal(as('bob').patch(`settings/${group}`, change), msg);
  });

  test('a refused setting leaves the others unchanged', async () => {
    await as('bob').request('PATCH', 'settings/display', {
      high_contrast_mode: true,
      emojiset: 'x',
    });
    expect(
      await as('bob').post('register', { fetch_event_types: ['update_display_settings'] }),
    ).toMatchObject({ high_contrast_mode: false });
  });
});

test('enter-sends is on until it is chosen, is stored and sends no event', async () => {
  const queues = await watchEveryKind(organization);
  const registered = () => as('bob').post('register', { fetch_event_types: ['realm_user'] });
  expect(await registered()).toMatchObject({ enter_sends: true });
  expect(await as('bob').post('users/me/enter-sends', { enter_sends: false })).toEqual(success);
  expect((await queues.step()).bob).toEqual([]);
  expect(await registered()).toMatchObject({ enter_sends: false });
});

test('tips follow one another until the tour is success, also for clients that did not request them', async () => {
  const next = async (who: PersonKey): Promise<unknown> => {
    const state = await as(who).post('register', { fetch_event_types: ['hotspots'] });
    return readObjects(state, 'hotspots');
  };
  const see = (hotspot: string, who: PersonKey = 'gil'): Promise<JsonObject> =>
    as(who).post('users/me/hotspots', { hotspot });
  const shown = (name: string): unknown => [
    { name, title: textMatching(/./), description: textMatching(/./), delay: 0.5 },
  ];
  expect(await next('gil')).toEqual(shown('intro_reply'));
  const queues = await watchEveryKind(organization);
  const nextEvents = async (): Promise<unknown> => {
    const { gil, ...others } = await queues.step();
    for (const events of Object.values(others)) expect(events).toEqual([]);
    return gil.map(({ type, hotspots }) => [type, hotspots]);
  };
  // One out of order, and one as JSON text, as older clients send it.
  expect(await see('intro_streams')).toEqual(success);
  expect(await nextEvents()).toEqual([['hotspots', shown('intro_reply')]]);
  expect(await see('"intro_reply"')).toEqual(success);
  expect(await nextEvents()).toEqual([['hotspots', shown('intro_topics')]]);
  expect(await next('gil')).toEqual(shown('intro_topics'));
  expect(await see('intro_reply')).toEqual(success);
  expect(await nextEvents()).toEqual([]);
  for (const hotspot of ['intro_topics', 'intro_gear']) await see(hotspot);
  expect(await next('gil')).toEqual(shown('intro_compose'));
  await see('intro_compose');
  expect((await nextEvents()) as unknown[]).toHaveLength(3);
  expect(await next('gil')).toEqual([]);
  expect(await next('cat')).toEqual(shown('intro_reply'));
  expect(await next('bobBot')).toEqual([]);
  for (const unknown of ['intro_nothing', '', '__proto__'])
    await expectRefusal(
      as('gil').post('users/me/hotspots', { hotspot: unknown }),
      uncoded(`Unknown hotspot: ${unknown}`),
    );
});

describe('PATCH settings', () => {
  test('a new name is returned and announced to everybody', async () => {
    const queues = await watchEveryKind(organization);
    expect(await as('bob').patch('settings', { full_name: '  Bob R. Ray ' })).toEqual({
      ...success,
      full_name: 'Bob R. Ray',
    });
    expect(await as('bob').patch('settings', { full_name: 'Bob R. Ray' })).toEqual(success);
    const person = {
      user_id: organization.id('bob'),
      email: 'bob@example.com',
      full_name: 'Bob R. Ray',
    };
    const event = { type: 'realm_user', op: 'update', person };
    expect(await queues.shared()).toEqual([event]);
  });

  test('a new password requires the old one and strength, and works at once', async () => {
    const patch = (change: object): Promise<unknown> => as('bob').patch('settings', { ...change });
    const signIn = async (password: string): Promise<number> =>
      (await as().request('POST', 'fetch_api_key', { username: 'bob@example.com', password }))
        .status;
    const wanted = 'low tide at the third pier';
    await expectRefusal(patch({ new_password: wanted }), uncoded('Wrong password!'));
    await expectRefusal(
      patch({ new_password: wanted, old_password: 'bob-secrex' }),
      uncoded('Wrong password!'),
    );
    await expectRefusal(
      patch({ new_password: 'password', old_password: 'bob-secret' }),
      uncoded('New password is too weak!'),
    );
    // If the name is refused, the password does not change either.
    await expectRefusal(
      patch({ new_password: wanted, old_password: 'bob-secret', full_name: 'x' }),
      'Name too short!',
    );
    expect(await signIn('bob-secret')).toBe(200);
    expect(await patch({ new_password: wanted, old_password: 'bob-secret' })).toEqual(success);
    expect(await signIn('bob-secret')).toBe(403);
    expect(await signIn(wanted)).toBe(200);
    // A user without a password cannot prove to know it.
    await expectRefusal(
      as('cat').patch('settings', { new_password: wanted }),
      uncoded('Wrong password!'),
    );
  });

  test('refusals', async () => {
    const patch = (change: object): Promise<unknown> => as('bob').patch('settings', { ...change });
    await expectRefusal(patch({}), uncoded('Please fill out all fields.'));
    await expectRefusal(patch({ old_password: 'x' }), uncoded('Please fill out all fields.'));
    expect(await patch({ email: ' bob@example.com ' })).toEqual(success);
    await expectRefusal(patch({ full_name: 'a@b' }), 'Invalid characters in name!');
  });

  test('if names may not be changed, members are ignored and administrators are not', async () => {
    await organization.pool.query(`UPDATE realm SET settings = '{"name_changes_disabled": true}'`);
    expect(await as('bob').patch('settings', { full_name: 'Robert Ray' })).toEqual(success);
    expect(await as('ann').patch('settings', { full_name: 'Ann B. Lee' })).toMatchObject({
      full_name: 'Ann B. Lee',
    });
    await organization.pool.query("UPDATE realm SET settings = '{}'");
  });
});

describe('POST users/me/status', () => {
  test('everybody gets only what the request set, and register lists non-empty statuses', async () => {
    const queues = await watchEveryKind(organization);
    const userId = organization.id('bob');
    expect(await as('bob').post('users/me/status', { away: true })).toEqual(success);
    await as('bob').post('users/me/status', { status_text: '  at lunch ' });
    await as('gil').post('users/me/status', { away: false, status_text: 'here' });
    await as('gil').post('users/me/status', { status_text: '' });
    const events = [
      { type: 'user_status', user_id: userId, away: true },
      { type: 'user_status', user_id: userId, status_text: 'at lunch' },
      { type: 'user_status', user_id: organization.id('gil'), away: false, status_text: 'here' },
      { type: 'user_status', user_id: organization.id('gil'), status_text: '' },
    ];
    expect(await queues.shared()).toEqual(events);
    const { user_status: statuses } = await as('ann').post('register', {
      fetch_event_types: ['user_status'],
    });
    // The change of the text did not affect "away".
    expect(statuses).toMatchObject({ [userId]: { away: true, status_text: 'at lunch' } });
    expect(statuses).not.toHaveProperty(String(organization.id('gil')));
  });

  describe('with an end', () => {
    const nowMs = (): number => organization.cluster.settings.clock.nowMs();
    const inSecs = (secs: number): number => Math.floor(nowMs() / 1_000) + secs;
    const post = (change: object): Promise<unknown> =>
      as('bob').post('users/me/status', { ...change });
    const changeOf = (change: object): object => ({
      type: 'user_status',
      user_id: organization.id('bob'),
      ...change,
    });
    const statusOfBob = async (): Promise<unknown> => {
      const { user_status: statuses } = await as('ann').post('register', {
        fetch_event_types: ['user_status'],
      });
      return (statuses as JsonObject)[organization.id('bob')];
    };

    test('it ends then and not before, for everybody by the event of a change', async () => {
      await post({ away: false, status_text: '' });
      const queues = await watchEveryKind(organization);
      const endsAt = inSecs(20);
      await post({ away: true, status_text: 'at lunch', ends_at: endsAt });
      await queues.shared();
      await organization.cluster.advance(endsAt * 1_000 - 1 - nowMs());
      expect(await queues.shared()).toEqual([]);
      expect(await statusOfBob()).toEqual({ away: true, status_text: 'at lunch' });
      await organization.cluster.advance(1);
      expect(await queues.shared()).toEqual([changeOf({ away: false, status_text: '' })]);
      expect(await statusOfBob()).toBeUndefined();
    });

    test.each([
      ['another text has no end', { status_text: 'here' }, { status_text: 'here' }, []],
      ['what was cleared before does not end', { status_text: '' }, undefined, []],
      [
        'away alone ends with the text',
        { away: true },
        undefined,
        [{ away: false, status_text: '' }],
      ],
      ['an end alone with away moves it', { away: false, ends_at: 20 }, { status_text: 'out' }, []],
    ])('%s', async (_name, { ends_at: laterSecs, ...change }: StatusRequest, left, ends) => {
      await post({ away: false, status_text: '' });
      const queues = await watchEveryKind(organization);
      await post({ status_text: 'out', ends_at: inSecs(10) });
      await post({ ...change, ...(laterSecs !== undefined && { ends_at: inSecs(laterSecs) }) });
      await queues.shared();
      await organization.cluster.advance(10_000);
      expect(await queues.shared()).toEqual(ends.map(changeOf));
      expect(await statusOfBob()).toEqual(left);
    });

    test('that of a deactivated account ends without an event, and does not come back', async () => {
      await post({ status_text: 'out', ends_at: inSecs(10) });
      await as('ann').delete(`users/${organization.id('bob')}`);
      const queues = await WatchedQueues.open({ ann: as('ann'), gil: as('gil') }, as('cat'));
      await organization.cluster.advance(10_000);
      expect(await queues.shared()).toEqual([]);
      await as('ann').post(`users/${organization.id('bob')}/reactivate`);
      expect(await statusOfBob()).toBeUndefined();
    });

    test('it must be in the future', async () => {
      await post({ status_text: 'out' });
      await expectRefusal(
        post({ status_text: 'late', ends_at: inSecs(0) }),
        'Time must be in the future.',
      );
      expect(await statusOfBob()).toEqual({ status_text: 'out' });
    });
  });

  test('refusals', async () => {
    const post = (change: object): Promise<unknown> =>
      as('bob').post('users/me/status', { ...change });
    await expectRefusal(
      post({ ends_at: 4_294_967_295 }),
      uncoded('Client did not pass any new values.'),
    );
    await expectRefusal(post({}), uncoded('Client did not pass any new values.'));
    await expectRefusal(
      post({ status_text: 'x'.repeat(61) }),
      'status_text is too long (limit: 60 characters)',
    );
    await expectRefusal(
      post({ status_text: `${' '.repeat(58)}abc` }),
      'status_text is too long (limit: 60 characters)',
    );
    expect(await post({ status_text: '🚢'.repeat(60) })).toEqual(success);
  });
});
