import { audienceKey, logEntryVersion } from '@parley/event-log';
import { expect, test } from 'vitest';

import { ParsedEntry, UnknownEntryFormat } from './parsed-entry.ts';

const streamId = 5;

function messageOf(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { v: 1, kind: 'message.sent', content: 'text', reactingBotIds: [], ...fields };
}

function parsed(entry: unknown, audience: number = audienceKey.stream(streamId)): ParsedEntry {
  const payload = JSON.stringify(entry);
  return new ParsedEntry({ position: 1, length: 1, messageId: 1, audience, payload });
}

test('a stream message concerns that stream, and reads as it was written', () => {
  const entry = messageOf();
  expect(parsed(entry).onlyStreamId).toBe(streamId);
  expect(parsed(entry).entry).toEqual(entry);
});

test('a message that mentions a reacting bot may concern non-members, whatever its text', () => {
  const entry = messageOf({ reactingBotIds: [7], content: '"reactingBotIds":[]' });
  expect(parsed(entry).onlyStreamId).toBeUndefined();
});

test.each([
  ['everyone', audienceKey.everyone],
  ['a person', audienceKey.user(streamId)],
  ['a conversation', audienceKey.conversation(streamId)],
])('a message for %s concerns more than one stream', (_, audience) => {
  expect(parsed(messageOf(), audience).onlyStreamId).toBeUndefined();
});

test('a change of a stream may concern anybody', () => {
  expect(parsed({ v: 1, kind: 'change', effects: [], events: [] }).onlyStreamId).toBeUndefined();
});

test('a newer format and an unknown kind are refused at once', () => {
  expect(() => parsed(messageOf({ v: logEntryVersion + 1 }))).toThrow(UnknownEntryFormat);
  expect(() => parsed({ v: 1, kind: 'message.sent.elsewhere' })).toThrow(UnknownEntryFormat);
});
