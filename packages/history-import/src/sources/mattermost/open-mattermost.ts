/** One team of Mattermost, from its bulk export. */
import { writeLink } from '@parley/markdown';
import { limits } from '@parley/api';

import { RecordFault } from '../../import-fault.ts';
import type { Ledger } from '../../ledger.ts';
import { UniqueNames, cleanName, cutTo } from '../../reading/names.ts';
import { Row, isRecord } from '../../reading/row.ts';
import { commonKinds } from '../../records.ts';
import type {
  Directory,
  FileRecord,
  LoadedNames,
  MessageBatch,
  MessageKey,
  MessageRecord,
  ReactionRecord,
  Source,
} from '../../records.ts';
import { findReactionEmoji, writeEmoji } from '../source-emoji.ts';
import { countMattermost } from './count-mattermost.ts';
import { mattermostLinks, postId } from './mattermost-links.ts';
import { MattermostArchive } from './mattermost-archive.ts';
import { readMattermostDirectory } from './mattermost-directory.ts';
import type { MattermostDirectory } from './mattermost-directory.ts';
import {
  attachmentsOf,
  findTimeMs,
  firstLine,
  reasonToDrop,
  repliesOf,
  timeOf,
} from './mattermost-posts.ts';
import type { Post } from './mattermost-posts.ts';
import { findMattermostEmoji, translatePost } from './mattermost-text.ts';
import type { MattermostNames } from './mattermost-text.ts';

export type MattermostOptions = {
  readonly file: string;
  /** The team, if there are several. */
  readonly team: string | undefined;
  readonly channelTopic: string;
  /** Of the organization here, without a slash at the end. */
  readonly publicUrl: string;
  readonly ledger: Ledger;
};

const messageKind = 'message';
const reactionKind = 'reaction';
const attachmentKind = 'attachment';
const pinKind = 'pin';
const followerKind = 'thread_follower';
const batchMax = 500;
/** Of a file beside its place: name and number. */
const keptFileBytes = 200;
/** Of texts together. */
const batchMaxLength = 16_000_000;

class MattermostSource implements Source {
  readonly name = 'mattermost';
  readonly kinds = {
    message: messageKind,
    reaction: reactionKind,
    ...commonKinds,
  } as const;
  readonly links;
  readonly #options: MattermostOptions;
  readonly #archive: MattermostArchive;
  readonly #found: MattermostDirectory;
  readonly #customNames: ReadonlySet<string>;
  readonly #topics = new Map<string, string>();
  readonly #topicNames = new Map<string, UniqueNames>();
  readonly #files: FileRecord[] = [];
  /** By their names in the archive: several paths may lead to one. */
  readonly #fileIndexes = new Map<string, number>();

  constructor(options: MattermostOptions, archive: MattermostArchive, found: MattermostDirectory) {
    this.#options = options;
    this.#archive = archive;
    this.#found = found;
    this.links = mattermostLinks(options.publicUrl, options.ledger);
    this.#customNames = new Set(found.emoji.map(({ name }) => name));
  }

  count(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    return countMattermost(() => this.#archive.openData(), this.#found.teamName, signal);
  }

  async *#posts(): AsyncGenerator<Post> {
    for await (const { type, row, place } of this.#archive.lines(false)) {
      if (type !== 'post' && type !== 'direct_post') continue;
      const key = idOf(row) ?? place.at.replace('line ', '');
      const to =
        type === 'post'
          ? {
              channel:
                row.findText('team') === this.#found.teamName
                  ? (row.findText('channel') ?? '')
                  : '',
            }
          : { members: row.list('channel_members').filter((name) => typeof name === 'string') };
      const replies = repliesOf(row);
      const thread = replies.length > 0 ? key : undefined;
      yield { row, place, key, root: row, thread, isReply: false, to };
      for (const [n, reply] of replies.entries()) {
        const at = `${place.at}, reply ${n}`;
        yield {
          row: reply,
          place: { ...place, at },
          key: idOf(reply) ?? `${key}.${n}`,
          root: row,
          thread,
          isReply: true,
          to,
        };
      }
    }
  }

