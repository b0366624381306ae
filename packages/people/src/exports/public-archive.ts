/** Writes the organization's public data as an archive in the reference server's export format (import facts, Zulip; decision 0056). */
import { randomUUID } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import { snapshot } from '@parley/database';
import type { Pool, Queryable } from '@parley/database';
import type { FileStore, StoredFile } from '@parley/files';
import { getRealm, storageKeyOf } from '@parley/store';
import { listPublicMessages, readPublicRows } from '@parley/store/public-data';
import type { PublicRows } from '@parley/store/public-data';
import { pack } from 'tar-stream';
import type { Pack } from 'tar-stream';

import { emojiFileKey } from '../organization/change-emoji.ts';

const messagesPerFile = 1_000;
/** Messages with long texts and histories take some hundred kilobytes each. */
const messagesAtOnce = 100;

const tables = [
  'zerver_realm',
  'zerver_userprofile',
  'zerver_userprofile_crossrealm',
  'zerver_stream',
  'zerver_recipient',
  'zerver_subscription',
  'zerver_defaultstream',
  'zerver_realmemoji',
  'zerver_realmfilter',
  'zerver_reaction',
] as const satisfies readonly PublicRows[];

/** Of the format, without a row: what they have elsewhere is not public, or not kept here. */
const emptyTables = [
  'zerver_botconfigdata',
  'zerver_botstoragedata',
  'zerver_customprofilefield',
  'zerver_customprofilefieldvalue',
  'zerver_huddle',
  'zerver_mutedtopic',
  'zerver_realmauditlog',
  'zerver_realmdomain',
  'zerver_service',
  'zerver_useractivity',
  'zerver_useractivityinterval',
  'zerver_usergroup',
  'zerver_usergroupmembership',
  'zerver_userhotspot',
  'zerver_userpresence',
  'zerver_userprofile_mirrordummy',
] as const;

type Source = { readonly pool: Pool; readonly files: FileStore };

type Rows = AsyncIterable<string> | Iterable<string>;

/** A file of JSON, whose arrays are written one after the other. Its size has to be known before it is in the archive. */
type JsonFile = Readonly<Record<string, Rows>>;

/** A temporary file without a name: it is gone with this process, however that ends. */
async function openUnnamedFile(): Promise<{
  readonly written: FileHandle;
  readonly read: FileHandle;
}> {
  const path = join(tmpdir(), `parley-export-${randomUUID()}`);
  const written = await open(path, 'wx', 0o600);
  try {
    return { written, read: await open(path) };
  } catch (error) {
    await written.close();
    throw error;
  } finally {
    await unlink(path);
  }
}

class ArchiveWriter {
  readonly #pack: Pack;
  readonly #signal: AbortSignal;
  /** What `stats.txt` says of each file: the independent control of whoever imports it. */
  readonly #counts: { readonly file: string; readonly rows: ReadonlyMap<string, number> }[] = [];

  /** @param signal of the end of the archive */
  constructor(archive: Pack, signal: AbortSignal) {
    this.#pack = archive;
    this.#signal = signal;
  }

  async add(name: string, sizeBytes: number, content: Readable): Promise<void> {
    try {
      await pipeline(content, this.#pack.entry({ name: `export/${name}`, size: sizeBytes }));
    } finally {
      // An archive that has ended takes no entry, and then nothing else would close it.
      content.destroy();
    }
  }

  async addText(name: string, text: string): Promise<void> {
    const content = Buffer.from(text);
    await this.add(name, content.length, Readable.from([content]));
  }

  /** @param shape an object of arrays, or the one array of a file of records */
  async addJson(name: string, shape: JsonFile | { readonly records: Rows }): Promise<void> {
    const rows = new Map<string, number>();
    const { written, read } = await openUnnamedFile();
    try {
      await pipeline(jsonOf(shape, rows), written.createWriteStream(), { signal: this.#signal });
      await this.add(name, (await read.stat()).size, read.createReadStream());
    } finally {
      await read.close();
    }
    this.#counts.push({ file: name, rows });
  }

  async addCounts(): Promise<void> {
    const blocks = this.#counts.map(({ file, rows }) => {
      const lines = [...rows]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, count]) => `${String(count).padStart(5)} ${key}\n`);
      return `${file}\n${lines.join('')}\n`;
    });
    await this.addText('stats.txt', blocks.join(''));
  }
}

async function* jsonOf(
  shape: JsonFile | { readonly records: Rows },
  counts: Map<string, number>,
): AsyncGenerator<string, void, undefined> {
  const isRecords = 'records' in shape;
  yield isRecords ? '' : '{';
  let separator = '';
  for (const [key, rows] of Object.entries(shape)) {
    yield isRecords ? '[' : `${separator}${JSON.stringify(key)}: [`;
    separator = ',\n';
    let count = 0;
    for await (const row of rows) {
      yield count === 0 ? `\n${row}` : `,\n${row}`;
      count += 1;
    }
    yield '\n]';
    counts.set(key, count);
  }
  yield isRecords ? '\n' : '}\n';
}

