/** An export of one organization of the reference server (2.0 to 12.x, and converters that write its form). */
import { spoolTar } from '../../archive/spooled-archive.ts';
import type { SpooledArchive } from '../../archive/spooled-archive.ts';
import { namesOfEmojiCode } from '@parley/markdown';

import { ImportFault, RecordFault } from '../../import-fault.ts';
import type { Ledger, Place } from '../../ledger.ts';
import { countElements } from '../../reading/count-elements.ts';
import type { Row } from '../../reading/row.ts';
import type { Directory, LoadedNames, ReactionRecord, Source } from '../../records.ts';
import { findReactionEmoji } from '../source-emoji.ts';
import {
  readZulipDomains,
  readZulipLinkifiers,
  readZulipOrganization,
  readZulipProfiles,
} from './zulip-extras.ts';
import { addZulipAvatars, readZulipEmoji, readZulipFiles } from './zulip-files.ts';
import type { ZulipEmoji, ZulipFiles } from './zulip-files.ts';
import { readZulipGroups } from './zulip-groups.ts';
import { readMessageBatches, readMessageKeys } from './zulip-messages.ts';
import type { MessageFacts, SeenMessages } from './zulip-messages.ts';
import { readZulipPeople } from './zulip-people.ts';
import type { ZulipPeople } from './zulip-people.ts';
import { otherThanStats, readZulipStats } from './zulip-stats.ts';
import type { ZulipStats } from './zulip-stats.ts';
import { readZulipMemberships } from './zulip-memberships.ts';
import type { ZulipMemberships } from './zulip-memberships.ts';
import { readZulipStreams } from './zulip-streams.ts';
import type { ZulipStreams } from './zulip-streams.ts';
import { checkZulipVersion } from './zulip-version.ts';
import { eachRow, readRealmTables, readRows, readTables, recordFiles } from './zulip-tables.ts';
import type { RealmTables } from './zulip-tables.ts';
import { ZulipTexts, zulipLinks } from './zulip-texts.ts';

export type ZulipOptions = {
  readonly file: string;
  /** Where the archive is unpacked meanwhile; made here, and removed with the source. */
  readonly spoolFolder: string;
  /** Where the organization was, if links with its address are to be mended. */
  readonly sourceUrl: string | undefined;
  /** Where it is now; without a slash at the end. */
  readonly publicUrl: string;
  readonly ledger: Ledger;
  readonly signal: AbortSignal;
};

const messageFile = /^messages-(\d{6})\.json$/;

/** @throws ImportFault if the archive is not whole, or of another kind */
function findMessageFiles(archive: SpooledArchive, stats: ZulipStats): string[] {
  const paths = archive.paths();
  if (archive.has('user.json'))
    throw new ImportFault(
      'This is the export of one person. An organization is imported from the export that its server makes of all of it',
    );
  if (!archive.has('realm.json'))
    throw new ImportFault('The archive is no export of an organization: it has no realm.json');
  if (paths.some((path) => path.endsWith('.partial')))
    throw new ImportFault(
      'The archive has unfinished files (.partial): the export was interrupted and lacks who read what. Export again',
    );
  const files = paths.filter((path) => messageFile.test(path)).toSorted();
  const gap = files.findIndex((path, n) => Number(messageFile.exec(path)?.[1]) !== n + 1);
  if (gap >= 0)
    throw new ImportFault(`Files of messages are missing before ${files[gap]}: export again`);
  const missing = [...stats.keys()].find((path) => messageFile.test(path) && !archive.has(path));
  if (missing !== undefined)
    throw new ImportFault(`${missing} is missing, of which stats.txt tells: export again`);
  return files;
}

