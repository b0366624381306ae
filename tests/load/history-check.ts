import { markedContent } from './fleet/protocol.ts';
import type { FleetAccount } from './fleet/protocol.ts';
import { ask, writeGet } from './requests.ts';

// The maximum of one request.
const messagesPerRequest = 5_000;

type Message = { readonly id: number; readonly content: string };

/** Checks after a run that the history of a stream contains each acknowledged message once. */
export class HistoryCheck {
  readonly #url: string;
  readonly #reader: FleetAccount;
  readonly #narrow: string;
  #lastId = 0;

  /** @param reader a member of the stream */
  constructor(url: string, reader: FleetAccount, stream: string) {
    this.#url = url;
    this.#reader = reader;
    this.#narrow = encodeURIComponent(JSON.stringify([{ operator: 'stream', operand: stream }]));
  }

  /**
   * Reads the messages in the stream since the last call.
   *
   * @param count the number of acknowledged messages of the run
   * @throws Error if there are fewer or more, or one of them twice
   */
  async expect(count: number): Promise<void> {
    const seen = new Set<string>();
    for (;;) {
      const messages = await this.#read(
        `anchor=${this.#lastId}&num_before=0&num_after=${messagesPerRequest - 1}&apply_markdown=false`,
      );
      const added = messages.filter(({ id }) => id > this.#lastId);
      for (const { content } of added) {
        const [mark] = JSON.stringify({ content }).matchAll(markedContent);
        if (mark?.[1] === undefined) continue;
        if (seen.has(mark[1])) throw new Error(`message ${mark[1]} is there twice`);
        seen.add(mark[1]);
      }
      const last = added.at(-1);
      if (last === undefined) break;
      this.#lastId = last.id;
    }
    if (seen.size !== count)
      throw new Error(`${seen.size} messages are there of ${count} that were acknowledged`);
  }

  /** Skips the messages that the stream already has. */
  async skip(): Promise<void> {
    const messages = await this.#read('anchor=newest&num_before=1&num_after=0');
    this.#lastId = messages.at(-1)?.id ?? 0;
  }

  async #read(parameters: string): Promise<readonly Message[]> {
    const path = `/api/v1/messages?${parameters}&narrow=${this.#narrow}`;
    const answer = await ask(this.#url, writeGet(this.#url, path, this.#reader));
    return (JSON.parse(answer) as { readonly messages: readonly Message[] }).messages;
  }
}
