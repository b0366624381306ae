/**
 * Writes the organization of another system into an empty installation, in the one transaction of the caller: all of it or nothing. No event,
 * notification or mail is made.
 */
import { realmSettingDefaults } from '@parley/api/organization';
import type { Client, Pool } from '@parley/database';
import { openImportedLog, planImportedLog, readHead } from '@parley/event-log';
import { extraEmoji } from '@parley/markdown';
import { emojiUrl } from '@parley/store/objects';
import {
  createOrganizationRows,
  emailPolicy,
  isReactingBot,
  listLinkifiers,
  moveSideEffectCursor,
  setRealmNotificationStreams,
} from '@parley/store';
import {
  addImportedChange,
  addMessageKeys,
  beginMessageKeys,
  beginReceipts,
  beginWholeHistories,
  findMessageNumbers,
  insertImportedReactions,
  markImportRead,
  noteImportedMessages,
  numberMessages,
  planForImports,
  writeImportedHoldings,
  writeImportedPositions,
  writeImportedReads,
} from '@parley/store/imports';
import type { ImportedPosition, ImportedReaction } from '@parley/store/imports';

import { ImportFault } from '../import-fault.ts';
import { differencesOf } from '../ledger.ts';
import type { Directory, ReactionRecord, ReadPositionRecord } from '../records.ts';
import { RenderThreads } from '../rendering/render-threads.ts';
import { loadExtras } from './load-extras.ts';
import type { Conversations } from './conversations.ts';
import type { HistoryImport } from './import-options.ts';
import { loadMessages } from './load-messages.ts';
import { namesOf } from './loaded-directory.ts';
import type { LoadedDirectory } from './loaded-directory.ts';
import { loadPeople } from './load-people.ts';
import { loadStreams } from './load-streams.ts';
import { StoredFiles } from './stored-files.ts';
import type { Ledger, Place } from '../ledger.ts';
import type { LoadedExtras } from './load-extras.ts';

/** Writes how far people have read, for sources that know only that. */
async function writeReadPositions(
  client: Client,
  positions: readonly ReadPositionRecord[],
  { people, streams }: LoadedDirectory,
  conversations: Conversations,
): Promise<void> {
  const found: ImportedPosition[] = [];
  for (const { person, place, readUpTo } of positions) {
    const userId = people.users[person]?.id ?? 0;
    if ('stream' in place)
      found.push({ userId, scope: streams.streams[place.stream]?.id ?? 0, readUpTo });
    else {
      const { id } = await conversations.of({ participants: place.participants }, person);
      found.push({ userId, scope: -id, readUpTo });
    }
  }
  await writeImportedPositions(client, found);
}

/** Writes reactions, whose messages are there. */
async function writeReactions(
  client: Client,
  reactions: readonly ReactionRecord[],
  loaded: { readonly directory: LoadedDirectory; readonly ledger: Ledger; readonly kind: string },
): Promise<void> {
  const { directory, ledger, kind } = loaded;
  const numbers = await findMessageNumbers(client, [
    ...new Set(reactions.map(({ messageKey }) => messageKey)),
  ]);
  const found: ImportedReaction[] = [];
  const places: Place[] = [];
  for (const { place, messageKey, person, emoji, reactedAt } of reactions) {
    const messageId = numbers.get(messageKey)?.id;
    const user = directory.people.users[person];
    const shown = shownEmoji(emoji, directory.extras);
    if (messageId === undefined || user === undefined)
      ledger.skipped(kind, 'its message was not imported', place);
    else if (shown === undefined) ledger.skipped(kind, 'its emoji was not imported', place);
    else {
      found.push({ messageId, userId: user.id, ...shown, reactedAt });
      places.push(place);
    }
  }
  const { written, missing } = await insertImportedReactions(client, found);
  ledger.imported(kind, written.size);
  for (const [n, place] of places.entries())
    if (missing.has(n)) ledger.skipped(kind, 'its message was not imported', place);
    else if (!written.has(n))
      ledger.merged(kind, 'the person has reacted with this emoji before', place);
}

