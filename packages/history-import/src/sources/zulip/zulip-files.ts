/** Uploaded files, avatars and pictures of emoji in the reference server's export. */
import type { SpooledArchive } from '../../archive/spooled-archive.ts';
import { checkEntryPath } from '../../archive/archive-bounds.ts';
import type { Ledger, Place } from '../../ledger.ts';
import type { Row } from '../../reading/row.ts';
import type { ArchiveFile, EmojiRecord, FileRecord, PersonRecord } from '../../records.ts';
import type { ZulipPeople } from './zulip-people.ts';
import { eachRow, readTables, recordFiles } from './zulip-tables.ts';
import type { RealmTables, RowHandler } from './zulip-tables.ts';

/** The files that messages link to, by their paths. */
export type ZulipFiles = {
  readonly files: readonly FileRecord[];
  readonly indexOf: (pathId: string) => number | undefined;
};

function archiveFile(archive: SpooledArchive, path: string): ArchiveFile | undefined {
  if (!archive.has(path)) return undefined;
  return {
    sizeBytes: archive.bytesOf(path),
    open: () => Promise.resolve(archive.open(path)),
  };
}

/** @returns the path of a record's file in the archive */
function pathOf(row: Row, folder: string): string {
  return checkEntryPath(`${folder}/${row.text('path')}`);
}

async function readRecords(
  archive: SpooledArchive,
  file: string,
  ledger: Ledger,
  handle: (row: Row, place: Place) => void,
): Promise<void> {
  const keep: RowHandler = (row, place, weight) => {
    ledger.keep(weight);
    handle(row, place);
  };
  if (archive.has(file)) await readTables(archive, file, { rows: { [file]: keep } }, ledger);
}

export async function readZulipFiles(
  archive: SpooledArchive,
  people: ZulipPeople,
  fallbackOwner: () => number,
  ledger: Ledger,
): Promise<ZulipFiles> {
  const stored = new Map<string, string>();
  const waiting: { readonly pathId: string; readonly place: Place }[] = [];
  await readRecords(archive, recordFiles.uploads, ledger, (row, place) => {
    const pathId = row.findText('s3_path') ?? row.text('path');
    stored.set(pathId, pathOf(row, 'uploads'));
    waiting.push({ pathId, place });
  });
  const files: FileRecord[] = [];
  const indexes = new Map<string, number>();
  const kind = 'zerver_attachment';
  const handle: RowHandler = (row, place, weight) => {
    ledger.keep(weight);
    const pathId = row.text('path_id');
    const file = archiveFile(archive, stored.get(pathId) ?? `uploads/${pathId.normalize('NFC')}`);
    if (file === undefined) return ledger.skipped(kind, 'its file is not in the archive', place);
    if (indexes.has(pathId)) return ledger.merged(kind, 'the file is listed twice', place);
    if (file.sizeBytes !== (row.findInteger('size') ?? file.sizeBytes))
      ledger.remark('files with another size than the archive says');
    indexes.set(pathId, files.length);
    files.push({
      place,
      owner: people.indexOf(row.integer('owner')) ?? fallbackOwner(),
      name: row.text('file_name'),
      createdAt: row.findTime('create_time') ?? 0,
      file,
      // A text may name a file that its sender could not open.
      messageKeys: new Set(row.integers('messages').map(String)),
    });
    return ledger.imported(kind);
  };
  if (archive.has('attachment.json'))
    await readTables(archive, 'attachment.json', { rows: { [kind]: handle } }, ledger);
  for (const { pathId, place } of waiting) {
    if (indexes.has(pathId)) ledger.imported(recordFiles.uploads);
    else ledger.skipped(recordFiles.uploads, 'no message uses the file', place);
  }
  return { files, indexOf: (pathId) => indexes.get(pathId) };
}

type FoundAvatar = {
  readonly path: string;
  readonly place: Place;
  readonly isOriginal: boolean;
};

/** @returns the people with their pictures */
export async function addZulipAvatars(
  archive: SpooledArchive,
  people: ZulipPeople,
  ledger: Ledger,
): Promise<readonly PersonRecord[]> {
  const found = new Map<number, FoundAvatar>();
  const kind = recordFiles.avatars;
  await readRecords(archive, kind, ledger, (row, place) => {
    const index = people.indexOf(row.integer('user_profile_id'));
    const person = index === undefined ? undefined : people.people[index];
    if (index === undefined || person === undefined || person.systemBot !== undefined)
      return ledger.skipped(kind, 'its person is not imported', place);
    const path = pathOf(row, 'avatars');
    if (!archive.has(path)) return ledger.skipped(kind, 'its file is not in the archive', place);
    const avatar = { path, place, isOriginal: path.endsWith('.original') };
    const other = found.get(index);
    if (other === undefined) ledger.imported(kind);
    else ledger.merged(kind, 'another size of the same picture', place);
    if (other === undefined || avatar.isOriginal) found.set(index, avatar);
    return undefined;
  });
  return people.people.map((person, index) => {
    const avatar = found.get(index);
    const file = avatar === undefined ? undefined : archiveFile(archive, avatar.path);
    if (avatar === undefined || file === undefined) return person;
    return { ...person, avatar: { place: avatar.place, file } };
  });
}

export type ZulipEmoji = {
  readonly emoji: readonly EmojiRecord[];
  readonly indexOf: (oldId: number) => number | undefined;
};

export async function readZulipEmoji(
  archive: SpooledArchive,
  { rows }: RealmTables,
  people: ZulipPeople,
  ledger: Ledger,
): Promise<ZulipEmoji> {
  const paths = new Map<string, string>();
  await readRecords(archive, recordFiles.emoji, ledger, (row) => {
    const path = pathOf(row, 'emoji');
    paths.set(row.findText('file_name') ?? path.slice(path.lastIndexOf('/') + 1), path);
    ledger.imported(recordFiles.emoji);
  });
  const emoji: EmojiRecord[] = [];
  const indexes = new Map<number, number>();
  const activeNames = new Set<string>();
  eachRow('zerver_realmemoji', rows.zerver_realmemoji, ledger, ({ row, place }) => {
    const name = row.text('name').toLowerCase();
    const author = row.findInteger('author');
    const path = paths.get(row.findText('file_name') ?? '');
    const isDeactivated = row.isTrue('deactivated') || activeNames.has(name);
    if (!isDeactivated) activeNames.add(name);
    indexes.set(row.integer('id'), emoji.length);
    emoji.push({
      place,
      name,
      author: author === undefined ? undefined : people.indexOf(author),
      isDeactivated,
      file: path === undefined ? undefined : archiveFile(archive, path),
    });
  });
  return { emoji, indexOf: (oldId) => indexes.get(oldId) };
}