  async *messageKeys(): AsyncGenerator<readonly MessageKey[]> {
    let batch: MessageKey[] = [];
    for await (const post of this.#posts()) {
      this.#see(post);
      const time = post.row.findNumber('create_at');
      if (time !== undefined) batch.push({ key: post.key, order: time, scope: 'all' });
      if (batch.length < batchMax) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }

  /** Notes people, topics and files of a post before any is written. */
  #see({ row, root, thread, isReply, to, key }: Post): void {
    if ('members' in to) for (const member of to.members) this.#found.people.ensure(member);
    const name = row.findText('user');
    const author = name === undefined ? undefined : this.#found.people.ensure(name);
    for (const reaction of row.list('reactions').filter(isRecord))
      if (typeof reaction['user'] === 'string') this.#found.people.ensure(reaction['user']);
    for (const path of attachmentsOf(row)) {
      const stored = this.#archive.findName(path);
      const file = this.#archive.fileAt(path);
      if (stored === undefined || file === undefined || author === undefined) continue;
      const index = this.#fileIndexes.get(stored) ?? this.#files.length;
      const createdAt = findTimeMs(row, 'create_at') ?? 0;
      const other = this.#files[index];
      if (other === undefined) this.#options.ledger.keep(keptFileBytes);
      // Posts are in no order, and who posted it first owns it.
      if (other !== undefined && other.createdAt <= createdAt) continue;
      this.#fileIndexes.set(stored, index);
      this.#files[index] = {
        place: { file: stored, at: '' },
        owner: author,
        name: stored.slice(stored.lastIndexOf('/') + 1),
        createdAt,
        file,
      };
    }
    if (isReply || thread === undefined || !('channel' in to)) return;
    const names = this.#topicNames.get(to.channel) ?? new UniqueNames(limits.topicMaxCodePoints);
    if (!this.#topicNames.has(to.channel)) names.take(this.#options.channelTopic);
    this.#topicNames.set(to.channel, names);
    this.#options.ledger.keep(0);
    const lines = [
      reasonToDrop(root) === undefined ? firstLine(root) : '',
      ...repliesOf(root).map(firstLine),
    ];
    const day = new Date((findTimeMs(row, 'create_at') ?? 0) * 1000).toISOString().slice(0, 10);
    this.#topics.set(key, names.take(lines.find((line) => line !== '') ?? `thread ${day}`));
  }

  directory(): Promise<Directory> {
    const { team, teamName, people, channels, emoji } = this.#found;
    const name = cleanName(
      team.findText('display_name') ?? '',
      limits.organizationNameMaxCodePoints,
    );
    return Promise.resolve({
      organization: {
        name: name || teamName,
        stringId: /^[a-z0-9-]{1,40}$/.test(teamName) ? teamName : '',
        description: cutTo(
          team.findText('description') ?? '',
          limits.organizationDescriptionMaxCodePoints,
        ),
        settings: {},
        disabledAuthenticationMethods: [],
        notificationsStream: undefined,
        signupNotificationsStream: undefined,
      },
      people: people.people,
      streams: channels.streams,
      subscriptions: people.subscriptions,
      mutedTopics: [],
      groups: [],
      profileFields: [],
      profileValues: [],
      emoji,
      linkifiers: [],
      domains: [],
      files: this.#files,
      hasReceipts: false,
      readPositions: people.positions,
    });
  }

  messagesTotal(): number {
    return 0;
  }

  async *messages(names: LoadedNames): AsyncGenerator<MessageBatch> {
    const { ledger } = this.#options;
    let batch: MessageRecord[] = [];
    let length = 0;
    for await (const post of this.#posts()) {
      this.#accountForMarks(post);
      try {
        const message = this.#messageOf(post, names);
        if (message !== undefined) batch.push(message);
        length += message?.content.length ?? 0;
      } catch (error) {
        if (!(error instanceof RecordFault)) throw error;
        ledger.unreadable(
          messageKind,
          error.message,
          post.place,
          post.row.findText('message') ?? '',
        );
      }
      if (batch.length < batchMax && length < batchMaxLength) continue;
      yield { messages: batch, progress: batch.length };
      [batch, length] = [[], 0];
    }
    yield { messages: batch, progress: batch.length };
  }

