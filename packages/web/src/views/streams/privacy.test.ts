import { expect, test } from 'vitest';

import type { Stream } from '../../data/state.ts';
import { listed } from '../settings/fields.ts';
import { privacies, privacyOf } from './privacy.ts';

const stream: Stream = {
  name: 'boatyard',
  stream_id: 5,
  description: '',
  rendered_description: '',
  invite_only: false,
  is_web_public: false,
  is_announcement_only: false,
  history_public_to_subscribers: true,
  first_message_id: null,
};

test.each(Object.entries(privacies))('a stream made as %s is shown as that', (name, parameters) => {
  expect(privacyOf({ ...stream, ...parameters })).toBe(name);
});

test('a new stream is public unless somebody chooses otherwise', () => {
  expect(listed('privacy').initial).toBe('public');
});
