/** The messages of a page, put together from the tables in which `page-sql.ts` fetches them. */
import type { DisplayRecipient } from '@parley/event-log';

import { flagBits } from '../messages/message-sql.ts';
import { realmSettingDefaults } from '@parley/api/organization';
import { withDefaults } from '../organization/realm.ts';
import type { Realm } from '../organization/realm.ts';
import type { RealmSettings } from '@parley/api/organization';

/** Somebody as messages name him. */
export type ListedPerson = {
  readonly id: number;
  readonly email: string;
  /** The real address, which is another one where the organization hides addresses. */
  readonly deliveryEmail: string;
  readonly fullName: string;
  readonly shortName: string;
  readonly avatarSource: 'G' | 'U';
  readonly avatarVersion: number;
};

export type ListedReaction = {
  readonly emoji_name: string;
  readonly emoji_code: string;
  readonly reaction_type: string;
  readonly user: { readonly id: number; readonly email: string; readonly full_name: string };
  readonly user_id: number;
};

/** One message of a list, as the reader sees it. */
export type ListedMessage = {
  readonly id: number;
  readonly content: string;
  /** Empty unless the page asks for it. */
  readonly renderedContent: string;
  readonly sentAtSecs: number;
  readonly client: string;
  readonly topic: string;
  readonly subjectLinks: readonly string[] | null;
  readonly isMeMessage: boolean;
  readonly recipientId: number;
  readonly streamId: number | null;
  readonly streamName: string | null;
  /** The same object in all messages of a sender. */
  readonly sender: ListedPerson;
  /** By id; the same list in all messages of a private conversation. */
  readonly participants: readonly DisplayRecipient[] | null;
  readonly reactions: readonly ListedReaction[];
  readonly submessages: readonly unknown[];
  readonly lastEditedAtSecs: number | null;
  readonly editHistory: readonly unknown[] | null;
  /** With `read`, as bits. */
  readonly flagBits: number;
};

export type ListedPage = {
  /** By ascending id. */
  readonly rows: readonly ListedMessage[];
  /** Whether messages of the page were left out because their texts are too long together, farther from the anchor. */
  readonly isCutBelow: boolean;
  readonly isCutAbove: boolean;
  /** The organization at the moment of the page; undefined where there is none, or nothing was asked for. */
  readonly realm: Pick<Realm, 'stringId' | 'settings'> | undefined;
};

/** The numbers of a table's rows one after the other, as the text of a JSON array; null where the table is empty. */
type Numbers = string | null;
type Texts<Text extends string = string> = readonly Text[] | null;

/** The one row of a page's statement. */
export type PageRow = {
  readonly least: number | null;
  readonly most: number | null;
  readonly messages: Numbers;
  /** One after the other; their lengths in bytes are among the numbers. */
  readonly contents: string | null;
  readonly renderedContents: string | null;
  readonly clients: Texts;
  readonly topics: Texts;
  readonly extras:
    | readonly {
        readonly id: number;
        readonly subjectLinks: readonly string[] | null;
        readonly editHistory: readonly unknown[] | null;
      }[]
    | null;
  readonly reactions: Numbers;
  readonly emojiNames: Texts;
  readonly emojiCodes: Texts;
  readonly reactionTypes: Texts;
  readonly participants: Numbers;
  readonly people: Numbers;
  readonly emails: Texts;
  readonly deliveryEmails: readonly (string | null)[] | null;
  readonly fullNames: Texts;
  readonly shortNames: Texts;
  readonly avatarSources: Texts<'G' | 'U'>;
  readonly streams: readonly (readonly [number, string])[] | null;
  readonly flags: Numbers;
  readonly exceptions: Numbers;
  readonly realm: { readonly stringId: string; readonly settings: Partial<RealmSettings> } | null;
  readonly userFloor: number;
  readonly streamFloors: Numbers;
  readonly watermarks: Numbers;
  readonly submessages: readonly { readonly message_id: number }[] | null;
  /** Absent where the user holds all that is listed. */
  readonly late?: Numbers;
  readonly periods?: Numbers;
  readonly canHold?: boolean;
};