function shownEmoji(
  emoji: ReactionRecord['emoji'],
  { emoji: loaded }: LoadedExtras,
): Pick<ImportedReaction, 'name' | 'code' | 'type'> | undefined {
  switch (emoji.kind) {
    case 'unicode':
      return { name: emoji.name, code: emoji.code, type: 'unicode_emoji' };
    case 'extra':
      return { name: extraEmoji.name, code: extraEmoji.code, type: 'zulip_extra_emoji' };
    case 'custom': {
      const found = loaded[emoji.emoji];
      return found && { name: found.name, code: String(found.id), type: 'realm_emoji' };
    }
  }
}

export type ImportedOrganization = {
  readonly name: string;
  readonly people: number;
  /** They are deactivated. */
  readonly peopleWithoutAddress: number;
  /** The address of the first administrator. */
  readonly administrator: string;
  readonly streams: number;
  readonly messages: number;
};

/** Makes room in the log, before the transaction. @returns the position at which the log goes on */
export async function planHistoryImport(pool: Pool): Promise<number> {
  const { epoch, endPosition, messageId } = await readHead(pool);
  return planImportedLog(pool, { epoch, endPosition, messageId });
}

/** Where new rows stand in the log of this installation. */
type LogPlace = {
  readonly epoch: number;
  readonly beginPosition: number;
  readonly lastMessageId: number;
  /** Added to a message's id for its position. */
  readonly positionAbove: number;
};

async function numberAll(
  { client, source, step, signal }: HistoryImport,
  lastId: number,
): Promise<number> {
  await beginMessageKeys(client);
  const bar = step('Order of messages', 0);
  try {
    for await (const keys of source.messageKeys()) {
      signal.throwIfAborted();
      await addMessageKeys(client, keys);
      bar.advance(keys.length);
    }
    return await numberMessages(client, lastId);
  } finally {
    bar.finish();
  }
}

async function loadDirectory(
  options: HistoryImport,
  directory: Directory,
  place: LogPlace,
): Promise<LoadedDirectory> {
  const { client, keySecrets, source, ledger, publicUrl, administrator, emailDomain } = options;
  const beginChangeId = await addImportedChange(client, {
    position: place.beginPosition,
    messageId: place.lastMessageId,
  });
  const { organization } = directory;
  const systemBots = await createOrganizationRows(client, keySecrets, organization, beginChangeId);
  const settings = { ...realmSettingDefaults, ...organization.settings };
  const people = await loadPeople(client, directory.people, {
    sourceName: source.name,
    administrator,
    emailDomain,
    keySecrets,
    emailPolicy: emailPolicy(settings, publicUrl),
    beginChangeId,
    systemBots,
    ledger,
  });
  await beginReceipts(client);
  await beginWholeHistories(client);
  const streams = await loadStreams(client, directory, people, publicUrl);
  const idOf = (index: number | undefined): number | null =>
    (index === undefined ? undefined : streams.streams[index]?.id) ?? null;
  await setRealmNotificationStreams(client, {
    notificationsStreamId: idOf(organization.notificationsStream),
    signupNotificationsStreamId: idOf(organization.signupNotificationsStream),
  });
  const pictures = directory.people.filter(({ avatar }) => avatar !== undefined).length;
  const bar = options.step('Files', directory.files.length + pictures);
  const storedFiles = new StoredFiles(options);
  const extras = await loadExtras({
    ...options,
    directory,
    people,
    storedFiles,
    kinds: source.kinds,
    advance: bar.advance,
  }).finally(bar.finish);
  return {
    people,
    streams,
    extras,
    canHold: people.users.map((user) => !isReactingBot(user)),
    hasReceipts: directory.hasReceipts,
  };
}

