/** For tests of the data layer. */
import { createState } from '../src/data/state.ts';
import type { Known, Message, Person, State, Stream } from '../src/data/state.ts';

/** The signed-in person. */
export const selfId = 7;

/** @param rest the parts of `register` that the test is about */
export function makeState(
  known: Partial<Omit<Known, 'rest'>> = {},
  rest: Partial<Known['rest']> = {},
): State {
  return createState({
    rest: { user_id: selfId, is_admin: false, is_guest: false, ...rest } as Known['rest'],
    people: new Map(),
    streams: new Map(),
    formerStreams: new Map(),
    subscriptions: new Map(),
    subscribers: new Map(),
    mutedTopics: new Set(),
    reported: new Map(),
    nowSecs: 0,
    statuses: new Map(),
    typing: new Map(),
    unread: new Map(),
    recentPrivate: [],
    maxMessageId: 0,
    listsVersion: 0,
    ...known,
  });
}

export function makePerson(user_id: number, full_name: string, isActive = true): Person {
  return { user_id, full_name, isActive, is_bot: false } as Person;
}

export function makeStream(stream_id: number, given: Partial<Stream> = {}): Stream {
  return {
    stream_id,
    name: `stream ${stream_id}`,
    invite_only: false,
    is_announcement_only: false,
    ...given,
  } as Stream;
}

export function makeMessage(id: number, given: Partial<Message> = {}): Message {
  return {
    id,
    type: 'stream',
    stream_id: 1,
    display_recipient: 'general',
    subject: 'hello',
    sender_id: 1,
    timestamp: id,
    flags: [],
    ...given,
  } as Message;
}