  /** What posts have beside their text that has no place here. */
  #accountForMarks({ row, place }: Post): void {
    const { ledger } = this.#options;
    if (row.isTrue('is_pinned')) ledger.skipped(pinKind, 'pins have no place here', place);
    const followers = row.list('thread_followers').length;
    ledger.skippedMany(followerKind, 'a reply counts as read with its channel', place, followers);
  }

  /** The names that may be told in a channel: not those of other private ones, which its readers may not know. */
  #namesIn(inStream: number | undefined, names: LoadedNames): MattermostNames {
    return {
      person: (username) => {
        const index = this.#found.people.indexOf(username);
        if (index === undefined) return undefined;
        const { id, fullName } = names.person(index);
        return `@**${fullName}|${id}**`;
      },
      channel: (channel) => {
        const stream = this.#found.channels.indexOf(channel);
        if (stream === undefined) return undefined;
        const isPrivate = this.#found.channels.streams[stream]?.isPrivate === true;
        return isPrivate && stream !== inStream ? undefined : `#**${names.stream(stream).name}**`;
      },
      emoji: (written) => {
        const name = written.toLowerCase();
        const custom = this.#found.emojiIndexes.get(name);
        const code = custom === undefined ? findMattermostEmoji(name) : undefined;
        const shown = custom === undefined ? undefined : names.emoji(custom)?.name;
        return shown === undefined
          ? writeEmoji(written, code, (ours) => this.#customNames.has(ours))
          : `:${shown}:`;
      },
    };
  }

  #messageOf(post: Post, names: LoadedNames): MessageRecord | undefined {
    const { row, place, key, root, thread, isReply, to } = post;
    const { ledger, channelTopic } = this.#options;
    const files = this.#filesOf(post, names);
    const skip = (reason: string): undefined => {
      ledger.skipped(messageKind, reason, place);
    };
    const dropped = reasonToDrop(row);
    if (dropped !== undefined) return skip(dropped);
    const stream = 'channel' in to ? this.#found.channels.indexOf(to.channel) : undefined;
    if ('channel' in to && stream === undefined) return skip('its channel is not imported');
    const post_ = {
      message: row.findText('message') ?? '',
      props: row.value('props'),
      type: row.value('type'),
    };
    const content = [translatePost(post_, this.#namesIn(stream, names)), ...files]
      .filter((part) => part !== '')
      .join('\n');
    if (content === '') return skip('it is empty');
    const editedAt = findTimeMs(row, 'edit_at') ?? 0;
    const quoted = 'members' in to && isReply ? `> ${firstLine(root)}\n\n` : '';
    return {
      place,
      key,
      sender: this.#found.people.ensure(row.text('user')),
      to:
        'members' in to
          ? {
              participants: [
                ...new Set(
                  [...to.members, row.text('user')].map((name) => this.#found.people.ensure(name)),
                ),
              ],
            }
          : {
              stream: stream ?? 0,
              topic: (thread === undefined ? undefined : this.#topics.get(thread)) ?? channelTopic,
            },
      content: quoted + content,
      sentAt: timeOf(row),
      client: 'Mattermost',
      lastEditedAt: editedAt > 0 ? editedAt : undefined,
      edits: [],
      starredBy: row
        .list('flagged_by')
        .flatMap((name) =>
          typeof name === 'string' ? (this.#found.people.indexOf(name) ?? []) : [],
        ),
    };
  }

  /** @returns a line for each file of a post, which its text does not mention */
  #filesOf({ row, place }: Post, names: LoadedNames): string[] {
    const { ledger } = this.#options;
    return attachmentsOf(row).map((path) => {
      const index = this.#fileIndexes.get(this.#archive.findName(path) ?? '');
      const found = index === undefined ? undefined : names.filePath(index);
      const name = path.slice(path.lastIndexOf('/') + 1).replaceAll('\n', ' ');
      if (found === undefined) {
        ledger.skipped(attachmentKind, 'its file is not in the archive', place);
        return `(file ${name} missing)`;
      }
      ledger.imported(attachmentKind);
      return writeLink(name, `/user_uploads/${encodeURI(found)}`);
    });
  }

  async *reactions(): AsyncGenerator<readonly ReactionRecord[]> {
    const { ledger } = this.#options;
    let found: ReactionRecord[] = [];
    for await (const { row, place, key } of this.#posts()) {
      for (const reaction of row.list('reactions')) {
        const of = isRecord(reaction) ? new Row(reaction) : new Row({});
        const person = this.#found.people.indexOf(of.findText('user') ?? '');
        const emoji = this.#emojiOf(of.findText('emoji_name') ?? '');
        if (person === undefined) ledger.skipped(reactionKind, 'nobody made it', place);
        else if (emoji === undefined)
          ledger.skipped(reactionKind, 'there is no such emoji here', place);
        else {
          found.push({
            place,
            messageKey: key,
            person,
            emoji,
            reactedAt: findTimeMs(of, 'create_at') ?? null,
          });
        }
      }
      if (found.length < batchMax) continue;
      yield found;
      found = [];
    }
    yield found;
  }

  #emojiOf(written: string): ReactionRecord['emoji'] | undefined {
    const name = written.toLowerCase();
    const custom = this.#found.emojiIndexes.get(name);
    if (custom !== undefined) return { kind: 'custom', emoji: custom };
    const code = findMattermostEmoji(name);
    return code === undefined ? undefined : findReactionEmoji(code);
  }

  close(): Promise<void> {
    this.#archive.close();
    return Promise.resolve();
  }
}

/** Exports of Mattermost itself have no ids of posts; other programs write them. */
function idOf(row: Row): string | undefined {
  const id = row.findText('id');
  return id !== undefined && postId.test(id) ? id : undefined;
}

/**
 * Opens a bulk export.
 *
 * @throws ImportFault if it cannot be imported
 */
export async function openMattermost(options: MattermostOptions): Promise<Source> {
  const { file, team, ledger } = options;
  const archive = await MattermostArchive.open(file, ledger);
  try {
    const missing = await archive.countFilesNotExported();
    if (missing > 0) ledger.remark('files that could not be exported, by warnings.txt', missing);
    return new MattermostSource(
      options,
      archive,
      await readMattermostDirectory(archive, team, ledger),
    );
  } catch (error) {
    archive.close();
    throw error;
  }
}
