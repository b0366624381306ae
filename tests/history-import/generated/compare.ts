/** Asks the interface, as everybody, for everything that a generated organization has, after its import. */
import { readObjects } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';
import { expect } from 'vitest';

import { findMarks } from '../../privacy/marks.ts';
import { download } from '../imported-organization.ts';
import type { ImportTarget } from '../imported-organization.ts';
import { carriedMessage, streamName, withoutPaths, wordsOf } from './carried.ts';
import type { CarriedMessage } from './carried.ts';
import { at, topicOf } from './organization.ts';
import type { ModelOrganization } from './organization.ts';
import { flagsOf, holds, isListed, mayRead, opensFile } from './rules.ts';
import type { SourceName } from './rules.ts';

/** An imported organization with the ids that it got. */
export type Imported = {
  readonly source: SourceName;
  readonly organization: ModelOrganization;
  readonly userIds: readonly number[];
  readonly streamIds: readonly number[];
  readonly messageIds: readonly number[];
  /** The path of the file, if the format has it and a message opens it. */
  readonly filePath: string | undefined;
};

/** Finds what an import made, by names and marked words. */
export async function findImported(
  { pool }: ImportTarget,
  source: SourceName,
  organization: ModelOrganization,
): Promise<Imported> {
  const idsOf = async (text: string, keys: readonly string[]): Promise<number[]> => {
    const { rows } = await pool.query<{ key: string; id: number }>(text);
    return keys.map((key) => rows.find((row) => row.key === key)?.id ?? 0);
  };
  const { rows: uploads } = await pool.query<{ path: string }>(
    'SELECT path_id AS path FROM uploads',
  );
  return {
    source,
    organization,
    userIds: await idsOf(
      'SELECT full_name AS key, id FROM users',
      organization.people.map(({ name }) => name),
    ),
    streamIds: await idsOf(
      'SELECT name AS key, id FROM streams',
      organization.streams.map((_, n) => streamName(organization, n)),
    ),
    messageIds: await idsOf(
      `SELECT substring(content FROM '(?:^|\\n)(mq[a-z]{12})(?:\\n|$)') AS key, id FROM messages`,
      organization.messages.map(({ word }) => word),
    ),
    filePath: uploads[0] && `/user_uploads/${uploads[0].path}`,
  };
}

/** @returns the people who are asked: those who can sign in */
export function askedPeople({ people }: ModelOrganization): number[] {
  return [...people.entries()].flatMap(([n, { isActive, isBot }]) => (isActive && !isBot ? n : []));
}

const everything = { anchor: 'newest', num_before: 1000, num_after: 0 } as const;

function asCarried(message: JsonObject): CarriedMessage {
  const editedAt = message['last_edit_timestamp'];
  const to = message['display_recipient'];
  const names = (list: unknown): string[] =>
    (list as JsonObject[]).map((person) => String(person['full_name'])).toSorted();
  return {
    sender: String(message['sender_full_name']),
    to: typeof to === 'string' ? [to, String(message['subject'])] : names(to),
    content: withoutPaths(String(message['content'])),
    sentAt: Number(message['timestamp']),
    editedAt: typeof editedAt === 'number' ? editedAt : undefined,
    reactions: readObjects(message, 'reactions')
      .map(
        ({ emoji_name: emoji, user }) =>
          `${String(emoji)} ${String((user as JsonObject)['full_name'])}`,
      )
      .toSorted(),
  };
}

const comparedFlags: ReadonlySet<unknown> = new Set(['read', 'starred', 'mentioned']);

function agree(found: unknown, expected: unknown): void {
  expect(found).toEqual(expected);
}

/** One person's view of an imported organization, beside what it has to be. */
class View {
  readonly #imported: Imported;
  readonly #person: number;
  readonly #client: ApiClient;
  readonly #texts: string[] = [];

  constructor(imported: Imported, person: number, client: ApiClient) {
    this.#imported = imported;
    this.#person = person;
    this.#client = client;
  }

  get #messages(): number[] {
    return [...this.#imported.organization.messages.keys()];
  }

  #mayRead(message: number): boolean {
    const { source, organization } = this.#imported;
    return mayRead(source, organization, this.#person, message);
  }

  #holds(message: number): boolean {
    const { source, organization } = this.#imported;
    return holds(source, organization, this.#person, message);
  }

  /** @returns the numbers of messages that were found */
  #numbersOf(messages: readonly JsonObject[]): number[] {
    return messages.map(({ id }) => this.#imported.messageIds.indexOf(Number(id)));
  }

