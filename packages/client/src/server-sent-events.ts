/** Server-Sent Events as text that comes in parts (HTML standard, 9.2.6). */

export type ServerSentEvent = {
  /** `message` unless the server names it. */
  readonly name: string;
  readonly data: string;
};

/** An event of the server is at most a few MiB; without this bound a broken peer could fill the memory. */
const eventMaxLength = 64 * 1024 * 1024;

export class ServerSentEventsParser {
  /** How long the server asks to wait before a reconnect, in milliseconds. */
  retryMs = 1_000;
  #rest = '';
  #searchedTo = 0;

  /**
   * @returns the events that are complete now
   * @throws RangeError if an event does not end
   */
  push(text: string): ServerSentEvent[] {
    this.#rest += text.replaceAll('\r', '');
    const found: ServerSentEvent[] = [];
    let start = 0;
    let end = this.#rest.indexOf('\n\n', this.#searchedTo);
    while (end !== -1) {
      const event = this.#parse(this.#rest.slice(start, end));
      if (event !== undefined) found.push(event);
      start = end + 2;
      end = this.#rest.indexOf('\n\n', start);
    }
    this.#rest = this.#rest.slice(start);
    this.#searchedTo = Math.max(this.#rest.length - 1, 0);
    if (this.#rest.length > eventMaxLength) throw new RangeError('an event without an end');
    return found;
  }

  #parse(block: string): ServerSentEvent | undefined {
    let name = 'message';
    const data: string[] = [];
    for (const line of block.split('\n')) {
      // JSON may have U+2028, which ends a line for `.` but not for this format.
      const [, field, value = ''] = /^([a-z]+):? ?([^]*)$/.exec(line) ?? [];
      if (field === 'data') data.push(value);
      else if (field === 'event') name = value;
      else if (field === 'retry' && /^\d{1,6}$/.test(value)) this.retryMs = Number(value);
    }
    return data.length === 0 ? undefined : { name, data: data.join('\n') };
  }
}
