/** The messages of a page, as listed by `page-sql.ts`. */
import { flagBits } from '../messages/message-sql.ts';

/** One message of a list. */
export type ListedMessage = {
  readonly id: number;
  /** The version of its shown content at the time of the page; of a kept message the negative id. */
  readonly version: number;
};

/** The properties of a message that decide its flags. */
export type FlaggedMessage = {
  readonly id: number;
  readonly senderId: number;
  readonly streamId: number | null;
  readonly readConversationId: number;
  readonly isReadBySender: boolean;
  readonly mentionsWildcard: boolean;
  readonly groupMentionedIds: readonly number[];
  readonly alertWordIds: readonly number[];
};

export type ListedPage = {
  /** By ascending id. */
  readonly messages: readonly ListedMessage[];
  /** Of the log; in another epoch, versions and ids may mean something else. */
  readonly epoch: number;
  /** The version of the names that messages show (people, streams, the organization) at the time of the page. */
  readonly namesVersion: string;
  /** @returns the reader's flags on a message of the page as bits, `read` included */
  readonly flagBitsOf: (message: FlaggedMessage) => number;
};

/** The numbers of a table's rows in sequence, as the text of a JSON array; null for an empty table. */
type Numbers = string | null;

/** The one row of a page's statement. */
export type PageRow = {
  readonly ids: readonly number[] | null;
  readonly epoch: number;
  readonly namesVersion: string;
  readonly versions: Numbers;
  /** The kept messages in place of others. */
  readonly kept: Numbers;
  readonly flags: Numbers;
  readonly exceptions: Numbers;
  readonly userFloor: number;
  readonly streamFloors: Numbers;
  readonly watermarks: Numbers;
  /** Absent if the user holds all listed messages. */
  readonly late?: Numbers;
  readonly periods?: Numbers;
  readonly canHold?: boolean;
};

/** A page for an empty request. */
export const emptyPage: ListedPage = {
  messages: [],
  epoch: 0,
  namesVersion: '',
  flagBitsOf: () => 0,
};

function flatOf(numbers: Numbers): readonly number[] {
  return numbers === null ? [] : (JSON.parse(numbers) as number[]);
}

/** @returns the rows of a table of numbers, each with this many columns */
function rowsOf(numbers: Numbers, width: number): number[][] {
  const flat = flatOf(numbers);
  return Array.from({ length: flat.length / width }, (_, n) =>
    flat.slice(n * width, (n + 1) * width),
  );
}

/** @returns a table of two columns: the second, by the first */
function pairsOf(numbers: Numbers): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const flat = flatOf(numbers);
  for (let n = 0; n + 1 < flat.length; n += 2) pairs.set(flat[n] ?? 0, flat[n + 1] ?? 0);
  return pairs;
}

/** @returns the flags that follow from the message itself for the reader */
function impliedBitsOf(message: FlaggedMessage, readerId: number): number {
  return (
    (message.groupMentionedIds.includes(readerId) ? flagBits.mentioned : 0) |
    (message.mentionsWildcard ? flagBits.wildcard_mentioned : 0) |
    (message.alertWordIds.includes(readerId) ? flagBits.has_alert_word : 0)
  );
}

/** @returns the result of `shownFlagBitsSql` for each message of a page */
function flagBitsOf(row: PageRow, readerId: number): (message: FlaggedMessage) => number {
  const own = new Map(
    rowsOf(row.flags, 3).map(([id = 0, set = 0, cleared = 0]) => [id, { set, cleared }]),
  );
  const exceptions = pairsOf(row.exceptions);
  const streamFloors = pairsOf(row.streamFloors);
  const watermarks = pairsOf(row.watermarks);
  const late = new Set(flatOf(row.late ?? null));
  const periods = rowsOf(row.periods ?? null, 3);
  const isHeld = ({ id, streamId }: FlaggedMessage): boolean =>
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
    const bits = (impliedBitsOf(message, readerId) | set) & ~cleared;
    const readUpto = Math.max(
      row.userFloor,
      streamId === null ? 0 : (streamFloors.get(streamId) ?? 0),
      watermarks.get(readConversationId) ?? 0,
    );
    const isOwnRead = message.senderId === readerId && message.isReadBySender;
    const exception = exceptions.get(id);
    const isRead = exception === undefined ? id <= readUpto || isOwnRead : exception === 1;
    return isRead ? bits | flagBits.read : bits;
  };
}

/** @returns the page that a statement of `pageSql` listed for a reader */
export function readPage(row: PageRow, readerId: number): ListedPage {
  const versions = pairsOf(row.versions);
  const kept = pairsOf(row.kept);
  const versionOf = (id: number): number => {
    const keptId = kept.get(id);
    return keptId === undefined ? (versions.get(id) ?? 0) : -keptId;
  };
  const messages = (row.ids ?? []).map((id) => ({ id, version: versionOf(id) }));
  messages.sort((a, b) => a.id - b.id);
  return {
    messages,
    epoch: row.epoch,
    namesVersion: row.namesVersion,
    flagBitsOf: flagBitsOf(row, readerId),
  };
}
