import { Follower } from './follower.ts';
import type { Notes } from './follower.ts';
import { HttpConnection } from './http-connection.ts';
import { markedContent, nowMs } from './protocol.ts';

/** A follower of the control: it acknowledges a message by the two headers that nchan sent with it. */
export class NchanFollower extends Follower {
  readonly #notes: Notes;
  readonly #connection: HttpConnection;
  readonly #head: string;
  #position = '';

  constructor(index: number, url: string, notes: Notes) {
    super(index, url, { email: '', apiKey: '' }, notes);
    this.#notes = notes;
    this.#connection = new HttpConnection(url);
    this.#head = `GET /followed HTTP/1.1\r\nHost: ${new URL(url).host}\r\nUser-Agent: ParleyLoad/1.0\r\n`;
  }

  /** There are no queues to register: a poll gets everything that is sent from then on. */
  override register(): Promise<void> {
    return Promise.resolve();
  }

  override async follow(onHeld: () => void): Promise<void> {
    this.isHeld = true;
    try {
      while (this.isHeld) {
        const answer = await this.#connection.request(`${this.#head}${this.#position}\r\n`, onHeld);
        if (answer.status !== 200) throw new Error(`${answer.status} ${answer.head}`);
        const at = nowMs();
        const modified = /^last-modified: (.+)$/im.exec(answer.head)?.[1] ?? '';
        const tag = /^etag: (.+)$/im.exec(answer.head)?.[1] ?? '';
        this.#position = `If-Modified-Since: ${modified.trim()}\r\nIf-None-Match: ${tag.trim()}\r\n`;
        for (const [, number, dueAtUs] of answer.body.matchAll(markedContent))
          this.#notes.tally?.receive(this.index, Number(number), Number(dueAtUs) / 1_000, at);
      }
    } catch (error) {
      if (this.isHeld) this.#notes.fault(`follower ${this.index} of nchan: ${String(error)}`);
    }
  }
}
