/** A workspace of Slack, from its own export or from programs that write its form. */
import { messageLink, unnamedMessageLink } from '@parley/markdown';

import { openZip } from '../../archive/zip-archive.ts';
import type { ZipArchive } from '../../archive/zip-archive.ts';
import { ImportFault, RecordFault } from '../../import-fault.ts';
import type { Ledger, Place } from '../../ledger.ts';
import { parseRun, readElements } from '../../reading/json-elements.ts';
import { isRecord } from '../../reading/row.ts';
import { commonKinds } from '../../records.ts';
import type {
  Directory,
  LoadedNames,
  MessageBatch,
  MessageKey,
  MessageLinks,
  MessageRecord,
  ReactionRecord,
  Source,
} from '../../records.ts';
import { findReactionEmoji, findSourceEmoji } from '../source-emoji.ts';
import { countSlack, messageKind, otherFileKind, pinKind, reactionKind } from './count-slack.ts';
import { SlackFetcher } from './files-fetch.ts';
import type { SlackFetching } from './files-fetch.ts';
import { SlackAvatars, SlackFiles } from './files.ts';
import type { SlackRecord } from './files.ts';
import { SlackChannels, conversationFiles } from './slack-channels.ts';
import type { SlackConversation } from './slack-channels.ts';
import {
  SlackThreads,
  contentOf,
  participantsOf,
  reasonToDrop,
  senderOf,
  timeOf,
} from './slack-messages.ts';
import type { SlackTime } from './slack-messages.ts';
import { slackLinks } from './slack-links.ts';
import type { LinkTarget } from './slack-links.ts';
import { SlackPeople } from './slack-people.ts';
import { findHomeTeam, readRootFile } from './slack-root-files.ts';
import { hiddenChannel, quote } from './slack-mrkdwn.ts';
import type { SlackNames } from './slack-mrkdwn.ts';

export type SlackOptions = {
  readonly file: string;
  /** The name of the organization, which the archive does not have. */
  readonly name: string;
  /** The topic of messages outside of threads. */
  readonly channelTopic: string;
  /** Of the organization here, without a slash at the end. */
  readonly publicUrl: string;
  /** How files are fetched, or why they are not. */
  readonly fetching: SlackFetching | string;
  readonly ledger: Ledger;
};

const dayFile = /^([^/]+)\/\d{4}-\d{2}-\d{2}\.json$/;
const batchMax = 1_000;
/** Of texts together. */
const batchMaxLength = 16_000_000;

type Day = { readonly path: string; readonly conversation: SlackConversation | undefined };

/** A record of a day, with its place. */
type PlacedRecord = {
  readonly record: SlackRecord;
  readonly place: Place;
};

class SlackSource implements Source {
  readonly name = 'slack';
  readonly kinds = {
    message: messageKind,
    reaction: reactionKind,
    ...commonKinds,
  } as const;
  readonly links: MessageLinks;
  readonly #options: SlackOptions;
  readonly #archive: ZipArchive;
  readonly #people: SlackPeople;
  readonly #channels: SlackChannels;
  readonly #files: SlackFiles;
  #fetcher: SlackFetcher | undefined;
  #loadedNames: LoadedNames | undefined;
  readonly #days: readonly Day[];
  readonly #threads = new Map<SlackConversation, SlackThreads>();
  /** Who wrote in private conversations whose members were lost. */
  readonly #senders = new Map<SlackConversation, Set<number>>();

