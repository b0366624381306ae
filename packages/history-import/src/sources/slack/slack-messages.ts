/** Messages of a Slack workspace: what each record is, who sent it, and which topic it belongs to. */
import { foldName, limits } from '@parley/api';

import type { Ledger } from '../../ledger.ts';
import { UniqueNames, cleanName, cutTo } from '../../reading/names.ts';
import { isRecord } from '../../reading/row.ts';
import type { SlackRecord } from './files.ts';
import type { SlackConversation } from './slack-channels.ts';
import { slackbot } from './slack-people.ts';
import type { SlackPeople } from './slack-people.ts';
import type { SlackNames } from './slack-mrkdwn.ts';
import { translateMessage } from './slack-text.ts';

/** Notices, and records that are no messages. */
const dropped = new Set([
  ...['join', 'leave', 'topic', 'purpose', 'name', 'archive', 'unarchive'].flatMap((notice) => [
    `channel_${notice}`,
    `group_${notice}`,
  ]),
  'channel_convert_to_private',
  'channel_posting_permissions',
  'pinned_item',
  'unpinned_item',
  'bot_add',
  'bot_remove',
  'bot_enable',
  'bot_disable',
  'reminder_add',
  'sh_room_created',
  'message_changed',
  'message_deleted',
  'message_replied',
  'tombstone',
]);

/** A time that is also the key of a message in its channel. Its digits do not fit a number's fraction. */
const timePattern = /^(\d{10})\.(\d{6})$/;

export type SlackTime = { readonly text: string; readonly secs: number; readonly order: number };

export function timeOf(value: unknown): SlackTime | undefined {
  const match = typeof value === 'string' ? timePattern.exec(value) : null;
  if (match === null) return undefined;
  const [text, secs = '', micros = ''] = match;
  return { text, secs: Number(secs), order: Number(secs) * 1_000_000 + Number(micros) };
}

