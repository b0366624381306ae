import { expect, test } from 'vitest';

import { checkSettings, isTimeZone } from './own-settings.ts';

test.each([
  'Europe/Berlin',
  'America/Argentina/Ushuaia',
  'US/Eastern',
  'UTC',
  'Asia/Calcutta',
  'Asia/Kolkata',
  'Europe/Kyiv',
  'EST5EDT',
])('%s is a time zone', (name) => expect(isTimeZone(name)).toBe(true));

test.each([
  '',
  'Mars/Olympus',
  '+01:00',
  'europe/berlin',
  'us/eastern',
  'US/EASTERN',
  '../../etc/passwd',
  'Europe/Berlin ',
])('%j is not a time zone', (name) => expect(isTimeZone(name)).toBe(false));

test.each([
  [{ default_language: 'xx' }, "Invalid language 'xx'"],
  [{ timezone: 'Nowhere' }, "Invalid timezone 'Nowhere'"],
  [{ emojiset: 'apple' }, "Invalid emojiset 'apple'"],
  [{ demote_inactive_streams: 4 }, "Invalid setting value '4'"],
  [{ notification_sound: 'gong' }, "Invalid notification sound 'gong'"],
])('%j is refused', (change, msg) => {
  expect(() => checkSettings(change)).toThrow(msg);
});

test('known values are accepted', () => {
  expect(() =>
    checkSettings({
      default_language: 'zh-hans',
      timezone: 'Asia/Tokyo',
      emojiset: 'text',
      demote_inactive_streams: 3,
      notification_sound: 'ding',
    }),
  ).not.toThrow();
});
