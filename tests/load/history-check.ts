import { HttpConnection } from './fleet/http-connection.ts';
import { markedContent } from './fleet/protocol.ts';
import type { FleetAccount } from './fleet/protocol.ts';

// The maximum of one request.
const messagesPerRequest = 5_000;

/** Checks after a run that the history of a stream contains each acknowledged message once. */
export class HistoryCheck {
  readonly #connection: HttpConnection;
  readonly #head: string;
  readonly #narrow: string;
  #lastId = 0;

  /** @param reader a member of the stream */
  constructor(url: string, reader: FleetAccount, stream: string) {
    this.#connection = new HttpConnection(url);
    const credentials = Buffer.from(`${reader.email}:${reader.apiKey}`).toString('base64');
    this.#head = `Host: ${new URL(url).host}\r\nAuthorization: Basic ${credentials}\r\nUser-Agent: ParleyLoad/1.0\r\n\r\n`;
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
      const { status, body } = await this.#connection.request(
        `GET /api/v1/messages?anchor=${this.#lastId}&num_before=0&num_after=${messagesPerRequest - 1}&apply_markdown=false&narrow=${this.#narrow} HTTP/1.1\r\n${this.#head}`,
      );
      if (status !== 200) throw new Error(`history: ${status} ${body.slice(0, 300)}`);
      const { messages } = JSON.parse(body) as {
        readonly messages: readonly { readonly id: number; readonly content: string }[];
      };
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
    const { status, body } = await this.#connection.request(
      `GET /api/v1/messages?anchor=newest&num_before=1&num_after=0&narrow=${this.#narrow} HTTP/1.1\r\n${this.#head}`,
    );
    if (status !== 200) throw new Error(`history: ${status} ${body.slice(0, 300)}`);
    const { messages } = JSON.parse(body) as {
      readonly messages: readonly { readonly id: number }[];
    };
    this.#lastId = messages.at(-1)?.id ?? 0;
  }

  [Symbol.dispose](): void {
    this.#connection.abort();
  }
}