class ZulipSource implements Source {
  readonly name = 'zulip';
  readonly kinds = {
    message: 'zerver_message',
    reaction: 'zerver_reaction',
    emoji: 'zerver_realmemoji',
    linkifier: 'zerver_realmfilter',
    domain: 'zerver_realmdomain',
  } as const;
  readonly links;
  readonly #options: ZulipOptions;
  readonly #archive: SpooledArchive;
  readonly #tables: RealmTables;
  readonly #people: ZulipPeople;
  readonly #streams: ZulipStreams;
  readonly #memberships: ZulipMemberships;
  readonly #facts: MessageFacts;
  readonly #stats: ZulipStats;
  readonly #seen: SeenMessages = { privateMessages: 0, privateStreamMessages: 0 };
  #files: ZulipFiles | undefined;
  #emoji: ZulipEmoji | undefined;

  constructor(
    options: ZulipOptions,
    archive: SpooledArchive,
    parts: {
      readonly messageFiles: readonly string[];
      readonly tables: RealmTables;
      readonly stats: ZulipStats;
      readonly people: ZulipPeople;
      readonly streams: ZulipStreams;
      readonly memberships: ZulipMemberships;
    },
  ) {
    const { messageFiles, tables, stats, people, streams, memberships } = parts;
    const { ledger } = options;
    this.#options = options;
    this.#archive = archive;
    this.#tables = tables;
    this.#stats = stats;
    this.#people = people;
    this.#streams = streams;
    this.#memberships = memberships;
    this.links = zulipLinks(options.publicUrl);
    this.#facts = {
      archive,
      files: messageFiles,
      people,
      streams,
      memberships,
      isSortedByDate: tables.isSortedByDate,
      ledger,
    };
  }

  async count(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const totals = new Map<string, number>();
    const listed = ['realm.json', 'attachment.json', 'analytics.json', ...this.#facts.files];
    for (const path of listed) {
      signal.throwIfAborted();
      if (!this.#archive.has(path)) continue;
      const counts = new Map<string, number>();
      await countElements(this.#archive.open(path), counts);
      for (const [table, rows] of counts) totals.set(table, (totals.get(table) ?? 0) + rows);
      for (const table of otherThanStats(this.#stats, path, counts))
        this.#options.ledger.remark(`stats.txt has another number of ${table} in ${path}`);
    }
    for (const path of Object.values(recordFiles)) {
      if (!this.#archive.has(path)) continue;
      const count = new Map<string, number>();
      await countElements(this.#archive.open(path), count);
      totals.set(path, count.get('') ?? 0);
    }
    return totals;
  }

  messageKeys(): ReturnType<Source['messageKeys']> {
    return readMessageKeys(this.#facts, this.#seen);
  }

  async directory(): Promise<Directory> {
    const { ledger } = this.#options;
    const [archive, tables, people] = [this.#archive, this.#tables, this.#people];
    const fallbackOwner = (): number =>
      Math.max(
        0,
        people.people.findIndex((one) => one.isActive),
      );
    this.#files = await readZulipFiles(archive, people, fallbackOwner, ledger);
    this.#emoji = await readZulipEmoji(archive, tables, people, ledger);
    const profiles = readZulipProfiles(tables, people, ledger);
    ledger.imported('zerver_client', tables.rows.zerver_client.length);
    if (archive.has('analytics.json'))
      await readTables(
        archive,
        'analytics.json',
        {
          rows: {},
          others: (table, place, count) =>
            ledger.skippedMany(table, 'statistics have no place here', place, count),
        },
        ledger,
      );
    if (this.#seen.privateMessages === 0 && this.#seen.privateStreamMessages === 0)
      ledger.remark('the archive has no private message: it may be an export of public data only');
    return {
      organization: readZulipOrganization(tables, this.#streams, ledger),
      people: await addZulipAvatars(archive, people, ledger),
      streams: this.#streams.streams,
      subscriptions: this.#memberships.subscriptions,
      mutedTopics: this.#streams.mutedTopics,
      groups: readZulipGroups(tables, people, ledger),
      profileFields: profiles.fields,
      profileValues: profiles.values,
      emoji: this.#emoji.emoji,
      linkifiers: readZulipLinkifiers(tables, ledger),
      domains: readZulipDomains(tables, ledger),
      files: this.#files.files,
      hasReceipts: true,
    };
  }

  messagesTotal(): number {
    return this.#facts.files.reduce((sum, path) => sum + this.#archive.bytesOf(path), 0);
  }

  messages(names: LoadedNames): ReturnType<Source['messages']> {
    const { sourceUrl, publicUrl, ledger } = this.#options;
    if (this.#files === undefined) throw new Error('the directory is read before the messages');
    const texts = new ZulipTexts({
      names,
      people: this.#people,
      streams: this.#streams,
      files: this.#files,
      sourceUrl,
      publicUrl,
    });
    if (!this.#memberships.logCheck.isReliable && this.#people.idle.size > 0)
      ledger.remark('people who were away long lack messages: the log is of another server');
    const clients = new Map(
      this.#tables.rows.zerver_client.map(({ row }) => [
        row.findInteger('id') ?? -1,
        row.findText('name') ?? '',
      ]),
    );
    return readMessageBatches(this.#facts, { texts, clients });
  }

  async *reactions(): AsyncGenerator<readonly ReactionRecord[]> {
    const { ledger } = this.#options;
    const kind = this.kinds.reaction;
    for await (const rows of readRows(this.#archive, 'realm.json', kind, ledger)) {
      const found: ReactionRecord[] = [];
      eachRow(kind, rows, ledger, ({ row, place }) => {
        const reaction = this.#reactionOf(row, place);
        if (reaction === undefined) ledger.skipped(kind, 'there is no such emoji here', place);
        else found.push(reaction);
      });
      yield found;
    }
  }

  #reactionOf(row: Row, place: Place): ReactionRecord | undefined {
    const person = this.#people.indexOf(row.integer('user_profile'));
    if (person === undefined) throw new RecordFault('its person is not in the archive');
    const emoji = this.#reactionEmoji(row);
    if (emoji === undefined) return undefined;
    return {
      place,
      messageKey: String(row.integer('message')),
      person,
      emoji,
      reactedAt: null,
    };
  }

  #reactionEmoji(row: Row): ReactionRecord['emoji'] | undefined {
    const code = String(row.value('emoji_code'));
    const name = row.text('emoji_name');
    switch (row.text('reaction_type')) {
      case 'unicode_emoji': {
        const found = findReactionEmoji(code);
        if (found === undefined) return undefined;
        return namesOfEmojiCode(code).includes(name) ? { ...found, name } : found;
      }
      case 'zulip_extra_emoji':
        return { kind: 'extra' };
      case 'realm_emoji': {
        const emoji = this.#emoji?.indexOf(Number(code));
        if (emoji === undefined) throw new RecordFault('its emoji is not in the archive');
        return { kind: 'custom', emoji };
      }
      default:
        throw new RecordFault('its kind is unknown');
    }
  }

  async close(): Promise<void> {
    await this.#archive.close();
  }
}

/**
 * Opens an export.
 *
 * @throws ImportFault if it cannot be imported; nothing is left of it
 */
export async function openZulip(options: ZulipOptions): Promise<Source> {
  const archive = await spoolTar(options.file, options.spoolFolder, options.signal);
  try {
    await checkZulipVersion(archive);
    const stats = await readZulipStats(archive);
    const messageFiles = findMessageFiles(archive, stats);
    const tables = await readRealmTables(archive, options.ledger);
    const people = readZulipPeople(tables, options.ledger);
    const streams = readZulipStreams(tables, people, options.ledger);
    const memberships = await readZulipMemberships(archive, people, streams, options.ledger);
    const parts = { messageFiles, tables, stats, people, streams, memberships };
    return new ZulipSource(options, archive, parts);
  } catch (error) {
    await archive.close();
    throw error;
  }
}