/** @returns the rows of a table of numbers, of which each has so many */
function rowsOf(numbers: Numbers, width: number): number[][] {
  if (numbers === null) return [];
  const flat = JSON.parse(numbers) as number[];
  return Array.from({ length: flat.length / width }, (_, n) =>
    flat.slice(n * width, (n + 1) * width),
  );
}

function pairsOf(numbers: Numbers): ReadonlyMap<number, number> {
  return new Map(rowsOf(numbers, 2).map(([key = 0, value = 0]) => [key, value]));
}

function groupBy<Item, Value>(
  items: readonly Item[],
  keyOf: (item: Item) => number,
  valueOf: (item: Item, index: number) => Value,
): ReadonlyMap<number, Value[]> {
  const groups = new Map<number, Value[]>();
  for (const [index, item] of items.entries()) {
    const value = valueOf(item, index);
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [value]);
    else group.push(value);
  }
  return groups;
}

function peopleOf(row: PageRow): ReadonlyMap<number, ListedPerson> {
  return new Map(
    rowsOf(row.people, 2).map(([id = 0, avatarVersion = 0], n) => {
      const email = row.emails?.[n] ?? '';
      const person: ListedPerson = {
        id,
        email,
        deliveryEmail: row.deliveryEmails?.[n] ?? email,
        fullName: row.fullNames?.[n] ?? '',
        shortName: row.shortNames?.[n] ?? '',
        avatarSource: row.avatarSources?.[n] ?? 'G',
        avatarVersion,
      };
      return [id, person];
    }),
  );
}

type People = ReadonlyMap<number, ListedPerson>;

function personOf(people: People, id: number): ListedPerson {
  const person = people.get(id);
  if (person === undefined) throw new Error(`user ${id} is named and was not fetched`);
  return person;
}

function recipientsOf(
  { participants }: PageRow,
  people: People,
): ReadonlyMap<number, DisplayRecipient[]> {
  const recipients = groupBy(
    rowsOf(participants, 2),
    ([conversationId = 0]) => conversationId,
    ([, userId = 0]): DisplayRecipient => {
      const { id, email, fullName, shortName } = personOf(people, userId);
      return { id, email, full_name: fullName, short_name: shortName, is_mirror_dummy: false };
    },
  );
  for (const list of recipients.values()) list.sort((a, b) => a.id - b.id);
  return recipients;
}

function reactionsOf(row: PageRow, people: People): ReadonlyMap<number, ListedReaction[]> {
  return groupBy(
    rowsOf(row.reactions, 2),
    ([messageId = 0]) => messageId,
    ([, userId = 0], n): ListedReaction => {
      const { id, email, fullName } = personOf(people, userId);
      return {
        emoji_name: row.emojiNames?.[n] ?? '',
        emoji_code: row.emojiCodes?.[n] ?? '',
        reaction_type: row.reactionTypes?.[n] ?? '',
        user: { id, email, full_name: fullName },
        user_id: id,
      };
    },
  );
}

/** What of a message decides its flags. */
type Flagged = {
  readonly id: number;
  readonly streamId: number | null;
  readonly readConversationId: number;
  readonly isReadBySender: boolean;
  readonly impliedBits: number;
};