/** @returns why a record is not imported, or undefined for a message */
export function reasonToDrop(record: SlackRecord): string | undefined {
  const subtype = record['subtype'];
  if (record['type'] !== 'message') return 'it is no message';
  if (typeof subtype === 'string' && dropped.has(subtype)) return `notices: ${subtype}`;
  return record['hidden'] === true ? 'it is hidden' : undefined;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** @returns the sender, made if nobody is known */
export function senderOf(record: SlackRecord, people: SlackPeople): number {
  const comment = record['comment'];
  const room = record['room'];
  const id =
    (isRecord(comment) && text(comment['user'])) ||
    (record['subtype'] === 'huddle_thread' && isRecord(room) && text(room['created_by'])) ||
    text(record['user']);
  const profile = record['user_profile'];
  const name = isRecord(profile) ? text(profile['real_name']) || text(profile['name']) : '';
  if (id !== '' && id !== 'U00') return people.ensure(id, name || undefined, id === slackbot);
  const botProfile = record['bot_profile'];
  const botName =
    text(record['username']) || (isRecord(botProfile) ? text(botProfile['name']) : '');
  const botId = text(record['bot_id']) || `bot:${botName || 'unknown'}`;
  return people.ensure(botId, botName || undefined, true);
}

/** @returns the message's whole text in our dialect */
export function contentOf(record: SlackRecord, names: SlackNames): string {
  const comment = record['comment'];
  const translated =
    isRecord(comment) && typeof comment['comment'] === 'string'
      ? translateMessage({ text: comment['comment'] }, names)
      : translateMessage(record, names);
  switch (record['subtype']) {
    case 'me_message':
      return `/me ${translated}`;
    case 'huddle_thread':
      return translated === '' ? 'A huddle' : translated;
    case 'ekm_access_denied':
      return translated === '' ? '(the text was withheld)' : translated;
    default: {
      // A command of ours at the beginning would be one.
      const shown = translated.startsWith('/') ? `\u2060${translated}` : translated;
      const name = record['subtype'] === 'bot_message' ? text(record['username']) : '';
      return name === '' || shown === '' ? shown : `**${name}**: ${shown}`;
    }
  }
}

/** The first line of a text without markup. @param names plain ones */
function firstLine(record: SlackRecord, names: SlackNames): string {
  const line =
    translateMessage(record, names)
      .split('\n')
      .find((part) => part.trim() !== '') ?? '';
  // Longer than any topic with its links; the pattern's time grows with the square.
  const plain = cutTo(line, 2_000)
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`~]+|^>\s?/g, '');
  return cleanName(plain, limits.topicMaxCodePoints);
}

type Thread = {
  /** From the root, or from the earliest reply. */
  line: string;
  hasReplies: boolean;
  hasRoot: boolean;
  readonly day: string;
};

/** The threads of one conversation, gathered while its messages are read for the first time. */
export class SlackThreads {
  readonly #threads = new Map<string, Thread>();
  readonly #topics = new Map<string, string>();
  readonly #ledger: Ledger;
  readonly #names: SlackNames;

  /** @param names plain ones, which topics may tell */
  constructor(ledger: Ledger, names: SlackNames) {
    this.#ledger = ledger;
    this.#names = names;
  }

  see(record: SlackRecord, time: SlackTime): void {
    const thread = timeOf(record['thread_ts']);
    if (thread === undefined) return;
    const isRoot = thread.text === time.text;
    if (!this.#threads.has(thread.text)) this.#ledger.keep(0);
    const found = this.#threads.get(thread.text) ?? {
      line: '',
      hasReplies: false,
      hasRoot: false,
      day: new Date(thread.secs * 1000).toISOString().slice(0, 10),
    };
    this.#threads.set(thread.text, found);
    if (!isRoot) found.hasReplies = true;
    const line = reasonToDrop(record) === undefined ? firstLine(record, this.#names) : '';
    if (line !== '' && (isRoot || found.line === '')) found.line = line;
    if (isRoot) found.hasRoot = true;
  }

  get count(): number {
    return [...this.#threads.values()].filter(({ hasReplies }) => hasReplies).length;
  }

  get withoutRoot(): number {
    return [...this.#threads.values()].filter(({ hasRoot }) => !hasRoot).length;
  }

  /** Gives each thread a topic of its own; called when all are known. */
  nameTopics(channelTopic: string): void {
    const names = new UniqueNames(limits.topicMaxCodePoints);
    names.take(channelTopic);
    for (const [key, { line, hasReplies, day }] of [...this.#threads].toSorted(([a], [b]) =>
      a < b ? -1 : 1,
    )) {
      if (!hasReplies) continue;
      const wanted = line === '' ? `thread ${day}` : line;
      const isTaken = foldName(wanted) === foldName(channelTopic);
      this.#topics.set(key, names.take(isTaken ? withSuffix(wanted, ' (thread)') : wanted));
    }
  }

  /** @returns the topic of a thread, or undefined for the time of a message outside of threads */
  topicOf(threadTime: string): string | undefined {
    return this.#topics.get(threadTime);
  }

  /** @returns the first line of the message that a reply answers */
  answered(record: SlackRecord, time: SlackTime): string | undefined {
    const thread = text(record['thread_ts']);
    return thread === '' || thread === time.text ? undefined : this.#threads.get(thread)?.line;
  }
}

function withSuffix(topic: string, suffix: string): string {
  return cutTo(topic, limits.topicMaxCodePoints - suffix.length).trimEnd() + suffix;
}

/**
 * The people of a private conversation, by their numbers.
 *
 * @param senders who wrote in it
 */
export function participantsOf(
  { members, isJoined }: SlackConversation,
  senders: ReadonlySet<number>,
  people: SlackPeople,
): number[] {
  const listed = [...members].map((id) => people.ensure(id, undefined, id === slackbot));
  // Where members were lost, those who wrote took part.
  return [...new Set(listed.length < 2 && !isJoined ? [...listed, ...senders] : listed)];
}