  constructor(
    options: SlackOptions,
    archive: ZipArchive,
    people: SlackPeople,
    channels: SlackChannels,
  ) {
    this.#options = options;
    this.#archive = archive;
    this.#people = people;
    this.#channels = channels;
    this.links = slackLinks((channel) => this.#linkTargetOf(channel));
    const { fetching, ledger } = options;
    this.#files = new SlackFiles(archive, ledger, typeof fetching === 'string' ? fetching : '');
    this.#days = archive
      .paths()
      .filter((path) => dayFile.test(path))
      .toSorted()
      .map((path) => ({
        path,
        conversation: channels.inFolder(dayFile.exec(path)?.[1] ?? ''),
      }));
  }

  count(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    return countSlack(
      this.#archive,
      {
        root: this.#archive.paths().filter((path) => knownFiles.has(path)),
        days: this.#days.map(({ path }) => path),
        others: this.#archive.paths().filter(isLeftOut).length,
      },
      signal,
    );
  }

  /** Reads the records of a day; `report` says whether those that cannot be read are reported. */
  async *#recordsOf(path: string, report: boolean): AsyncGenerator<PlacedRecord> {
    const { ledger } = this.#options;
    for await (const run of readElements(path, await this.#archive.open(path)))
      for (const element of run.first < 0 ? [] : parseRun(run)) {
        const place = { file: path, at: `[${element.index}]` };
        if ('value' in element && isRecord(element.value)) yield { record: element.value, place };
        else if (report)
          ledger.unreadable(
            messageKind,
            'it is no object in JSON',
            place,
            'text' in element ? element.text : '',
          );
      }
  }

  /** Fetches files and avatars, in a reading of its own before anything is written. */
  async fetch(fetching: SlackFetching, avatars: SlackAvatars): Promise<void> {
    this.#fetcher = await SlackFetcher.open(fetching);
    for (const { path, conversation } of this.#days) {
      fetching.signal.throwIfAborted();
      if (conversation === undefined) continue;
      for await (const { record, place } of this.#recordsOf(path, false)) {
        const time = timeOf(record['ts']);
        if (time !== undefined && reasonToDrop(record) === undefined)
          this.#files.note(record, time.secs, place);
      }
    }
    await this.#files.fetch(this.#fetcher);
    await avatars.fetch(this.#fetcher, this.#people, this.#options.ledger);
  }

  async *messageKeys(): AsyncGenerator<readonly MessageKey[]> {
    for (const { path, conversation } of this.#days) {
      if (conversation === undefined) continue;
      const threads =
        this.#threads.get(conversation) ??
        new SlackThreads(this.#options.ledger, this.#plainNamesIn(conversation));
      this.#threads.set(conversation, threads);
      let keys: MessageKey[] = [];
      for await (const { record, place } of this.#recordsOf(path, false)) {
        const time = timeOf(record['ts']);
        if (time === undefined) continue;
        threads.see(record, time);
        this.#seePeople(record, conversation);
        if (reasonToDrop(record) !== undefined) continue;
        this.#files.note(record, time.secs, place);
        keys.push({ key: keyOf(conversation, time), order: time.order, scope: conversation.id });
        if (keys.length < batchMax) continue;
        yield keys;
        keys = [];
      }
      yield keys;
    }
    for (const threads of this.#threads.values()) threads.nameTopics(this.#options.channelTopic);
  }

  /** People that are named only here get accounts before any message is written. */
  #seePeople(record: SlackRecord, conversation: SlackConversation): void {
    if (reasonToDrop(record) !== undefined) return;
    const sender = senderOf(record, this.#people);
    if (conversation.stream === undefined)
      this.#senders.set(conversation, (this.#senders.get(conversation) ?? new Set()).add(sender));
    for (const { users } of reactionsIn(record))
      for (const user of users) this.#people.ensure(user, undefined, false);
  }

  directory(): Promise<Directory> {
    const { ledger, name } = this.#options;
    const subscriptions = this.#channels.subscriptions(this.#people);
    for (const conversation of this.#channels.conversations) {
      if (conversation.stream !== undefined) continue;
      participantsOf(conversation, this.#senders.get(conversation) ?? new Set(), this.#people);
    }
    for (const threads of this.#threads.values()) {
      ledger.remark('threads that became topics', threads.count);
      if (threads.withoutRoot > 0)
        ledger.remark('threads without their first message', threads.withoutRoot);
    }
    ledger.remark('everything is read: the archive does not say what was');
    return Promise.resolve({
      organization: {
        name,
        stringId: '',
        description: '',
        settings: {},
        disabledAuthenticationMethods: [],
        notificationsStream: undefined,
        signupNotificationsStream: undefined,
      },
      files: this.#files.records(this.#people),
      people: this.#people.people,
      streams: this.#channels.streams,
      subscriptions,
      mutedTopics: [],
      groups: [],
      profileFields: [],
      profileValues: [],
      emoji: [],
      linkifiers: [],
      domains: [],
      hasReceipts: false,
    });
  }

  messagesTotal(): number {
    return this.#days.reduce((sum, { path }) => sum + this.#archive.bytesOf(path), 0);
  }

  async *messages(names: LoadedNames): AsyncGenerator<MessageBatch> {
    const { ledger } = this.#options;
    this.#loadedNames = names;
    for (const { path, conversation } of this.#days) {
      const slackNames = this.#namesIn(conversation, names);
      let batch: MessageRecord[] = [];
      let length = 0;
      for await (const placed of this.#recordsOf(path, true)) {
        let message: MessageRecord | undefined;
        try {
          message = this.#messageOf(placed, conversation, slackNames);
          if (message !== undefined) batch.push(message);
        } catch (error) {
          if (!(error instanceof RecordFault)) throw error;
          ledger.unreadable(
            messageKind,
            error.message,
            placed.place,
            JSON.stringify(placed.record),
          );
        }
        this.#files.account(placed.record, placed.place, message !== undefined);
        length += message?.content.length ?? 0;
        if (batch.length < batchMax && length < batchMaxLength) continue;
        yield { messages: batch, progress: 0 };
        [batch, length] = [[], 0];
      }
      yield { messages: batch, progress: this.#archive.bytesOf(path) };
    }
  }

  /** The names that may be told in a conversation: not those of private channels, which its readers may not know. */
  #namesIn(conversation: SlackConversation | undefined, names: LoadedNames): SlackNames {
    return {
      person: (id) => {
        const index = this.#people.indexOf(id);
        if (index === undefined) return undefined;
        const { id: userId, fullName } = names.person(index);
        return `@**${fullName}|${userId}**`;
      },
      channel: (id) =>
        this.#channelIn(conversation, id, (stream) => `#**${names.stream(stream).name}**`),
      file: (id) => {
        const index = this.#files.indexOf(id);
        return index === undefined ? undefined : names.filePath(index);
      },
    };
  }

  /** As `#namesIn`, for texts without markup, before accounts are made. */
  #plainNamesIn(conversation: SlackConversation): SlackNames {
    return {
      person: (id) => this.#people.people[this.#people.indexOf(id) ?? -1]?.fullName,
      channel: (id) =>
        this.#channelIn(
          conversation,
          id,
          (stream) => `#${this.#channels.streams[stream]?.name ?? ''}`,
        ),
      file: () => undefined,
    };
  }

  #channelIn(
    conversation: SlackConversation | undefined,
    id: string,
    shown: (stream: number) => string,
  ): string | undefined {
    const stream = this.#channels.ofId(id)?.stream;
    if (stream === undefined) return undefined;
    const isPrivate = this.#channels.streams[stream]?.isPrivate === true;
    return isPrivate && stream !== conversation?.stream ? hiddenChannel : shown(stream);
  }

  #topicOf(conversation: SlackConversation, threadTime: unknown): string {
    const topic =
      typeof threadTime === 'string'
        ? this.#threads.get(conversation)?.topicOf(threadTime)
        : undefined;
    return topic ?? this.#options.channelTopic;
  }

  #messageOf(
    { record, place }: PlacedRecord,
    conversation: SlackConversation | undefined,
    names: SlackNames,
  ): MessageRecord | undefined {
    const { ledger } = this.#options;
    const skip = (reason: string): undefined => {
      ledger.skipped(messageKind, reason, place);
    };
    if (conversation === undefined) return skip('no conversation has its folder');
    const dropped = reasonToDrop(record);
    if (dropped !== undefined) return skip(dropped);
    const time = timeOf(record['ts']);
    if (time === undefined) throw new RecordFault('ts is no time');
    const content = contentOf(record, names);
    if (content.trim() === '') return skip('it is empty');
    const threads = this.#threads.get(conversation);
    const answered =
      conversation.stream === undefined ? threads?.answered(record, time) : undefined;
    const edited = record['edited'];
    const editedAt = isRecord(edited) ? timeOf(edited['ts'])?.secs : undefined;
    const sender = senderOf(record, this.#people);
    return {
      place,
      key: keyOf(conversation, time),
      sender,
      to:
        conversation.stream === undefined
          ? { participants: this.#participantsOf(conversation, sender) }
          : {
              stream: conversation.stream,
              topic: this.#topicOf(conversation, record['thread_ts']),
            },
      content: answered === undefined ? content : `${quote(answered)}\n\n${content}`,
      sentAt: time.secs,
      client: 'Slack',
      lastEditedAt: editedAt,
      edits: [],
    };
  }

  #participantsOf(conversation: SlackConversation, sender: number): number[] {
    const senders = this.#senders.get(conversation) ?? new Set();
    const participants = participantsOf(conversation, senders, this.#people);
    // Of several conversations without a common member, everybody keeps what was the own.
    return participants.length === 0 ? [sender] : participants;
  }

  async *reactions(): AsyncGenerator<readonly ReactionRecord[]> {
    const { ledger } = this.#options;
    for (const { path, conversation } of this.#days) {
      let found: ReactionRecord[] = [];
      for await (const { record, place } of this.#recordsOf(path, false)) {
        const time = timeOf(record['ts']);
        for (const { name, users } of reactionsIn(record)) {
          const code = findSourceEmoji(name.replace(/::skin-tone-[2-6](?:-[2-6])?$/, ''));
          const emoji = code === undefined ? undefined : findReactionEmoji(code);
          if (conversation === undefined || time === undefined)
            ledger.skippedMany(reactionKind, 'its message was not imported', place, users.length);
          else if (emoji === undefined)
            ledger.skippedMany(reactionKind, 'there is no such emoji here', place, users.length);
          else
            for (const user of users)
              found.push({
                place,
                messageKey: keyOf(conversation, time),
                person: this.#people.ensure(user, undefined, false),
                emoji,
                reactedAt: null,
              });
        }
        if (found.length < batchMax) continue;
        yield found;
        found = [];
      }
      yield found;
    }
  }

  /** What a link to a channel's messages may tell. */
  #linkTargetOf(channel: string): LinkTarget | undefined {
    const conversation = this.#channels.ofId(channel);
    if (conversation === undefined) return undefined;
    const { stream } = conversation;
    const record = stream === undefined ? undefined : this.#channels.streams[stream];
    const isOpen = record?.isPrivate === false && !record.isArchived;
    const named = stream !== undefined && isOpen ? this.#loadedNames?.stream(stream) : undefined;
    return {
      keyOf: (time) => keyOf(conversation, { text: time }),
      addressOf: (messageId, threadTime) =>
        named === undefined
          ? unnamedMessageLink(this.#options.publicUrl, messageId)
          : messageLink(this.#options.publicUrl, messageId, {
              type: 'stream',
              streamId: named.id,
              streamName: named.name,
              topic: this.#topicOf(conversation, threadTime),
            }),
    };
  }

  async close(): Promise<void> {
    this.#archive.close();
    await this.#fetcher?.close();
  }
}

/** Times are unique in their channel only. */
function keyOf(conversation: SlackConversation, time: Pick<SlackTime, 'text'>): string {
  return `${conversation.id} ${time.text}`;
}

function reactionsIn(
  record: SlackRecord,
): { readonly name: string; readonly users: readonly string[] }[] {
  const list: unknown = record['reactions'];
  return (Array.isArray(list) ? list : []).filter(isRecord).map(({ name, users }) => ({
    name: typeof name === 'string' ? name : '',
    users: Array.isArray(users) ? users.map(String) : [],
  }));
}

const knownFiles: ReadonlySet<string> = new Set(['users.json', ...conversationFiles]);

/** Files of the whole workspace, and of a conversation, that have nothing of what is imported: canvases, lists, logs. */
function isLeftOut(path: string): boolean {
  if (!path.includes('/')) return !knownFiles.has(path);
  return /^[^/]+\/[^/]+\.json$/.test(path) && !dayFile.test(path);
}

async function fetchInto(
  source: SlackSource,
  fetching: SlackFetching | string,
  avatars: SlackAvatars,
): Promise<void> {
  if (typeof fetching === 'string') return;
  try {
    await source.fetch(fetching, avatars);
  } catch (error) {
    await source.close();
    throw error;
  }
}

/**
 * Opens an export, and fetches what it links to if that is wanted.
 *
 * @throws ImportFault if it cannot be imported
 */
export async function openSlack(options: SlackOptions): Promise<Source> {
  const archive = await openZip(options.file);
  try {
    const { ledger } = options;
    if (archive.paths().some((path) => path.startsWith('teams/')))
      throw new ImportFault('This is the export of several workspaces: import one of them');
    if (!archive.has('users.json') || !archive.has('channels.json'))
      throw new ImportFault(
        'The archive is no export of a workspace: users.json and channels.json are required',
      );
    const people = new SlackPeople(ledger, await findHomeTeam(archive));
    const channels = new SlackChannels(ledger);
    const avatars = new SlackAvatars();
    await readRootFile(archive, 'users.json', ledger, (row, place, user) => {
      people.add(row, place);
      avatars.note(user, place);
    });
    for (const file of conversationFiles)
      await readRootFile(archive, file, ledger, (row, place) => {
        ledger.skippedMany(pinKind, 'pins have no place here', place, row.list('pins').length);
        channels.add(file, row, place);
      });
    for (const path of archive.paths())
      if (isLeftOut(path))
        ledger.skipped(otherFileKind, 'canvases, lists and logs have no place here', {
          file: path,
          at: 'all of it',
        });
    const source = new SlackSource(options, archive, people, channels);
    await fetchInto(source, options.fetching, avatars);
    return source;
  } catch (error) {
    archive.close();
    throw error;
  }
}