  async #ask(path: string, parameters = {}, method: 'GET' | 'POST' = 'GET'): Promise<JsonObject> {
    const { text, status } = await this.#client.withoutChecks(method, path, parameters);
    if (status >= 500) throw new Error(`${path}: ${status} ${text}`);
    // Only what an answer adds is told by it.
    const asked = findMarks(JSON.stringify([path, parameters]));
    this.#texts.push(text.replaceAll(/mq[a-z]{12}/g, (mark) => (asked.has(mark) ? '' : mark)));
    return JSON.parse(text) as JsonObject;
  }

  async #read(narrow: readonly object[]): Promise<JsonObject[]> {
    const answer = await this.#ask('messages', { ...everything, narrow, apply_markdown: false });
    return answer['result'] === 'success' ? [...readObjects(answer, 'messages')] : [];
  }

  /** All that the person holds, and each stream, with their texts and flags. */
  async checkMessages(): Promise<void> {
    const { source, organization, userIds, streamIds } = this.#imported;
    const own = await this.#read([]);
    agree(
      this.#numbersOf(own),
      this.#messages.filter((n) => this.#holds(n)),
    );
    for (const message of own) {
      const [n = 0] = this.#numbersOf([message]);
      const flags = (message['flags'] as unknown[]).filter((flag) => comparedFlags.has(flag));
      agree([n, flags], [n, flagsOf(source, organization, this.#person, n)]);
    }
    const found = [...own];
    for (const [stream, streamId] of streamIds.entries()) {
      const inStream = await this.#read([{ operator: 'stream', operand: streamId }]);
      const { isArchived } = at(organization.streams, stream);
      const readable = this.#messages.filter((n) => {
        const { to } = at(organization.messages, n);
        return 'stream' in to && to.stream === stream && this.#mayRead(n);
      });
      if (!isArchived) agree(this.#numbersOf(inStream), readable);
      found.push(...inStream);
    }
    for (const message of found) {
      const [n = -1] = this.#numbersOf([message]);
      agree(asCarried(message), carriedMessage(source, organization, n, userIds));
    }
  }

  /** Each message by its id, its past, and by its word. */
  async checkSingleMessages(): Promise<void> {
    const { source, organization, messageIds } = this.#imported;
    const isShown = async (path: string): Promise<JsonObject | undefined> => {
      const answer = await this.#ask(path);
      return answer['result'] === 'success' ? answer : undefined;
    };
    for (const n of this.#messages) {
      const id = at(messageIds, n);
      const single = await isShown(`messages/${id}`);
      const past = await isShown(`messages/${id}/history`);
      const word = at(organization.messages, n).word;
      const found = await this.#read([{ operator: 'search', operand: word }]);
      agree([n, single !== undefined, past !== undefined], [n, this.#mayRead(n), this.#mayRead(n)]);
      const isFound = this.#numbersOf(found).includes(n);
      agree([n, isFound], [n, this.#holds(n)]);
      if (past === undefined) continue;
      const told = findMarks(JSON.stringify(past));
      agree(
        wordsOf(source, organization, n).filter((one) => !told.has(one)),
        [],
      );
    }
  }

  async checkFile(): Promise<void> {
    const { source, organization, filePath } = this.#imported;
    if (filePath === undefined) return;
    const { status, text: content } = await download(this.#client, filePath);
    this.#texts.push(content);
    const opening = this.#messages.filter((n) => opensFile(source, at(organization.messages, n)));
    const isOwner = opening.some((n) => at(organization.messages, n).sender === this.#person);
    const isOpen = this.#mayOpenFile();
    if (!isOwner || isOpen) agree(status === 200, isOpen);
    if (isOpen) agree(content, organization.file.content);
  }

  #mayOpenFile(): boolean {
    const { source, organization } = this.#imported;
    return this.#messages.some(
      (n) => opensFile(source, at(organization.messages, n)) && this.#mayRead(n),
    );
  }

  /** Streams, subscriptions, unread messages and whatever else a client begins with. */
  async checkState(): Promise<void> {
    const { source, organization, streamIds } = this.#imported;
    const { people, streams } = organization;
    const { role } = at(people, this.#person);
    const live = [...streams.entries()].filter(([, { isArchived }]) => !isArchived);
    const isIn = (n: number): boolean => isListed(source, organization, this.#person, n);
    const namesOf = (list: readonly JsonObject[]): string[] =>
      list.map(({ name }) => String(name)).toSorted((one, other) => (one < other ? -1 : 1));
    const state = await this.#ask('register', {}, 'POST');
    const own = live.flatMap(([n, { name }]) => (isIn(n) ? name : [])).toSorted();
    agree(namesOf(readObjects(state, 'subscriptions')), own);
    const open = live.flatMap(([n, { name, kind }]) =>
      isIn(n) || (kind === 'public' && role !== 'guest') ? name : [],
    );
    agree(namesOf(readObjects(await this.#ask('streams'), 'streams')), open.toSorted());
    const counted = JSON.stringify(state['unread_msgs']).matchAll(
      /"unread_message_ids":\[([\d,]+)\]/g,
    );
    const unread = [...counted].flatMap(([, ids = '']) => ids.split(',').map((id) => ({ id })));
    agree(
      this.#numbersOf(unread).toSorted((a, b) => a - b),
      this.#messages.filter((n) => {
        const { to } = at(organization.messages, n);
        const isListedHere =
          !('stream' in to) || (isIn(to.stream) && !at(streams, to.stream).isArchived);
        const flags = flagsOf(source, organization, this.#person, n);
        return isListedHere && this.#holds(n) && !flags.includes('read');
      }),
    );
    for (const streamId of streamIds) await this.#ask(`users/me/${streamId}/topics`);
    const paths = ['users', 'attachments', 'bots', 'realm/emoji', 'default_streams', 'user_groups'];
    for (const path of paths) await this.#ask(path);
    await this.#ask('users/me/subscriptions', { include_subscribers: true });
    for (const is of ['private', 'unread', 'starred', 'mentioned'])
      await this.#ask('messages', { ...everything, narrow: [{ operator: 'is', operand: is }] });
    await this.#ask('messages', {
      ...everything,
      narrow: [{ operator: 'streams', operand: 'public' }],
    });
  }

  /** Nothing that was asked has told of anything that the person could not read before. */
  checkTold(): void {
    const { source, organization } = this.#imported;
    const { streams, messages, people, file } = organization;
    const { role } = at(people, this.#person);
    const readable = this.#messages.filter((n) => this.#mayRead(n));
    const known = [...streams.entries()].filter(
      ([n, { kind, isArchived }]) =>
        role === 'administrator' ||
        (kind === 'public' && !isArchived && role !== 'guest') ||
        isListed(source, organization, this.#person, n),
    );
    const permitted = new Set([
      ...readable.flatMap((n) => {
        const { to, parts } = at(messages, n);
        const named = parts.flatMap((part) => (part.kind === 'stream' ? part.stream : []));
        return [
          ...wordsOf(source, organization, n),
          ...('stream' in to ? [topicOf(organization, n), at(streams, to.stream).name] : []),
          ...named.map((stream) => at(streams, stream).name),
          ...findMarks(at(messages, n).file === undefined ? '' : file.name),
        ];
      }),
      ...known.flatMap(([, { name, description }]) => [name, description]),
      ...(this.#mayOpenFile() ? [...findMarks(file.name), file.content] : []),
      ...this.#ownFile(),
    ]);
    const told = [...findMarks(this.#texts.join('\n'))].filter((word) => !permitted.has(word));
    agree(told, []);
  }

  /** Whoever uploaded the file has it. */
  #ownFile(): string[] {
    const { source, organization } = this.#imported;
    const { messages, file } = organization;
    const first = messages.find((message) => opensFile(source, message));
    return first?.sender === this.#person ? [...findMarks(file.name), file.content] : [];
  }
}

async function checkPeople({ organization, source }: Imported, client: ApiClient): Promise<void> {
  const members = readObjects(await client.get('users'), 'members');
  for (const { name, role, isActive, isBot } of organization.people) {
    const found = members.filter(({ full_name: fullName }) => fullName === name);
    expect(found).toMatchObject([
      {
        full_name: name,
        // Bots get a new key, and only those of the reference server go on.
        is_active: isActive && (!isBot || source === 'zulip'),
        is_bot: isBot,
        is_admin: role === 'administrator',
        is_guest: role === 'guest',
      },
    ]);
  }
}

/** Compares everything that everybody can get with what the format carries. */
export async function compare(
  imported: Imported,
  clientOf: (email: string) => Promise<ApiClient>,
): Promise<void> {
  await checkPeople(imported, await clientOf('p0@birch.example'));
  for (const person of askedPeople(imported.organization)) {
    const view = new View(imported, person, await clientOf(`p${person}@birch.example`));
    await view.checkMessages();
    await view.checkSingleMessages();
    await view.checkState();
    await view.checkFile();
    view.checkTold();
  }
}
