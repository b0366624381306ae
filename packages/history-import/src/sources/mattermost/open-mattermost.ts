/** One team of Mattermost, from its bulk export. */
import { findEmojiCode, namesOfEmojiCode } from '@parley/markdown';
import { limits } from '@parley/api';

import { openZip } from '../../archive/zip-archive.ts';
import type { ZipArchive } from '../../archive/zip-archive.ts';
import { ImportFault, RecordFault } from '../../import-fault.ts';
import type { Ledger, Place } from '../../ledger.ts';
import { readJsonLines } from '../../reading/json-lines.ts';
import { UniqueNames, cleanName, cutTo } from '../../reading/names.ts';
import { Row, isRecord } from '../../reading/row.ts';
import type {
  ArchiveFile,
  Directory,
  EmojiRecord,
  FileRecord,
  LoadedNames,
  MessageBatch,
  MessageKey,
  MessageRecord,
  ReactionRecord,
  Source,
} from '../../records.ts';
import { countMattermost } from './count-mattermost.ts';
import { MattermostChannels, MattermostPeople } from './mattermost-people.ts';
import {
  attachmentsOf,
  findTimeMs,
  firstLine,
  reasonToDrop,
  repliesOf,
  timeOf,
} from './mattermost-posts.ts';
import type { Post } from './mattermost-posts.ts';
import { translatePost } from './mattermost-text.ts';
import type { MattermostNames } from './mattermost-text.ts';

export type MattermostOptions = {
  readonly file: string;
  /** The team, if there are several. */
  readonly team: string | undefined;
  readonly channelTopic: string;
  readonly ledger: Ledger;
};

const messageKind = 'message';
const reactionKind = 'reaction';
const attachmentKind = 'attachment';
const batchMax = 500;
const skinTone = /_(?:light|medium_light|medium|medium_dark|dark)_skin_tone$/;

class MattermostSource implements Source {
  readonly name = 'mattermost';
  readonly kinds = {
    message: messageKind,
    reaction: reactionKind,
    emoji: 'emoji',
    linkifier: 'linkifiers',
    domain: 'domains',
  } as const;
  readonly links = { find: () => [], mend: (content: string) => content };
  readonly people: MattermostPeople;
  readonly channels: MattermostChannels;
  readonly emoji: EmojiRecord[] = [];
  readonly emojiIndexes = new Map<string, number>();
  team: Row | undefined;
  readonly #options: MattermostOptions;
  readonly #archive: ZipArchive;
  readonly #data: string;
  readonly #topics = new Map<string, string>();
  readonly #topicNames = new Map<string, UniqueNames>();
  readonly #files: FileRecord[] = [];
  readonly #fileIndexes = new Map<string, number>();

  constructor(options: MattermostOptions, archive: ZipArchive, data: string) {
    this.#options = options;
    this.#archive = archive;
    this.#data = data;
    this.people = new MattermostPeople(options.ledger);
    this.channels = new MattermostChannels(options.ledger);
  }

