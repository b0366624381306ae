/**
 * Who is and was in the streams of the reference server's export. A large organization has millions of these rows, so they are read one by
 * one, and little of them is kept.
 */
import type { SpooledArchive } from '../../archive/spooled-archive.ts';
import { RecordFault } from '../../import-fault.ts';
import type { Ledger, Place } from '../../ledger.ts';
import type { Row } from '../../reading/row.ts';
import type { SubscriptionRecord } from '../../records.ts';
import { SubscriptionList } from '../../subscription-list.ts';
import { LogCheck, MissingReceipts } from './missing-receipts.ts';
import type { MembershipChange } from './missing-receipts.ts';
import type { ZulipPeople } from './zulip-people.ts';
import { recipientTypes } from './zulip-streams.ts';
import type { ZulipRecipient, ZulipStreams } from './zulip-streams.ts';
import { readTables } from './zulip-tables.ts';

/** Where a message went. */
export type Recipient =
  | { readonly kind: 'stream'; readonly stream: number }
  | { readonly kind: 'person'; readonly person: number }
  | { readonly kind: 'group'; readonly people: readonly number[] };

export type ZulipMemberships = {
  readonly subscriptions: SubscriptionList;
  readonly recipient: (oldId: number) => Recipient | undefined;
  readonly missingReceipts: MissingReceipts;
  readonly logCheck: LogCheck;
};

/** What is kept of a subscription, with the streams and people that it is found by. */
const subscriptionBytes = 120;

class SubscriptionReader {
  readonly list = new SubscriptionList();
  /** The people of groups, by recipient. */
  readonly groups = new Map<number, Set<number>>();
  /** By stream and person, the number in the list; of two rows the later one wins. */
  readonly #numbers = new Map<number, Map<number, number>>();
  /** The rows' own ids, by the number in the list. */
  readonly #ids: number[] = [];
  readonly #people: ZulipPeople;
  readonly #ledger: Ledger;

  constructor(people: ZulipPeople, ledger: Ledger) {
    this.#people = people;
    this.#ledger = ledger;
  }

  add(row: Row, place: Place, recipient: ZulipRecipient | undefined): void {
    const kind = 'zerver_subscription';
    if (recipient === undefined) throw new RecordFault('it refers to an unknown recipient');
    const person = this.#people.indexOf(row.integer('user_profile'));
    if (recipient.type === recipientTypes.person)
      return this.#ledger.skipped(kind, 'everybody gets the own messages', place);
    if (person === undefined)
      return this.#ledger.skipped(kind, 'it refers to a person that is not in the archive', place);
    if (recipient.type === recipientTypes.group) {
      this.#ledger.keep(0, subscriptionBytes);
      const group = this.groups.get(recipient.id) ?? new Set();
      this.groups.set(recipient.id, group.add(person));
      return this.#ledger.imported(kind);
    }
    const { stream } = recipient;
    if (stream === undefined)
      return this.#ledger.skipped(kind, 'it refers to a stream that is not in the archive', place);
    if (!row.isTrue('active'))
      return this.#ledger.skipped(kind, 'the person has left the stream', place);
    const numbers = this.#numbers.get(stream) ?? new Map<number, number>();
    this.#numbers.set(stream, numbers);
    const id = row.findInteger('id') ?? 0;
    const number = numbers.get(person);
    if (number === undefined) {
      this.#ledger.keep(0, subscriptionBytes);
      numbers.set(person, this.list.add(subscriptionOf(row, person, stream)));
      this.#ids.push(id);
      return this.#ledger.imported(kind);
    }
    if ((this.#ids[number] ?? 0) < id) {
      this.list.replace(number, subscriptionOf(row, person, stream));
      this.#ids[number] = id;
    }
    return this.#ledger.merged(kind, 'the person is subscribed twice', place);
  }
}

function subscriptionOf(row: Row, person: number, stream: number): SubscriptionRecord {
  const color = row.findText('color') ?? '';
  const inHomeView = row.findBoolean('in_home_view');
  const setting = (name: string): boolean | null => row.findBoolean(name) ?? null;
  return {
    person,
    stream,
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

/** Joined, rejoined, left; release 2.0 has words. */
const joins = new Set<unknown>([301, 302, 'subscription_created', 'subscription_activated']);
const leaves = new Set<unknown>([303, 'subscription_deactivated']);

function changeOf(row: Row): MembershipChange | undefined {
  const type = row.value('event_type');
  const stream = row.findInteger('modified_stream');
  if (stream === undefined) return undefined;
  if (!joins.has(type) && !leaves.has(type)) return undefined;
  return {
    id: row.integer('id'),
    person: row.integer('modified_user'),
    stream,
    isJoin: joins.has(type),
    lastMessageId: row.findInteger('event_last_message_id') ?? 0,
    at: row.findNumber('event_time') ?? 0,
  };
}

/** Reads who is in streams and groups, and what the log of changes says of who was. */
export async function readZulipMemberships(
  archive: SpooledArchive,
  people: ZulipPeople,
  streams: ZulipStreams,
  ledger: Ledger,
): Promise<ZulipMemberships> {
  const { recipients } = streams;
  const subscriptions = new SubscriptionReader(people, ledger);
  const missingReceipts = new MissingReceipts(people, streams, ledger);
  const logCheck = new LogCheck(ledger);
  const rows = {
    zerver_subscription: (row: Row, place: Place) =>
      subscriptions.add(row, place, recipients.get(row.integer('recipient'))),
    zerver_realmauditlog: (row: Row, place: Place) => {
      const change = changeOf(row);
      if (change !== undefined) {
        missingReceipts.add(change);
        logCheck.expect(change);
      }
      ledger.skipped(
        'zerver_realmauditlog',
        'only memberships over time are taken from the log of changes',
        place,
      );
    },
  };
  await readTables(archive, 'realm.json', { rows }, ledger);
  return {
    subscriptions: subscriptions.list,
    recipient: (oldId) => {
      const found = recipients.get(oldId);
      if (found === undefined) return undefined;
      if (found.stream !== undefined) return { kind: 'stream', stream: found.stream };
      if (found.person !== undefined) return { kind: 'person', person: found.person };
      const group = subscriptions.groups.get(oldId);
      return group === undefined ? undefined : { kind: 'group', people: [...group] };
    },
    missingReceipts,
    logCheck,
  };
}
