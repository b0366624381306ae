/** The bounds of what everybody gets at register (decision 0063). */
import { listIsFull, listTextsAreFull, madeTooMuch } from '@parley/api';
import type { ApiError, Caller } from '@parley/api';
import type { ListBounds } from '@parley/config';
import type { Client, Queryable } from '@parley/database';
import { countMade, lockListSizes, readListSizes, readMade } from '../index.ts';
import type { SharedList, User } from '../index.ts';

/** How refusals call the elements of each list. */
const nouns: Readonly<Record<SharedList, string>> = {
  accounts: 'people and bots',
  bots: 'bots',
  profiles: 'profiles',
  profileFields: 'profile fields',
  streams: 'streams',
  subscriptions: 'subscriptions',
  defaultStreams: 'default streams',
  defaultStreamGroups: 'default stream groups',
  userGroups: 'user groups',
  linkifiers: 'filters',
};

/** Lists whose elements are bounded by a setting; the others have limits of their own, or follow from these. */
const elementsMaxOf = {
  accounts: 'accountsMax',
  bots: 'botsMax',
  streams: 'streamsMax',
  subscriptions: 'subscriptionsMax',
} as const satisfies { readonly [List in SharedList]?: keyof ListBounds };

const daySecs = 86_400;

/** An owner who is no administrator may add one part in so many to the texts of a list in a day. */
const dailyShareOfTexts = 16;

type Author = Pick<User, 'id' | 'role' | 'botOwnerId'>;

/** What a change adds to the lists. It comes after all locks but the log's head. */
export type Growth = {
  /** Lists that get more elements. */
  readonly lists?: readonly SharedList[];
  /** Texts of lists, before the change and after it: what becomes shorter is never refused. */
  readonly texts?: Readonly<
    Partial<
      Record<SharedList, { readonly before: readonly string[]; readonly after: readonly string[] }>
    >
  >;
  /** What is made, for the bounds of a day. */
  readonly made?: Readonly<Partial<Record<DailyKind, number>>>;
};

type DailyKind = 'streams' | 'subscriptions' | 'bots';
const dailyMaxOf = {
  streams: 'newStreamsPerDayMax',
  subscriptions: 'newSubscriptionsPerDayMax',
  bots: 'newBotsPerDayMax',
} as const satisfies Record<DailyKind, keyof ListBounds>;

/** Empty texts count for nothing, because elements have a bound of their own. */
function jsonBytes(texts: readonly string[]): number {
  return texts
    .filter((text) => text !== '')
    .reduce((sum, text) => sum + Buffer.byteLength(JSON.stringify(text)), 0);
}

/**
 * Checks that lists stay within their bounds with what the transaction has written, and that its author has not made too much in a day.
 *
 * @param author undefined for the operator, and for what people do who are not here yet: only the bounds of the lists count
 * @throws ApiError naming the bound
 */
export async function checkListRoom(
  client: Client,
  bounds: ListBounds,
  author: Author | undefined,
  { lists = [], texts = {}, made = {} }: Growth,
): Promise<void> {
  const grown = new Map<SharedList, number>();
  for (const [list, { before, after }] of Object.entries(texts)) {
    const bytes = jsonBytes(after) - jsonBytes(before);
    if (bytes > 0) grown.set(list as SharedList, bytes);
  }
  const measured = [...new Set([...lists, ...grown.keys()])];
  if (measured.length > 0) {
    const sizes = await lockListSizes(client, measured);
    for (const [list, { elements, bytes }] of sizes) {
      const max =
        list in elementsMaxOf
          ? bounds[elementsMaxOf[list as keyof typeof elementsMaxOf]]
          : Infinity;
      if (lists.includes(list) && elements > max) throw listIsFull(nouns[list], max);
      if (grown.has(list) && bytes > bounds.textsMaxBytes)
        throw listTextsAreFull(nouns[list], bounds.textsMaxBytes);
    }
  }
  if (author !== undefined && author.role !== 'administrator')
    await checkDay(client, bounds, author, grown, made);
}

/** Room for texts as it was at some moment. */
export class TextRoom {
  readonly #bounds: readonly { readonly leftBytes: number; readonly refusal: () => ApiError }[];
  #taken = 0;

  constructor(bounds: readonly { readonly leftBytes: number; readonly refusal: () => ApiError }[]) {
    this.#bounds = bounds;
  }

  /** @throws ApiError naming the first bound that these texts exceed with those taken before */
  take(texts: readonly string[]): void {
    const bytes = jsonBytes(texts);
    // What adds nothing is not refused, however full a list is.
    if (bytes === 0) return;
    this.#taken += bytes;
    const full = this.#bounds.find(({ leftBytes }) => this.#taken > leftBytes);
    if (full !== undefined) throw full.refusal();
  }
}

/**
 * Finds how many bytes of texts a caller might add to a list now, so that nothing is made of texts that certainly have no room. Others add
 * meanwhile: `checkListRoom` decides.
 */
export async function findTextRoom(
  db: Queryable,
  bounds: ListBounds,
  caller: Caller,
  list: SharedList,
): Promise<TextRoom> {
  const bytes = (await readListSizes(db, [list])).get(list)?.bytes ?? 0;
  const ofList = {
    leftBytes: bounds.textsMaxBytes - bytes,
    refusal: () => listTextsAreFull(nouns[list], bounds.textsMaxBytes),
  };
  if (caller.role === 'administrator') return new TextRoom([ofList]);
  const { noun, what, max } = textsOfDay(bounds, list);
  const maker = makerOf({ id: caller.userId, botOwnerId: caller.botOwnerId });
  const made = await readMade(db, { what, maker, windowSecs: daySecs });
  return new TextRoom([ofList, { leftBytes: max - made, refusal: () => madeTooMuch(noun, max) }]);
}

function makerOf({ id, botOwnerId }: Pick<Author, 'id' | 'botOwnerId'>): string {
  return `owner ${botOwnerId ?? id}`;
}

/** What an owner may add to the texts of a list in a day. */
function textsOfDay(
  { textsMaxBytes }: ListBounds,
  list: SharedList,
): { readonly noun: string; readonly what: string; readonly max: number } {
  return {
    noun: `bytes of texts of ${nouns[list]}`,
    what: `texts of ${list}`,
    max: Math.floor(textsMaxBytes / dailyShareOfTexts),
  };
}

async function checkDay(
  client: Client,
  bounds: ListBounds,
  author: Author,
  grown: ReadonlyMap<SharedList, number>,
  made: NonNullable<Growth['made']>,
): Promise<void> {
  const counted = [
    ...Object.entries(made).map(([kind, count]) => ({
      noun: kind,
      what: kind,
      made: count,
      max: bounds[dailyMaxOf[kind as DailyKind]],
    })),
    ...[...grown].map(([list, bytes]) => ({ ...textsOfDay(bounds, list), made: bytes })),
  ].filter((each) => each.made > 0);
  const maker = makerOf(author);
  const totals = await countMade(
    client,
    counted.map(({ what, made: count }) => ({ what, maker, windowSecs: daySecs, made: count })),
  );
  for (const [n, { noun, max }] of counted.entries())
    if ((totals[n]?.made ?? 0) > max) throw madeTooMuch(noun, max);
}