  count(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    return countMattermost(async () => this.#archive.open(this.#data), this.teamName, signal);
  }

  get teamName(): string {
    return this.team?.findText('name') ?? '';
  }

  /** @returns a file below `data/`, whether the path says so or not */
  fileAt(path: string): ArchiveFile | undefined {
    const plain = path.replaceAll('\\', '/').replace(/^\/+/, '');
    const found = [plain, `data/${plain}`].find((candidate) => this.#archive.has(candidate));
    if (found === undefined || plain.split('/').includes('..')) return undefined;
    return {
      sizeBytes: this.#archive.bytesOf(found),
      open: () => this.#archive.open(found),
    };
  }

  /** The lines of given types. */
  async *lines(report: boolean): AsyncGenerator<{ type: string; row: Row; place: Place }> {
    const { ledger } = this.#options;
    const file = this.#data;
    for await (const read of readJsonLines(file, await this.#archive.open(file))) {
      const place = { file, at: `line ${read.line}` };
      if ('fault' in read) {
        if (report) ledger.unreadable('line', read.fault, place, read.text);
        continue;
      }
      const line = isRecord(read.value) ? read.value : {};
      const type = typeof line['type'] === 'string' ? line['type'] : '';
      const content = type === 'version' ? line : line[type];
      if (isRecord(content)) yield { type, row: new Row(content), place };
      else if (report)
        ledger.unreadable('line', 'it has no record', place, JSON.stringify(read.value));
    }
  }

  async *#posts(): AsyncGenerator<Post> {
    for await (const { type, row, place } of this.lines(false)) {
      if (type !== 'post' && type !== 'direct_post') continue;
      const key = place.at.replace('line ', '');
      const to =
        type === 'post'
          ? {
              channel:
                row.findText('team') === this.teamName ? (row.findText('channel') ?? '') : '',
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
          key: `${key}.${n}`,
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
    if ('members' in to) for (const member of to.members) this.people.ensure(member);
    const name = row.findText('user');
    const author = name === undefined ? undefined : this.people.ensure(name);
    for (const reaction of row.list('reactions').filter(isRecord))
      if (typeof reaction['user'] === 'string') this.people.ensure(reaction['user']);
    for (const path of attachmentsOf(row)) {
      const file = this.fileAt(path);
      if (file === undefined || author === undefined) continue;
      const index = this.#fileIndexes.get(path) ?? this.#files.length;
      const createdAt = findTimeMs(row, 'create_at') ?? 0;
      const other = this.#files[index];
      // Posts are in no order, and who posted it first owns it.
      if (other !== undefined && other.createdAt <= createdAt) continue;
      this.#fileIndexes.set(path, index);
      this.#files[index] = {
        place: { file: path, at: '' },
        owner: author,
        name: path.slice(path.lastIndexOf('/') + 1),
        createdAt,
        file,
      };
    }
    if (isReply || thread === undefined || !('channel' in to)) return;
    const names = this.#topicNames.get(to.channel) ?? new UniqueNames(limits.topicMaxCodePoints);
    if (!this.#topicNames.has(to.channel)) names.take(this.#options.channelTopic);
    this.#topicNames.set(to.channel, names);
    const lines = [
      reasonToDrop(root) === undefined ? firstLine(root) : '',
      ...repliesOf(root).map(firstLine),
    ];
    const day = new Date((findTimeMs(row, 'create_at') ?? 0) * 1000).toISOString().slice(0, 10);
    this.#topics.set(key, names.take(lines.find((line) => line !== '') ?? `thread ${day}`));
  }

  directory(): Promise<Directory> {
    const name = cleanName(
      this.team?.findText('display_name') ?? '',
      limits.organizationNameMaxCodePoints,
    );
    const { people, channels } = this;
    return Promise.resolve({
      organization: {
        name: name || this.teamName,
        stringId: /^[a-z0-9-]{1,40}$/.test(this.teamName) ? this.teamName : '',
        description: cutTo(
          this.team?.findText('description') ?? '',
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
      emoji: this.emoji,
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
    for await (const post of this.#posts()) {
      try {
        const message = this.#messageOf(post, names);
        if (message !== undefined) batch.push(message);
      } catch (error) {
        if (!(error instanceof RecordFault)) throw error;
        ledger.unreadable(
          messageKind,
          error.message,
          post.place,
          post.row.findText('message') ?? '',
        );
      }
      if (batch.length < batchMax) continue;
      yield { messages: batch, progress: batch.length };
      batch = [];
    }
    yield { messages: batch, progress: batch.length };
  }

  /** The names that may be told in a channel: not those of other private ones, which its readers may not know. */
  #namesIn(inStream: number | undefined, names: LoadedNames): MattermostNames {
    return {
      person: (username) => {
        const index = this.people.indexOf(username);
        if (index === undefined) return undefined;
        const { id, fullName } = names.person(index);
        return `@**${fullName}|${id}**`;
      },
      channel: (channel) => {
        const stream = this.channels.indexOf(channel);
        if (stream === undefined) return undefined;
        const isPrivate = this.channels.streams[stream]?.isPrivate === true;
        return isPrivate && stream !== inStream ? undefined : `#**${names.stream(stream).name}**`;
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
    const stream = 'channel' in to ? this.channels.indexOf(to.channel) : undefined;
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
      sender: this.people.ensure(row.text('user')),
      to:
        'members' in to
          ? {
              participants: [
                ...new Set(
                  [...to.members, row.text('user')].map((name) => this.people.ensure(name)),
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
        .flatMap((name) => (typeof name === 'string' ? (this.people.indexOf(name) ?? []) : [])),
    };
  }

  /** @returns a line for each file of a post, which its text does not mention */
  #filesOf({ row, place }: Post, names: LoadedNames): string[] {
    const { ledger } = this.#options;
    return attachmentsOf(row).map((path) => {
      const index = this.#fileIndexes.get(path);
      const found = index === undefined ? undefined : names.filePath(index);
      const name = path.slice(path.lastIndexOf('/') + 1).replaceAll(/[[\]\n]/g, ' ');
      if (found === undefined) {
        ledger.skipped(attachmentKind, 'its file is not in the archive', place);
        return `(file ${name} missing)`;
      }
      ledger.imported(attachmentKind);
      return `[${name}](/user_uploads/${encodeURI(found)})`;
    });
  }

  async *reactions(): AsyncGenerator<readonly ReactionRecord[]> {
    const { ledger } = this.#options;
    let found: ReactionRecord[] = [];
    for await (const { row, place, key } of this.#posts()) {
      for (const reaction of row.list('reactions')) {
        const of = isRecord(reaction) ? new Row(reaction) : new Row({});
        const person = this.people.indexOf(of.findText('user') ?? '');
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
    const custom = this.emojiIndexes.get(name);
    if (custom !== undefined) return { kind: 'custom', emoji: custom };
    const code = findEmojiCode(name.replace(skinTone, ''));
    const shown = code === undefined ? undefined : namesOfEmojiCode(code)[0];
    return code === undefined || shown === undefined
      ? undefined
      : { kind: 'unicode', name: shown, code };
  }

  close(): Promise<void> {
    this.#archive.close();
    return Promise.resolve();
  }
}

type KeptLine = { readonly type: string; readonly row: Row; readonly place: Place };

const orderedTypes = ['team', 'channel', 'user', 'bot', 'emoji', 'direct_channel'];
const leftTypes = new Map([
  ['role', 'roles have no place here'],
  ['scheme', 'schemes have no place here'],
]);

/** Reads everything but posts; what refers to others waits until all lines are read. */
async function readDirectory(
  source: MattermostSource,
  { ledger, team: wanted }: MattermostOptions,
): Promise<void> {
  const kept = new Map<string, KeptLine[]>(orderedTypes.map((type) => [type, []]));
  let versions = 0;
  for await (const line of source.lines(true)) {
    const { type, row, place } = line;
    if (versions === 0 && type !== 'version')
      throw new ImportFault('The file does not begin with its version');
    if (type === 'version') {
      versions += 1;
      if (versions > 1 || row.findInteger('version') !== 1)
        throw new ImportFault('The file has another version than 1, or several files in one');
      ledger.imported('version');
    } else if (kept.has(type)) kept.get(type)?.push({ type, row, place });
    else if (type !== 'post' && type !== 'direct_post')
      ledger.skipped(type, leftTypes.get(type) ?? 'this release does not know the type', place);
  }
  const of = (type: string): readonly KeptLine[] => kept.get(type) ?? [];
  const teams = of('team');
  const names = teams.map(({ row }) => row.findText('name') ?? '');
  const team =
    wanted === undefined && teams.length === 1
      ? teams[0]
      : teams.find(({ row }) => row.findText('name') === wanted);
  if (team === undefined)
    throw new ImportFault(
      `Name one of the teams with --team: ${names.join(', ')}. Joining them would open public channels of one to the other`,
    );
  for (const other of teams)
    if (other === team) ledger.imported('team');
    else ledger.skipped('team', 'another team is imported', other.place);
  fillSource(source, team.row, of, ledger);
}

function fillSource(
  source: MattermostSource,
  team: Row,
  of: (type: string) => readonly KeptLine[],
  ledger: Ledger,
): void {
  source.team = team;
  const { people, channels } = source;
  const each = (type: string, handle: (row: Row, place: Place) => void): void => {
    for (const { row, place } of of(type)) {
      try {
        handle(row, place);
      } catch (error) {
        if (!(error instanceof RecordFault)) throw error;
        ledger.unreadable(type, error.message, place, '');
      }
    }
  };
  const teamOf = (row: Row): Row | undefined =>
    row
      .list('teams')
      .filter(isRecord)
      .map((entry) => new Row(entry))
      .find((entry) => entry.findText('name') === source.teamName);
  each('channel', (row, place) => {
    if (row.findText('team') === source.teamName) channels.add(row, place);
    else ledger.skipped('channel', 'it is of another team', place);
  });
  each('user', (row, place) => {
    const image = row.findText('profile_image');
    people.addUser(row, place, teamOf(row), image === undefined ? undefined : source.fileAt(image));
  });
  each('user', (row, place) => {
    const own = teamOf(row);
    if (own !== undefined) people.addMemberships(row, own, channels, place);
  });
  each('bot', (row, place) => people.addBot(row, place));
  each('emoji', (row, place) => {
    const name = row.text('name').toLowerCase().replaceAll('+', '_');
    source.emojiIndexes.set(row.text('name').toLowerCase(), source.emoji.length);
    source.emoji.push({
      place,
      name,
      author: undefined,
      isDeactivated: false,
      file: source.fileAt(row.findText('image') ?? ''),
    });
  });
  each('direct_channel', (row) => {
    const listed = row
      .list('participants')
      .filter(isRecord)
      .map((entry) => new Row(entry));
    const members = [
      ...row.list('members').filter((name) => typeof name === 'string'),
      ...listed.flatMap((entry) => entry.findText('username') ?? []),
    ];
    const participants = [...new Set(members.map((name) => people.ensure(name)))];
    for (const entry of listed) {
      const viewedAt = findTimeMs(entry, 'last_viewed_at') ?? 0;
      const person = people.indexOf(entry.findText('username') ?? '');
      if (viewedAt > 0 && person !== undefined)
        people.positions.push({ person, place: { participants }, readUpTo: viewedAt });
    }
    ledger.imported('direct_channel');
  });
}

/**
 * Opens a bulk export.
 *
 * @throws ImportFault if it cannot be imported
 */
export async function openMattermost(options: MattermostOptions): Promise<Source> {
  const archive = await openZip(options.file);
  try {
    const files = archive.paths().filter((path) => /^[^/]+\.jsonl?$/.test(path));
    const [data] = files;
    if (data === undefined || files.length > 1)
      throw new ImportFault('The archive is no bulk export: it has to have one .jsonl file');
    const source = new MattermostSource(options, archive, data);
    await readDirectory(source, options);
    return source;
  } catch (error) {
    archive.close();
    throw error;
  }
}
