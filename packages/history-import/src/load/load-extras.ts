/** Files, pictures, groups, profile fields, linkifiers and domains of an import. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { ApiError, limits } from '@parley/api';
import type { Client } from '@parley/database';
import { cleanFileName, cutFileName, decideContentType, headBytes, newPathId } from '@parley/files';
import { UnusableImage } from '@parley/files/images';
import type { ImageDecoder, MadeImage, WantedImages } from '@parley/files/images';
import { descriptionRenderer } from '@parley/markdown';
import {
  avatarKey,
  avatarSides,
  checkDomain,
  checkLinkifier,
  emojiFileKey,
  emojiSide,
  pictureExtensions,
} from '@parley/people';
import {
  drawEmojiId,
  insertDomain,
  insertLinkifier,
  insertProfileField,
  insertUserGroup,
  profileFieldTypes,
  setAvatarFile,
  setProfileValues,
  storageKeyOf,
  updateUser,
} from '@parley/store';
import { insertImportedEmoji, insertImportedUploads } from '@parley/store/imports';
import type { ImportedUpload } from '@parley/store/imports';

import type { Ledger } from '../ledger.ts';
import type { ArchiveFile, Directory, Source } from '../records.ts';
import type { LoadedPeople } from './load-people.ts';
import type { StoredFiles } from './stored-files.ts';

export type ExtrasOptions = {
  readonly client: Client;
  readonly directory: Directory;
  readonly people: LoadedPeople;
  readonly storedFiles: StoredFiles;
  readonly decoder: ImageDecoder;
  readonly kinds: Source['kinds'];
  readonly ledger: Ledger;
  readonly publicUrl: string;
  readonly signal: AbortSignal;
  readonly advance: (files: number) => void;
};

export type LoadedExtras = {
  readonly filePaths: readonly string[];
  /** The keys of the messages that open a file to their readers, by its path; undefined for all that link to it. */
  readonly openersOf: ReadonlyMap<string, ReadonlySet<string> | undefined>;
  readonly emoji: readonly (
    | {
        readonly id: number;
        readonly name: string;
        readonly fileName: string;
        readonly isDeactivated: boolean;
      }
    | undefined
  )[];
  readonly groups: readonly { readonly id: number; readonly name: string }[];
};

const shownNameMax = 255;

/** @returns a file's content, and the first bytes of it, by which its type is known */
async function openWithHead(
  file: ArchiveFile,
): Promise<{ readonly head: Buffer; readonly content: Readable }> {
  const chunks = (await file.open())[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let head: Buffer = Buffer.alloc(0);
  while (head.length < headBytes) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  async function* whole(): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
      yield next.value;
  }
  return { head: head.subarray(0, headBytes), content: Readable.from(whole()) };
}

async function loadFiles(options: ExtrasOptions): Promise<string[]> {
  const { client, directory, people, storedFiles, advance, signal } = options;
  const paths: string[] = [];
  let rows: ImportedUpload[] = [];
  for (const { owner, name, createdAt, file } of directory.files) {
    signal.throwIfAborted();
    const shownName = cutFileName(name.replaceAll('\0', ''), shownNameMax);
    const pathId = newPathId(cleanFileName(shownName));
    const { head, content } = await openWithHead(file);
    await storedFiles.store(storageKeyOf(pathId), content);
    paths.push(pathId);
    rows.push({
      path_id: pathId,
      owner_id: people.users[owner]?.id ?? people.users[people.administrator]?.id ?? 0,
      file_name: shownName,
      content_type: decideContentType(head, name, undefined),
      size_bytes: file.sizeBytes,
      created_at: createdAt,
    });
    advance(1);
    if (rows.length < 500) continue;
    await insertImportedUploads(client, rows);
    rows = [];
  }
  await insertImportedUploads(client, rows);
  return paths;
}

/** @returns undefined if the file is no picture that can be shown */
async function makePictures(
  { decoder, ledger }: ExtrasOptions,
  file: ArchiveFile,
  wanted: WantedImages,
): Promise<readonly MadeImage[] | undefined> {
  if (file.sizeBytes > limits.pictureMaxBytes) {
    ledger.remark('pictures that are too large');
    return undefined;
  }
  try {
    return await decoder.make(await buffer(await file.open()), wanted);
  } catch (error) {
    if (!(error instanceof UnusableImage)) throw error;
    ledger.remark('pictures that cannot be shown');
    return undefined;
  }
}

async function loadAvatars(options: ExtrasOptions): Promise<void> {
  const { client, directory, people, storedFiles, advance, signal } = options;
  for (const [index, { avatar }] of directory.people.entries()) {
    const user = people.users[index];
    if (avatar === undefined || user === undefined) continue;
    signal.throwIfAborted();
    advance(1);
    const sides = [avatarSides.normal, avatarSides.medium];
    const made = await makePictures(options, avatar.file, { shape: 'squares', sides });
    const [normal, medium] = made ?? [];
    if (normal === undefined || medium === undefined) continue;
    const fileKey = `avatars/${randomBytes(16).toString('hex')}`;
    await storedFiles.store(avatarKey(fileKey, 'normal'), normal.content);
    await storedFiles.store(avatarKey(fileKey, 'medium'), medium.content);
    await setAvatarFile(client, user.id, fileKey);
    await updateUser(client, user.id, { avatarSource: 'U' });
  }
}

