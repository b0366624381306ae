import { expect, test } from 'vitest';

import { makeState } from '../../tests/make-state.ts';
import { noTopic } from './message-actions.ts';
import { mayRenameTopic } from './policies.ts';

const open = {
  realm_allow_message_editing: true,
  realm_allow_community_topic_editing: true,
};
const ofAdministrators = { ...open, realm_allow_community_topic_editing: false };

test.each([
  ['everybody, if the organization allows it', open, 'roses', true],
  [
    'nobody where messages stay as they are',
    { ...open, realm_allow_message_editing: false },
    'roses',
    false,
  ],
  ['administrators only, if others may not', ofAdministrators, 'roses', false],
  ['administrators', { ...ofAdministrators, is_admin: true }, 'roses', true],
  ['everybody, of messages without a topic', ofAdministrators, noTopic, true],
])('a topic is renamed by %s', (_, rest, topic, may) => {
  expect(mayRenameTopic(makeState({}, rest), topic)).toBe(may);
});