/** The numbers under which the format knows clients. */
class ClientNumbers {
  readonly #numbers = new Map<string, number>();

  of(name: string): number {
    const number = this.#numbers.get(name) ?? this.#numbers.size + 1;
    this.#numbers.set(name, number);
    return number;
  }

  *rows(): Generator<string, void, undefined> {
    for (const [name, id] of this.#numbers) yield JSON.stringify({ id, name });
  }
}

/** Messages from one id on; `lastId` follows, and `isEnded` says that there are no more. */
class PublicMessages {
  readonly #snapshot: Queryable;
  readonly #clients: ClientNumbers;
  readonly #withHistory: boolean;
  #lastId = 0;
  #next: Awaited<ReturnType<typeof listPublicMessages>> | undefined;

  constructor(reads: Queryable, clients: ClientNumbers, withHistory: boolean) {
    this.#snapshot = reads;
    this.#clients = clients;
    this.#withHistory = withHistory;
  }

  async isEnded(): Promise<boolean> {
    this.#next ??= await listPublicMessages(
      this.#snapshot,
      this.#lastId,
      messagesAtOnce,
      this.#withHistory,
    );
    return this.#next.length === 0;
  }

  /** The rows of one file. */
  async *rows(): AsyncGenerator<string, void, undefined> {
    for (let count = 0; count < messagesPerFile && !(await this.isEnded());) {
      const page = this.#next ?? [];
      this.#next = undefined;
      for (const { id, client, row } of page) {
        this.#lastId = id;
        yield `${row.slice(0, -1)}, "sending_client": ${this.#clients.of(client)}}`;
      }
      count += page.length;
    }
  }
}

async function addFiles(
  writer: ArchiveWriter,
  records: Rows,
  folder: string,
  open: (path: string) => Promise<StoredFile | undefined>,
): Promise<void> {
  for await (const row of records) {
    const { path } = JSON.parse(row) as { path: string };
    const stored = await open(path);
    // Lost, or deleted meanwhile: its record stays, as in archives of the reference server.
    if (stored !== undefined)
      await writer.add(`${folder}/${path}`, stored.sizeBytes, stored.content);
  }
}

async function writeAll(
  { pool, files }: Source,
  archive: Pack,
  signal: AbortSignal,
): Promise<void> {
  const writer = new ArchiveWriter(archive, signal);
  await snapshot(pool, async (reads) => {
    const { settings } = await getRealm(reads);
    const clients = new ClientNumbers();
    const messages = new PublicMessages(reads, clients, settings.allow_edit_history);
    for (let number = 1; !(await messages.isEnded()); number += 1)
      await writer.addJson(`messages-${String(number).padStart(6, '0')}.json`, {
        zerver_message: messages.rows(),
        // Who read what is nobody else's business.
        zerver_usermessage: [],
      });
    await writer.addJson('realm.json', {
      ...Object.fromEntries(tables.map((table) => [table, readPublicRows(reads, table)])),
      ...Object.fromEntries(emptyTables.map((table) => [table, []])),
      zerver_client: clients.rows(),
    });
    await writer.addJson('attachment.json', {
      zerver_attachment: readPublicRows(reads, 'zerver_attachment'),
    });
    await writer.addJson('analytics.json', {
      zerver_analytics: [],
      analytics_realmcount: [],
      analytics_usercount: [],
      analytics_streamcount: [],
    });
    await writer.addJson('uploads/records.json', {
      records: readPublicRows(reads, 'uploads/records'),
    });
    await addFiles(writer, readPublicRows(reads, 'uploads/records'), 'uploads', (path) =>
      files.read(storageKeyOf(path)),
    );
    await writer.addJson('emoji/records.json', { records: readPublicRows(reads, 'emoji/records') });
    await addFiles(writer, readPublicRows(reads, 'emoji/records'), 'emoji', (path) =>
      files.read(emojiFileKey(Number(/(\d+)\.\w+$/.exec(path)?.[1]))),
    );
    await writer.addJson('avatars/records.json', { records: [] });
  });
  await writer.addCounts();
}

/**
 * Makes the archive: a tar under gzip, of one snapshot, in bounded memory; a table at a time lies in the folder for temporary files meanwhile.
 *
 * @param source.pool whose transactions may be idle while files are read
 * @returns the bytes; fails if something cannot be read, and nothing of it is left behind, also by a process that is killed
 */
export function makePublicArchive(source: Source, signal: AbortSignal): Readable {
  const archive = pack();
  const gzip = createGzip();
  const ended = new AbortController();
  // Whoever reads the bytes learns of a failure from them; who reads rows for an archive that nobody takes has to stop.
  void pipeline(archive, gzip, { signal }).catch((error: unknown) => ended.abort(error));
  const write = async (): Promise<void> => {
    await writeAll(source, archive, ended.signal);
    archive.finalize();
  };
  void write().catch((error: unknown) =>
    archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return gzip;
}