async function loadEmoji(options: ExtrasOptions): Promise<LoadedExtras['emoji']> {
  const { client, directory, people, storedFiles, ledger, kinds } = options;
  const loaded: LoadedExtras['emoji'][number][] = [];
  for (const { place, name, author, isDeactivated, file } of directory.emoji) {
    const isNameUsable = /^[0-9a-z._-]*[0-9a-z]$/.test(name) && name.length <= 100;
    const made =
      file !== undefined && isNameUsable && loaded.length < limits.realmEmojiMax
        ? await makePictures(options, file, { shape: 'square', side: emojiSide })
        : undefined;
    const [picture] = made ?? [];
    if (picture === undefined) {
      ledger.skipped(kinds.emoji, 'its name or picture cannot be used', place);
      loaded.push(undefined);
      continue;
    }
    const id = await drawEmojiId(client);
    await storedFiles.store(emojiFileKey(id), picture.content);
    const fileName = `${id}.${pictureExtensions[picture.format]}`;
    const authorId = (author === undefined ? undefined : people.users[author]?.id) ?? null;
    await insertImportedEmoji(client, { id, name, authorId, fileName, isDeactivated });
    ledger.imported(kinds.emoji);
    loaded.push({ id, name, fileName, isDeactivated });
  }
  return loaded;
}

async function loadGroups({
  client,
  directory,
  people,
  ledger,
}: ExtrasOptions): Promise<LoadedExtras['groups']> {
  const groups: { id: number; name: string }[] = [];
  for (const { name, description, members } of directory.groups.slice(0, limits.userGroupsMax)) {
    const memberIds = members.flatMap((index) => people.users[index]?.id ?? []);
    const made = await insertUserGroup(client, { name, description, memberIds });
    if (made !== undefined) groups.push(made);
  }
  if (directory.groups.length > limits.userGroupsMax) ledger.remark('user groups beyond the limit');
  return groups;
}

const renderedTypes: ReadonlySet<number> = new Set([
  profileFieldTypes.SHORT_TEXT.id,
  profileFieldTypes.LONG_TEXT.id,
]);

async function loadProfiles({
  client,
  directory,
  people,
  publicUrl,
}: ExtrasOptions): Promise<void> {
  const render = descriptionRenderer(publicUrl);
  const ids: number[] = [];
  for (const { name, type, hint, fieldData } of directory.profileFields) {
    const known = Object.values(profileFieldTypes).find(({ id }) => id === type);
    const { id: knownType } = known ?? profileFieldTypes.SHORT_TEXT;
    const made = await insertProfileField(client, { name, type: knownType, hint, fieldData });
    if (made === undefined) throw new Error('the names of profile fields are not unique');
    ids.push(made.id);
  }
  for (const { person, field, value } of directory.profileValues) {
    const userId = people.users[person]?.id;
    const fieldId = ids[field];
    if (userId === undefined || fieldId === undefined) continue;
    const text =
      typeof value === 'string'
        ? value
        : JSON.stringify(value.flatMap((index) => people.users[index]?.id ?? []));
    const isRendered = renderedTypes.has(directory.profileFields[field]?.type ?? 0);
    const renderedValue = isRendered ? render(text) : null;
    await setProfileValues(client, userId, [{ fieldId, value: text, renderedValue }]);
  }
}

/** Rules of Parley decide; a pattern that it does not take is reported. */
async function loadLinkifiers({ client, directory, ledger, kinds }: ExtrasOptions): Promise<void> {
  const patterns = new Set<string>();
  for (const { place, pattern, urlFormat } of directory.linkifiers) {
    try {
      checkLinkifier({ pattern, urlFormat }, patterns.has(pattern));
      if (patterns.size >= limits.linkifiersMax) {
        ledger.skipped(kinds.linkifier, 'there are too many', place);
        continue;
      }
      patterns.add(pattern);
      await insertLinkifier(client, { pattern, urlFormat });
      ledger.imported(kinds.linkifier);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      ledger.skipped(kinds.linkifier, error.message, place);
    }
  }
}

async function loadDomains({ client, directory, ledger, kinds }: ExtrasOptions): Promise<void> {
  const taken = new Set<string>();
  for (const { place, domain, allowSubdomains } of directory.domains) {
    try {
      const checked = checkDomain(domain);
      if (taken.has(checked)) {
        ledger.merged(kinds.domain, 'the domain is listed twice', place);
        continue;
      }
      taken.add(checked);
      await insertDomain(client, { domain: checked, allowSubdomains });
      ledger.imported(kinds.domain);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      ledger.skipped(kinds.domain, error.message, place);
    }
  }
}

export async function loadExtras(options: ExtrasOptions): Promise<LoadedExtras> {
  const filePaths = await loadFiles(options);
  await loadAvatars(options);
  const emoji = await loadEmoji(options);
  const groups = await loadGroups(options);
  await loadProfiles(options);
  await loadLinkifiers(options);
  await loadDomains(options);
  const openersOf = new Map(
    filePaths.map((path, n) => [path, options.directory.files[n]?.messageKeys]),
  );
  return { filePaths, openersOf, emoji, groups };
}
