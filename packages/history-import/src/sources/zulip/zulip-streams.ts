/** Streams and recipients of the reference server's export. */
import type { Ledger } from '../../ledger.ts';
import { roleGroups } from './zulip-groups.ts';
import { eachRow } from './zulip-tables.ts';
import { UniqueNames, cleanName, cutTo } from '../../reading/names.ts';
import type { MutedTopicRecord, StreamRecord } from '../../records.ts';
import { limits } from '@parley/api';
import type { ZulipPeople } from './zulip-people.ts';
import type { PlacedRow, RealmTables } from './zulip-tables.ts';

export const recipientTypes = { person: 1, stream: 2, group: 3 } as const;

/** A row of recipients. What it refers to may be missing; who is in a group is said by its subscriptions. */
export type ZulipRecipient = {
  readonly id: number;
  readonly type: number;
  readonly stream: number | undefined;
  readonly person: number | undefined;
};

export type ZulipStreams = {
  readonly streams: readonly StreamRecord[];
  readonly indexOf: (oldId: number) => number | undefined;
  /** By their old ids. */
  readonly recipients: ReadonlyMap<number, ZulipRecipient>;
  readonly mutedTopics: readonly MutedTopicRecord[];
};

/** Roles that may post where others only read: streams for announcements here. */
const announcingRoles = new Set(['owners', 'administrators', 'moderators', 'nobody']);
/** Administrators, and moderators too. */
const announcingPolicies = new Set([2, 4]);

function streamOf(
  { row, place }: PlacedRow,
  names: UniqueNames,
  roles: ReadonlyMap<number, string>,
  ledger: Ledger,
): StreamRecord {
  const isArchived = row.isTrue('deactivated');
  const written = row.text('name');
  const plain = cleanName(written, limits.streamNameMaxCodePoints);
  const shown = plain === '' ? 'unnamed' : plain;
  // Later releases archive a stream without another name.
  const isRenamed = isArchived && !/^!+DEACTIVATED:/.test(shown);
  const name = names.take(
    isRenamed ? cutTo(`!DEACTIVATED:${shown}`, limits.streamNameMaxCodePoints) : shown,
  );
  if (!isRenamed) ledger.named('stream', written, name);
  const sharesHistory = row.findBoolean('history_public_to_subscribers') ?? true;
  if (row.isTrue('is_web_public')) ledger.remark('streams open to the web are public');
  const policy = row.findInteger('stream_post_policy');
  return {
    place,
    name,
    description: cutTo(
      (row.findText('description') ?? '').replaceAll(/\s*\n\s*/g, ' '),
      limits.streamDescriptionMaxCodePoints,
    ),
    // A stream whose subscribers do not share its history is never open to everybody.
    isPrivate: row.isTrue('invite_only') || !sharesHistory,
    sharesHistory,
    isAnnouncementOnly:
      row.isTrue('is_announcement_only') ||
      announcingPolicies.has(policy ?? 0) ||
      announcingRoles.has(roles.get(row.findInteger('can_send_message_group') ?? -1) ?? ''),
    isArchived,
    isDefault: false,
    createdAt: row.findTime('date_created'),
    creator: undefined,
  };
}

function readRecipients(
  { rows }: RealmTables,
  people: ZulipPeople,
  streamOfId: (oldId: number) => number | undefined,
  ledger: Ledger,
): Map<number, ZulipRecipient> {
  const recipients = new Map<number, ZulipRecipient>();
  const addPerson = (id: number | undefined, oldPerson: number): void => {
    if (id !== undefined && !recipients.has(id))
      recipients.set(id, { id, type: 1, stream: undefined, person: people.indexOf(oldPerson) });
  };
  eachRow('zerver_recipient', rows.zerver_recipient, ledger, ({ row }) => {
    const id = row.integer('id');
    const type = row.integer('type');
    const typeId = row.integer('type_id');
    recipients.set(id, {
      id,
      type,
      stream: type === recipientTypes.stream ? streamOfId(typeId) : undefined,
      person: type === recipientTypes.person ? people.indexOf(typeId) : undefined,
    });
    ledger.imported('zerver_recipient');
  });
  // Messages to system bots and dummies have recipients without a row.
  for (const { row } of rows.zerver_userprofile_crossrealm)
    addPerson(row.findInteger('recipient_id'), row.findInteger('id') ?? -1);
  for (const { row } of [...rows.zerver_userprofile_mirrordummy, ...rows.zerver_userprofile])
    addPerson(row.findInteger('recipient'), row.findInteger('id') ?? -1);
  return recipients;
}

/** Of how somebody sees a topic, in releases from 6 on. */
const mutedPolicy = 1;

function readMutedTopics(
  { rows }: RealmTables,
  people: ZulipPeople,
  streamOfId: (oldId: number) => number | undefined,
  ledger: Ledger,
): MutedTopicRecord[] {
  const muted: MutedTopicRecord[] = [];
  const add = (kind: 'zerver_mutedtopic' | 'zerver_usertopic', { row, place }: PlacedRow): void => {
    if ((row.findInteger('visibility_policy') ?? mutedPolicy) !== mutedPolicy)
      return ledger.skipped(kind, 'topics are muted here, or not', place);
    const person = people.indexOf(row.integer('user_profile'));
    const stream = streamOfId(row.integer('stream'));
    if (person === undefined || stream === undefined)
      return ledger.skipped(kind, 'its person or stream is not in the archive', place);
    muted.push({
      person,
      stream,
      topic: cutTo(row.text('topic_name'), limits.topicMaxCodePoints),
      mutedAt: row.findTime('date_muted') ?? row.findTime('last_updated'),
    });
    return ledger.imported(kind);
  };
  for (const kind of ['zerver_mutedtopic', 'zerver_usertopic'] as const)
    eachRow(kind, rows[kind], ledger, (placed) => add(kind, placed));
  return muted;
}

/** Reads streams, and where messages can go. */
export function readZulipStreams(
  tables: RealmTables,
  people: ZulipPeople,
  ledger: Ledger,
): ZulipStreams {
  const { rows } = tables;
  const names = new UniqueNames(limits.streamNameMaxCodePoints);
  const streams: StreamRecord[] = [];
  const indexes = new Map<number, number>();
  const defaults = new Set<number>();
  const roles = roleGroups(tables);
  eachRow('zerver_defaultstream', rows.zerver_defaultstream, ledger, ({ row }) => {
    defaults.add(row.integer('stream'));
    ledger.imported('zerver_defaultstream');
  });
  eachRow('zerver_stream', rows.zerver_stream, ledger, (placed) => {
    const oldId = placed.row.integer('id');
    const stream = streamOf(placed, names, roles, ledger);
    indexes.set(oldId, streams.length);
    streams.push({
      ...stream,
      isDefault: defaults.has(oldId) && !stream.isPrivate && !stream.isArchived,
    });
    ledger.imported('zerver_stream');
  });
  const indexOf = (oldId: number): number | undefined => indexes.get(oldId);
  ledger.imported('zerver_huddle', rows.zerver_huddle.length);
  return {
    streams,
    indexOf,
    recipients: readRecipients(tables, people, indexOf, ledger),
    mutedTopics: readMutedTopics(tables, people, indexOf, ledger),
  };
}
