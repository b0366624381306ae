import type { SubscriptionRecord } from './records.ts';

const fieldsPerRecord = 4;
const recordsPerBlock = 65_536;
const noColor = -1;

const flags = { isMuted: 1, pinToTop: 2 } as const;
/** Two bits each, above those of the flags: null, false, true. */
const notificationNames = ['desktop', 'audible', 'push', 'email', 'wildcardMentions'] as const;
const notificationStates = [null, false, true] as const;
const shiftOf = (notification: number): number => 2 + 2 * notification;

function bitsOf(record: SubscriptionRecord): number {
  let bits = 0;
  if (record.isMuted) bits |= flags.isMuted;
  if (record.pinToTop) bits |= flags.pinToTop;
  for (const [n, name] of notificationNames.entries())
    bits |= notificationStates.indexOf(record.notifications[name]) << shiftOf(n);
  return bits;
}

/** Who is subscribed to what. Large organizations have millions of subscriptions, so each takes sixteen bytes. */
export class SubscriptionList implements Iterable<SubscriptionRecord> {
  readonly #blocks: Int32Array[] = [];
  #length = 0;

  /** @returns the record's number, for `replace` */
  add(record: SubscriptionRecord): number {
    const index = this.#length;
    this.#length += 1;
    if (index % recordsPerBlock === 0)
      this.#blocks.push(new Int32Array(fieldsPerRecord * recordsPerBlock));
    this.replace(index, record);
    return index;
  }

  replace(index: number, record: SubscriptionRecord): void {
    const { person, stream, color } = record;
    const packedColor = color === undefined ? noColor : Number.parseInt(color.slice(1), 16);
    const at = fieldsPerRecord * (index % recordsPerBlock);
    this.#blocks[Math.floor(index / recordsPerBlock)]?.set(
      [person, stream, packedColor, bitsOf(record)],
      at,
    );
  }

  *[Symbol.iterator](): Generator<SubscriptionRecord> {
    for (let index = 0; index < this.#length; index += 1) yield this.#read(index);
  }

  #read(index: number): SubscriptionRecord {
    const block = this.#blocks[Math.floor(index / recordsPerBlock)];
    const at = fieldsPerRecord * (index % recordsPerBlock);
    const [person = 0, stream = 0, color = noColor, bits = 0] =
      block?.subarray(at, at + fieldsPerRecord) ?? [];
    const stateOf = (n: number): boolean | null =>
      notificationStates[(bits >> shiftOf(n)) & 3] ?? null;
    return {
      person,
      stream,
      color: color === noColor ? undefined : `#${color.toString(16).padStart(6, '0')}`,
      isMuted: (bits & flags.isMuted) !== 0,
      pinToTop: (bits & flags.pinToTop) !== 0,
      notifications: {
        desktop: stateOf(0),
        audible: stateOf(1),
        push: stateOf(2),
        email: stateOf(3),
        wildcardMentions: stateOf(4),
      },
    };
  }
}
