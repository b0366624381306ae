/**
 * Pages of messages: Postgres lists the messages and the reader's flags, and their content comes from memory. Kept content is used only in
 * the version that the page's statement has seen. So an answer shows one moment, whatever other processes change (decision 0045). The
 * statement decides whether somebody may see a message.
 */
import type { Queryable } from '@parley/database';
import { pageSideBytesMax, readShownMessages, readShownNames } from '@parley/store';
import type { MessageToRead, ListedMessage, ListedPage, MessageTexts } from '@parley/store';
import { LRUCache } from 'lru-cache';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

import { messageBodyOf } from './message-body.ts';
import type { MessageBody } from './message-body.ts';
import { MessageNames } from './message-names.ts';

/** Some fifty thousand ordinary messages. */
const keptBytesUsual = 64 * 1024 * 1024;

/** The most people and streams to keep, some 1.5 KB each. */
const namesMax = 20_000;

/** This many messages on each side of the anchor are on the page however long they are. */
const nearAnchorMax = 2;

/** The database for pages, also within a snapshot. */
export type PageReads = Queryable & {
  snapshot<Result>(read: (snapshot: Queryable) => Promise<Result>): Promise<Result>;
};

/** A page with the content of its messages. */
export type ReadPage = {
  /** By ascending id. */
  readonly messages: readonly MessageBody[];
  /** The names of all people and streams in the messages. */
  readonly names: MessageNames;
  readonly flagBitsOf: ListedPage['flagBitsOf'];
  /** Whether messages farther from the anchor were left out because all together are too long. */
  readonly isCutBelow: boolean;
  readonly isCutAbove: boolean;
};

/**
 * Keeps the messages next to the anchor, and of the others as many on each side as fit.
 *
 * @param messages by ascending id
 * @param bytesOf called from the anchor outwards, for no message behind one that does not fit
 * @returns the kept ones, by ascending id
 */
export function keepFitting<Message extends { readonly id: number }>(
  messages: readonly Message[],
  anchor: number,
  bytesOf: (message: Message) => number,
): Message[] {
  const bytes = { below: 0, above: 0 };
  return nearestFirst(messages, anchor)
    .filter(({ message, isAbove, isNearAnchor }) => {
      const side = isAbove ? 'above' : 'below';
      if (isNearAnchor || bytes[side] <= pageSideBytesMax) bytes[side] += bytesOf(message);
      return isNearAnchor || bytes[side] <= pageSideBytesMax;
    })
    .map(({ message }) => message)
    .toSorted((a, b) => a.id - b.id);
}

type PageRequest = {
  readonly texts: MessageTexts;
  /** The messages next to it are left out last. */
  readonly anchor: number;
};

type Ranked<Message> = Pick<MessageToRead, 'isAbove' | 'isNearAnchor'> & {
  readonly message: Message;
};

/** @returns the messages below the anchor and those from it on, each side from the anchor outwards */
function nearestFirst<Message extends { readonly id: number }>(
  messages: readonly Message[],
  anchor: number,
): Ranked<Message>[] {
  const split = messages.findIndex(({ id }) => id >= anchor);
  const below = split === -1 ? messages : messages.slice(0, split);
  const rank =
    (isAbove: boolean) =>
    (message: Message, place: number): Ranked<Message> => ({
      message,
      isAbove,
      isNearAnchor: place < nearAnchorMax,
    });
  return [...below.toReversed().map(rank(false)), ...messages.slice(below.length).map(rank(true))];
}

const textsNumbers: Readonly<Record<MessageTexts, number>> = { written: 0, rendered: 1, both: 2 };

function bodyKey(messageId: number, texts: MessageTexts): number {
  return messageId * 3 + textsNumbers[texts];
}

type PageCounters = { readonly messages: Counter; readonly missed: Counter };

export class PageReader {
  readonly #bodies: LRUCache<number, MessageBody>;
  #names = new MessageNames(0, '');
  readonly #counters: PageCounters | undefined;