/** @returns the flags of a message as bits, `read` included: what `shownFlagBitsSql` says of one message, for those of a page */
function flagsOf(row: PageRow): (message: Flagged) => number {
  const own = new Map(
    rowsOf(row.flags, 3).map(([id = 0, set = 0, cleared = 0]) => [id, { set, cleared }]),
  );
  const exceptions = pairsOf(row.exceptions);
  const streamFloors = pairsOf(row.streamFloors);
  const watermarks = pairsOf(row.watermarks);
  const late = new Set(rowsOf(row.late ?? null, 1).map(([id = 0]) => id));
  const periods = rowsOf(row.periods ?? null, 3);
  const isHeld = ({ id, streamId }: Flagged): boolean =>
    row.canHold === undefined ||
    (row.canHold &&
      (late.has(id) ||
        periods.some(
          ([stream, above = 0, upto = 0]) => stream === streamId && id > above && id <= upto,
        )));
  return (message) => {
    if (!isHeld(message)) return flagBits.read | flagBits.historical;
    const { id, streamId, readConversationId } = message;
    const { set, cleared } = own.get(id) ?? { set: 0, cleared: 0 };
    const bits = (message.impliedBits | set) & ~cleared;
    const readUpto = Math.max(
      row.userFloor,
      streamId === null ? 0 : (streamFloors.get(streamId) ?? 0),
      watermarks.get(readConversationId) ?? 0,
    );
    const exception = exceptions.get(id);
    const isRead =
      exception === undefined ? id <= readUpto || message.isReadBySender : exception === 1;
    return isRead ? bits | flagBits.read : bits;
  };
}

const messageNumbers = 13;

/** Takes texts off the beginning of all of them together. */
class JoinedTexts {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(joined: string | null) {
    this.#bytes = Buffer.from(joined ?? '');
  }

  take(length: number): string {
    this.#at += length;
    return this.#bytes.toString('utf8', this.#at - length, this.#at);
  }
}

/** @returns the page that a statement of `pageSql` fetched */
export function readPage(row: PageRow): ListedPage {
  const people = peopleOf(row);
  const recipients = recipientsOf(row, people);
  const reactions = reactionsOf(row, people);
  const submessages = groupBy(
    row.submessages ?? [],
    (submessage) => submessage.message_id,
    (submessage) => submessage,
  );
  const streams = new Map(row.streams ?? []);
  const extras = new Map((row.extras ?? []).map((extra) => [extra.id, extra]));
  const flagsOfMessage = flagsOf(row);
  const contents = new JoinedTexts(row.contents);
  const renderedContents = new JoinedTexts(row.renderedContents);
  const rows = rowsOf(row.messages, messageNumbers).map((numbers, n): ListedMessage => {
    const [id = 0, senderId = 0, stream = 0, conversationId = 0, readConversationId = 0] = numbers;
    const [recipientId = 0, sentAtSecs = 0, lastEditedAtSecs = 0] = numbers.slice(5);
    const [isMeMessage, isReadBySender, impliedBits = 0, contentBytes = 0, renderedBytes = 0] =
      numbers.slice(8);
    const streamId = stream === 0 ? null : stream;
    return {
      id,
      content: contents.take(contentBytes),
      renderedContent: renderedContents.take(renderedBytes),
      sentAtSecs,
      client: row.clients?.[n] ?? '',
      topic: row.topics?.[n] ?? '',
      subjectLinks: extras.get(id)?.subjectLinks ?? null,
      isMeMessage: isMeMessage === 1,
      recipientId,
      streamId,
      streamName: streamId === null ? null : (streams.get(streamId) ?? null),
      sender: personOf(people, senderId),
      participants: streamId === null ? (recipients.get(conversationId) ?? null) : null,
      reactions: reactions.get(id) ?? [],
      submessages: submessages.get(id) ?? [],
      lastEditedAtSecs: lastEditedAtSecs === 0 ? null : lastEditedAtSecs,
      editHistory: extras.get(id)?.editHistory ?? null,
      flagBits: flagsOfMessage({
        id,
        streamId,
        readConversationId,
        isReadBySender: isReadBySender === 1,
        impliedBits,
      }),
    };
  });
  rows.sort((a, b) => a.id - b.id);
  const [first] = rows;
  const last = rows.at(-1);
  return {
    rows,
    isCutBelow: first !== undefined && (row.least ?? 0) < first.id,
    isCutAbove: last !== undefined && (row.most ?? 0) > last.id,
    realm:
      row.realm === null
        ? undefined
        : {
            stringId: row.realm.stringId,
            settings: withDefaults(realmSettingDefaults, row.realm.settings),
          },
  };
}
