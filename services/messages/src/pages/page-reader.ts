/**
 * Pages of messages: Postgres lists the messages and the reader's flags, and their content comes from memory. Kept content is used only in
 * the version that the page's statement has seen. So an answer shows one moment, whatever other processes change (decision 0045). The
 * statement decides whether somebody may see a message.
 */
import type { Queryable } from '@parley/database';
import { pageTextBytesMax, readShownMessages, readShownNames } from '@parley/store';
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
  /** Whether messages farther from the anchor were left out because the texts together are too long. */
  readonly isCutBelow: boolean;
  readonly isCutAbove: boolean;
};

type PageRequest = {
  readonly texts: MessageTexts;
  /** The messages next to it are left out last. */
  readonly anchor: number;
};

type RankedMessage = MessageToRead & ListedMessage;

/** @returns the messages below the anchor and those from it on, each side from the anchor outwards */
function nearestFirst(messages: readonly ListedMessage[], anchor: number): RankedMessage[] {
  const split = messages.findIndex(({ id }) => id >= anchor);
  const rank =
    (isAbove: boolean) =>
    ({ id, version }: ListedMessage, place: number): RankedMessage => ({
      id,
      version,
      isAbove,
      isNearAnchor: place < nearAnchorMax,
    });
  if (split === -1) return messages.toReversed().map(rank(false));
  return [
    ...messages.slice(0, split).toReversed().map(rank(false)),
    ...messages.slice(split).map(rank(true)),
  ];
}

/** @returns the messages whose texts fit, by ascending id */
function listFitting(
  ranked: readonly RankedMessage[],
  bodies: ReadonlyMap<number, MessageBody>,
): MessageBody[] {
  const fitting: MessageBody[] = [];
  const bytes = { below: 0, above: 0 };
  for (const { id, isAbove, isNearAnchor } of ranked) {
    const body = bodies.get(id);
    const side = isAbove ? 'above' : 'below';
    // A message that was not read was too long already.
    bytes[side] += body?.bytes ?? Infinity;
    if (body !== undefined && (isNearAnchor || bytes[side] <= pageTextBytesMax)) fitting.push(body);
  }
  return fitting.toSorted((a, b) => a.id - b.id);
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
    const ranked = nearestFirst(listed.messages, request.anchor);
    const bodies = await this.#findBodies(db, listed, ranked, request.texts);
    if (bodies === undefined) return undefined;
    const messages = listFitting(ranked, bodies);
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
    { epoch }: ListedPage,
    ranked: readonly RankedMessage[],
    texts: MessageTexts,
  ): Promise<ReadonlyMap<number, MessageBody> | undefined> {
    const bodies = new Map<number, MessageBody>();
    const missing = new Map<number, RankedMessage>();
    for (const each of ranked) {
      const { id, version } = each;
      const body = this.#bodies.get(bodyKey(id, texts));
      if (body?.version === version && body.epoch === epoch) bodies.set(id, body);
      else missing.set(id, each);
    }
    this.#counters?.messages.inc(ranked.length);
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