async function startThreads(
  { client, publicUrl }: HistoryImport,
  { organization }: Directory,
  { people, streams, extras }: LoadedDirectory,
): Promise<RenderThreads> {
  const named = streams.streams.map(({ id, name }) => ({ id, name }));
  const isPrivate = new Set(
    streams.streams.filter(({ inviteOnly }) => inviteOnly).map(({ id }) => id),
  );
  return new RenderThreads({
    realmUri: publicUrl,
    users: people.users.map(({ id, fullName, email }) => ({ id, fullName, email })),
    groups: extras.groups.map(({ id, name }) => ({ id, name })),
    streams: named.filter(({ id }) => !isPrivate.has(id)),
    privateStreams: named.filter(({ id }) => isPrivate.has(id)),
    emoji: extras.emoji.flatMap((emoji) =>
      emoji === undefined || emoji.isDeactivated
        ? []
        : [{ id: String(emoji.id), name: emoji.name, url: emojiUrl(emoji.fileName) }],
    ),
    linkifiers: await listLinkifiers(client),
    inlineImagePreview:
      organization.settings.inline_image_preview ?? realmSettingDefaults.inline_image_preview,
    translateEmoticons: false,
  });
}

/** @throws ImportFault if the records that were accounted for are not those that are there */
async function checkAgainstCount({
  source,
  ledger,
  step,
  signal,
}: HistoryImport): Promise<ReadonlyMap<string, number>> {
  const bar = step('Second count', 0);
  const counted = await source.count(signal).finally(bar.finish);
  const differences = differencesOf(ledger, counted);
  if (differences.length > 0)
    throw new ImportFault(
      `Not every record was accounted for, so nothing is kept: ${differences
        .map((row) => `${row.kind} has ${row.counted}, of which ${row.accountedFor} were`)
        .join('; ')}`,
    );
  return counted;
}

/**
 * Imports an organization.
 *
 * @returns what there is now, and the independent count of the source
 * @throws ImportFault if the archive cannot be imported; the caller rolls back
 */
export async function importHistory(options: HistoryImport): Promise<{
  readonly imported: ImportedOrganization;
  readonly counted: ReadonlyMap<string, number>;
}> {
  const { client, source, ledger, startPosition, signal } = options;
  await planForImports(client);
  const head = await readHead(client);
  const place: LogPlace = {
    epoch: head.epoch,
    beginPosition: head.endPosition + 1,
    lastMessageId: head.messageId,
    positionAbove: head.endPosition + 1 - head.messageId,
  };
  const messages = await numberAll(options, place.lastMessageId);
  const directory = await source.directory();
  const loaded = await loadDirectory(options, directory, place);
  const threads = await startThreads(options, directory, loaded);
  let conversations: Conversations;
  try {
    conversations = await loadMessages(options, loaded, threads, place.positionAbove);
  } finally {
    await threads.close();
  }
  const bar = options.step('Reactions and what was read', 0);
  try {
    for await (const reactions of source.reactions(namesOf(loaded))) {
      signal.throwIfAborted();
      await writeReactions(client, reactions, {
        directory: loaded,
        ledger,
        kind: source.kinds.reaction,
      });
    }
    const lastMessageId = place.lastMessageId + messages;
    const endPosition = place.positionAbove + lastMessageId + 1;
    const endChangeId = await addImportedChange(client, {
      position: endPosition,
      messageId: lastMessageId,
    });
    await noteImportedMessages(client);
    await writeImportedHoldings(client, place.positionAbove, endChangeId);
    await writeImportedReads(client);
    if (directory.readPositions !== undefined)
      await writeReadPositions(client, directory.readPositions, loaded, conversations);
    else if (!loaded.hasReceipts) await markImportRead(client, endChangeId);
    if (endPosition >= startPosition) throw new ImportFault('There are too many messages');
    await openImportedLog(
      client,
      { epoch: place.epoch, endPosition, messageId: lastMessageId },
      startPosition,
    );
    await moveSideEffectCursor(client, { changes: startPosition, messages: startPosition });
  } finally {
    bar.finish();
  }
  const counted = await checkAgainstCount(options);
  return {
    imported: {
      name: directory.organization.name,
      people: directory.people.filter(
        ({ bot, systemBot }) => bot === undefined && systemBot === undefined,
      ).length,
      peopleWithoutAddress: directory.people.filter(
        ({ email, bot, systemBot }, index) =>
          email === undefined &&
          bot === undefined &&
          systemBot === undefined &&
          loaded.people.isActive[index] === false,
      ).length,
      administrator: loaded.people.users[loaded.people.administrator]?.email ?? '',
      streams: directory.streams.length,
      messages: ledger.importedOf(source.kinds.message),
    },
    counted,
  };
}
