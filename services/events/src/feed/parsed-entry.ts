import type {
  ChangeEntry,
  EventPart,
  LogEntry,
  MessageSentEntry,
  PositionedEntry,
} from '@parley/event-log';
import { eventPartLength, logEntryVersion, streamOfAudience } from '@parley/event-log';

/** An entry format that this release does not know. The node gives up its lease, and newer nodes serve. */
export class UnknownEntryFormat extends Error {}

/** The approximate size of one `peer_add`. */
const runEventBytes = 200;

/** The two choices of a queue that change the bytes of a message. */
export type MessageVariant = { readonly applyMarkdown: boolean; readonly clientGravatar: boolean };

function slotOf({ applyMarkdown, clientGravatar }: MessageVariant): number {
  return (applyMarkdown ? 1 : 0) + (clientGravatar ? 2 : 0);
}

// How `JSON.stringify` begins a message's entry in each format that this release knows.
const messageBeginnings = Array.from(
  { length: logEntryVersion },
  (_, index) => `{"v":${index + 1},"kind":"message.sent",`,
);

function isKnownMessage(payload: string): boolean {
  return messageBeginnings.some((beginning) => payload.startsWith(beginning));
}

// Quotes within a text are escaped, so no text of a message has this in it.
const namesNoReactingBot = '"reactingBotIds":[]';

/**
 * An entry. Its payload is parsed once per node, that of a message only on demand, and each variant of its events is serialised at most
 * once, whatever the number of queues.
 */
export class ParsedEntry {
  readonly position: number;
  /** The last position of its run. */
  readonly end: number;
  readonly messageId: number;
  readonly bytes: number;
  /**
   * The stream, if the entry concerns only its members and listeners to all public streams; undefined if others may be concerned or only
   * parsing would show it.
   */
  readonly onlyStreamId: number | undefined;
  /** Undefined after parsing. */
  #payload: string | undefined;
  #entry: LogEntry | undefined;
  // Texts made so far, by variant or part. Empty lists, since a node's tail holds many entries that nobody reads again.
  readonly #variants: (string | undefined)[] = [];
  readonly #plainEvents: (string | undefined)[] = [];
  readonly #partTexts: (string | undefined)[] = [];
  readonly #peerTexts: (string | undefined)[][] = [];
  readonly #completedTexts: (Promise<string> | undefined)[] = [];
  readonly #partPositions: readonly number[];

  constructor(positioned: PositionedEntry) {
    this.position = positioned.position;
    this.end = positioned.position + positioned.length - 1;
    this.messageId = positioned.messageId;
    // Each event of a run becomes a separate text when a queue gets it.
    this.bytes = positioned.payload.length + (positioned.length - 1) * runEventBytes;
    this.#payload = positioned.payload;
    // A node has the messages of all streams, many of them without a connected reader.
    if (isKnownMessage(positioned.payload)) {
      this.onlyStreamId = positioned.payload.includes(namesNoReactingBot)
        ? streamOfAudience(positioned.audience)
        : undefined;
      this.#partPositions = [];
      return;
    }
    const { entry } = this;
    if (entry.kind !== 'tick' && !(entry.v <= logEntryVersion)) {
      throw new UnknownEntryFormat(`entry ${positioned.position} has format ${String(entry.v)}`);
    }
    if (entry.kind !== 'message.sent' && entry.kind !== 'change' && entry.kind !== 'tick') {
      throw new UnknownEntryFormat(`entry ${positioned.position} is of an unknown kind`);
    }
    const partPositions: number[] = [];
    if (entry.kind === 'change') {
      let position = this.position;
      for (const part of entry.events) {
        partPositions.push(position);
        position += eventPartLength(part);
      }
    }
    this.#partPositions = partPositions;
  }

  get entry(): LogEntry {
    this.#entry ??= JSON.parse(this.#payload ?? '') as LogEntry;
    this.#payload = undefined;
    return this.#entry;
  }

  /** @returns the position of the first event of a part of a change */
  partPosition(index: number): number {
    const position = this.#partPositions[index];
    if (position === undefined) throw new Error('the entry has no such part');
    return position;
  }

  /** @returns the `message` object of the event as JSON text (reference facts, messages 5) */
  messageText(entry: MessageSentEntry, variant: MessageVariant): string {
    const slot = slotOf(variant);
    const known = this.#variants[slot];
    if (known !== undefined) return known;
    const text = JSON.stringify({
      id: this.messageId,
      ...entry.message,
      submessages: entry.message.submessages.map((submessage) => ({
        ...submessage,
        message_id: this.messageId,
      })),
      content: variant.applyMarkdown ? entry.renderedContent : entry.content,
      content_type: variant.applyMarkdown ? 'text/html' : 'text/x-markdown',
      avatar_url: variant.clientGravatar && entry.avatar.isGravatar ? null : entry.avatar.url,
    });
    this.#variants[slot] = text;
    return text;
  }

  /** @returns the whole event without flags, as most queues get it; the same string for all */
  plainMessageEventText(entry: MessageSentEntry, variant: MessageVariant): string {
    const slot = slotOf(variant);
    const known = this.#plainEvents[slot];
    if (known !== undefined) return known;
    const text = `{"type":"message","message":${this.messageText(entry, variant)},"flags":[],"id":${this.position}}`;
    this.#plainEvents[slot] = text;
    return text;
  }

  /** @returns the event at an offset within a run of `peer_add` or `peer_remove`, as JSON text */
  peerEventText(entry: ChangeEntry, index: number, offset: number): string {
    const part = entry.events[index];
    if (part?.form !== 'peers') throw new Error('the part is no run of peers');
    const texts = (this.#peerTexts[index] ??= []);
    const known = texts[offset];
    if (known !== undefined) return known;
    const userId = part.userIds[offset];
    // The names beside the ids are what clients of several ages read (reference facts, streams 11.2).
    const text = JSON.stringify({
      type: 'subscription',
      op: part.op,
      subscriptions: [part.streamName],
      user_id: userId,
      stream_id: part.streamId,
      stream_ids: [part.streamId],
      user_ids: [userId],
      id: this.partPosition(index) + offset,
    });
    texts[offset] = text;
    return text;
  }

  /** @returns the part of an event that is the same for its whole audience, as JSON text without its id and closing brace */
  openEventText(entry: ChangeEntry, index: number): string {
    const known = this.#partTexts[index];
    if (known !== undefined) return known;
    const part: EventPart | undefined = entry.events[index];
    if (part?.form !== 'same' && part?.form !== 'of-message')
      throw new Error('the part has no event of its own');
    const text = JSON.stringify(part.event).slice(0, -1);
    this.#partTexts[index] = text;
    return text;
  }

  /**
   * @param make called once, for an event that is the same for its whole audience and needs a look-up
   * @returns the event as JSON text
   */
  async completedText(index: number, make: () => Promise<string>): Promise<string> {
    const made = (this.#completedTexts[index] ??= make());
    try {
      return await made;
    } catch (error) {
      this.#completedTexts[index] = undefined;
      throw error;
    }
  }
}
