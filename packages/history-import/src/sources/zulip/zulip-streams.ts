/** Streams, recipients and memberships of the reference server's export. */
import { RecordFault } from '../../import-fault.ts';
import type { Ledger } from '../../ledger.ts';
import { eachRow } from './zulip-tables.ts';
import { UniqueNames, cleanName, cutTo } from '../../reading/names.ts';
import type { Row } from '../../reading/row.ts';
import type { MutedTopicRecord, StreamRecord, SubscriptionRecord } from '../../records.ts';
import { limits } from '@parley/api';
import type { ZulipPeople } from './zulip-people.ts';
import type { PlacedRow, RealmTables } from './zulip-tables.ts';

/** Where a message went. */
export type Recipient =
  | { readonly kind: 'stream'; readonly stream: number }
  | { readonly kind: 'person'; readonly person: number }
  | { readonly kind: 'group'; readonly people: readonly number[] };

export type ZulipStreams = {
  readonly streams: readonly StreamRecord[];
  readonly indexOf: (oldId: number) => number | undefined;
  readonly subscriptions: readonly SubscriptionRecord[];
  readonly mutedTopics: readonly MutedTopicRecord[];
  readonly recipient: (oldId: number) => Recipient | undefined;
};

const recipientTypes = { person: 1, stream: 2, group: 3 } as const;

function streamOf({ row, place }: PlacedRow, names: UniqueNames, ledger: Ledger): StreamRecord {
  const isArchived = row.isTrue('deactivated');
  const written = row.text('name');
  const plain = cleanName(written, limits.streamNameMaxCodePoints);
  const name = names.take(plain === '' ? 'unnamed' : plain);
  ledger.named('stream', written, name);
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
    isAnnouncementOnly: row.isTrue('is_announcement_only') || policy === 2,
    isArchived,
    isDefault: false,
    createdAt: row.findTime('date_created'),
    creator: undefined,
  };
}

class SubscriptionReader {
  readonly #people: ZulipPeople;
  readonly #ledger: Ledger;
  /** By person and stream; the later row wins. */
  readonly found = new Map<string, { readonly id: number; readonly record: SubscriptionRecord }>();
  /** The people of groups, by recipient. */
  readonly groups = new Map<number, Set<number>>();

  constructor(people: ZulipPeople, ledger: Ledger) {
    this.#people = people;
    this.#ledger = ledger;
  }

  add({ row, place }: PlacedRow, recipient: RawRecipient | undefined): void {
    const kind = 'zerver_subscription';
    if (recipient === undefined) throw new RecordFault('it refers to an unknown recipient');
    const oldPerson = row.integer('user_profile');
    const person = this.#people.indexOf(oldPerson);
    if (recipient.type === recipientTypes.person)
      return this.#ledger.left(kind, 'everybody gets the own messages', 1);
    if (person === undefined)
      return this.#ledger.skipped(kind, 'it refers to a person that is not in the archive', place);
    if (recipient.type === recipientTypes.group) {
      const group = this.groups.get(recipient.id) ?? new Set();
      this.groups.set(recipient.id, group.add(person));
      return this.#ledger.imported(kind);
    }
    if (recipient.stream === undefined)
      return this.#ledger.skipped(kind, 'it refers to a stream that is not in the archive', place);
    if (!row.isTrue('active')) return this.#ledger.left(kind, 'the person has left the stream', 1);
    const key = `${person} ${recipient.stream}`;
    const id = row.findInteger('id') ?? 0;
    const earlier = this.found.get(key);
    if (earlier !== undefined) this.#ledger.merged(kind, 'the person is subscribed twice', place);
    else this.#ledger.imported(kind);
    if (earlier === undefined || earlier.id < id)
      this.found.set(key, { id, record: subscriptionOf(row, person, recipient.stream) });
  }
}

function subscriptionOf(row: Row, person: number, stream: number): SubscriptionRecord {
  const color = row.findText('color') ?? '';
  const inHomeView = row.findBoolean('in_home_view');
  const setting = (name: string): boolean | null => row.findBoolean(name) ?? null;
  return {
    person,
    stream,
    isActive: true,
    color: /^#[0-9a-f]{6}$/i.test(color) ? color : undefined,
    isMuted: inHomeView === undefined ? row.isTrue('is_muted') : !inHomeView,
    pinToTop: row.isTrue('pin_to_top'),
    notifications: {
      desktop: setting('desktop_notifications'),
      audible: setting('audible_notifications'),
      push: setting('push_notifications'),
      email: setting('email_notifications'),
      wildcardMentions: setting('wildcard_mentions_notify'),
    },
  };
}

type RawRecipient = {
  readonly id: number;
  readonly type: number;
  readonly stream: number | undefined;
  readonly person: number | undefined;
};

function readRecipients(
  { rows }: RealmTables,
  people: ZulipPeople,
  streamOfId: (oldId: number) => number | undefined,
  ledger: Ledger,
): Map<number, RawRecipient> {
  const recipients = new Map<number, RawRecipient>();
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

function readMutedTopics(
  { rows }: RealmTables,
  people: ZulipPeople,
  streamOfId: (oldId: number) => number | undefined,
  ledger: Ledger,
): MutedTopicRecord[] {
  const muted: MutedTopicRecord[] = [];
  const kind = 'zerver_mutedtopic';
  eachRow(kind, rows[kind], ledger, ({ row, place }) => {
    const person = people.indexOf(row.integer('user_profile'));
    const stream = streamOfId(row.integer('stream'));
    if (person === undefined || stream === undefined)
      return ledger.skipped(kind, 'its person or stream is not in the archive', place);
    muted.push({
      person,
      stream,
      topic: cutTo(row.text('topic_name'), limits.topicMaxCodePoints),
      mutedAt: row.findTime('date_muted'),
    });
    return ledger.imported(kind);
  });
  return muted;
}

/** Reads streams and who is in them. */
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
  eachRow('zerver_defaultstream', rows.zerver_defaultstream, ledger, ({ row }) => {
    defaults.add(row.integer('stream'));
    ledger.imported('zerver_defaultstream');
  });
  eachRow('zerver_stream', rows.zerver_stream, ledger, (placed) => {
    const oldId = placed.row.integer('id');
    const stream = streamOf(placed, names, ledger);
    indexes.set(oldId, streams.length);
    streams.push({
      ...stream,
      isDefault: defaults.has(oldId) && !stream.isPrivate && !stream.isArchived,
    });
    ledger.imported('zerver_stream');
  });
  const indexOf = (oldId: number): number | undefined => indexes.get(oldId);
  const recipients = readRecipients(tables, people, indexOf, ledger);
  const subscriptions = new SubscriptionReader(people, ledger);
  eachRow('zerver_subscription', rows.zerver_subscription, ledger, (placed) =>
    subscriptions.add(placed, recipients.get(placed.row.integer('recipient'))),
  );
  ledger.imported('zerver_huddle', rows.zerver_huddle.length);
  return {
    streams,
    indexOf,
    subscriptions: [...subscriptions.found.values()].map(({ record }) => record),
    mutedTopics: readMutedTopics(tables, people, indexOf, ledger),
    recipient: (oldId) => {
      const found = recipients.get(oldId);
      if (found === undefined) return undefined;
      if (found.stream !== undefined) return { kind: 'stream', stream: found.stream };
      if (found.person !== undefined) return { kind: 'person', person: found.person };
      const group = subscriptions.groups.get(oldId);
      return group === undefined ? undefined : { kind: 'group', people: [...group] };
    },
  };
}