  constructor(
    options: { readonly keptBytesMax?: number; readonly registry?: Registry | undefined } = {},
  ) {
    this.#bodies = new LRUCache({
      maxSize: options.keptBytesMax ?? keptBytesUsual,
      sizeCalculation: (body) => body.keptBytes,
    });
    if (options.registry !== undefined) this.#counters = this.#declareMetrics([options.registry]);
  }

  #declareMetrics(registers: Registry[]): PageCounters {
    const bodies = this.#bodies;
    new Gauge({
      name: 'parley_page_messages_kept_bytes',
      help: 'Bytes of the messages kept in memory for pages',
      registers,
      collect() {
        this.set(bodies.calculatedSize);
      },
    });
    return {
      messages: new Counter({
        name: 'parley_page_messages_total',
        help: 'Messages in the pages that were read',
        registers,
      }),
      missed: new Counter({
        name: 'parley_page_messages_missed_total',
        help: 'Messages of pages read from Postgres because they were not in memory in their current version',
        registers,
      }),
    };
  }

  /** @param list lists the page; called twice if something changes meanwhile */
  async read(
    reads: PageReads,
    list: (db: Queryable) => Promise<ListedPage>,
    request: PageRequest,
  ): Promise<ReadPage> {
    const page = await this.#complete(reads, await list(reads), request);
    if (page !== undefined) return page;
    return reads.snapshot(async (snapshot) => {
      const still = await this.#complete(snapshot, await list(snapshot), request);
      if (still === undefined) throw new Error('a snapshot has two versions of one message');
      return still;
    });
  }

  /** @returns undefined if something on the page has changed since it was listed */
  async #complete(
    db: Queryable,
    listed: ListedPage,
    request: PageRequest,
  ): Promise<ReadPage | undefined> {
    if (listed.messages.length === 0) return this.#emptyPage(listed);
    const bodies = await this.#findBodies(db, listed, request);
    if (bodies === undefined) return undefined;
    // A message that was not read was too long already.
    const bytesOf = ({ id }: ListedMessage): number => bodies.get(id)?.bytes ?? Infinity;
    const messages = keepFitting(listed.messages, request.anchor, bytesOf).flatMap(
      ({ id }) => bodies.get(id) ?? [],
    );
    const names = await this.#findNames(db, listed, messages);
    if (names === undefined) return undefined;
    return {
      messages,
      names,
      flagBitsOf: listed.flagBitsOf,
      isCutBelow: listed.messages[0]?.id !== messages[0]?.id,
      isCutAbove: listed.messages.at(-1)?.id !== messages.at(-1)?.id,
    };
  }

  #emptyPage({ flagBitsOf }: ListedPage): ReadPage {
    return { messages: [], names: this.#names, flagBitsOf, isCutBelow: false, isCutAbove: false };
  }

  async #findBodies(
    db: Queryable,
    { epoch, messages }: ListedPage,
    { texts, anchor }: PageRequest,
  ): Promise<ReadonlyMap<number, MessageBody> | undefined> {
    const bodies = new Map<number, MessageBody>();
    const missing = new Map<number, MessageToRead>();
    for (const { message, ...rank } of nearestFirst(messages, anchor)) {
      const { id, version } = message;
      const body = this.#bodies.get(bodyKey(id, texts));
      if (body?.version === version && body.epoch === epoch) bodies.set(id, body);
      else missing.set(id, { ...message, ...rank });
    }
    this.#counters?.messages.inc(messages.length);
    if (missing.size === 0) return bodies;
    this.#counters?.missed.inc(missing.size);
    const { shown, leftOutIds } = await readShownMessages(db, [...missing.values()], texts);
    let isAsListed = shown.length + leftOutIds.length === missing.size;
    for (const message of shown) {
      const body = messageBodyOf(message, texts);
      this.#bodies.set(bodyKey(body.id, texts), body);
      bodies.set(body.id, body);
      isAsListed &&= body.epoch === epoch && body.version === missing.get(body.id)?.version;
    }
    return isAsListed ? bodies : undefined;
  }

  async #findNames(
    db: Queryable,
    { epoch, namesVersion }: ListedPage,
    messages: readonly MessageBody[],
  ): Promise<MessageNames | undefined> {
    if (!this.#names.isOf(epoch, namesVersion) || this.#names.size > namesMax)
      this.#names = new MessageNames(epoch, namesVersion);
    const names = this.#names;
    const missing = names.findMissing(messages);
    if (missing.userIds.length === 0 && missing.streamIds.length === 0) return names;
    const shown = await readShownNames(db, missing);
    if (!names.isOf(shown.epoch, shown.version)) return undefined;
    names.add(shown);
    return names;
  }
}
