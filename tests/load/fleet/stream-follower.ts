import { Follower } from './follower.ts';
import type { Notes } from './follower.ts';
import type { FleetAccount } from './protocol.ts';
import { StreamConnection } from './stream-connection.ts';

const eventIds = /^id: (\d+)$/gm;

/** A follower that receives its queue as Server-Sent Events; it reconnects whenever the stream ends. */
export class StreamFollower extends Follower {
  readonly #notes: Notes;
  #connection: StreamConnection | undefined;

  constructor(index: number, url: string, account: FleetAccount, notes: Notes) {
    super(index, url, account, notes);
    this.#notes = notes;
  }

  override async follow(onHeld: () => void): Promise<void> {
    this.isHeld = true;
    try {
      while (this.isHeld) {
        const connection = new StreamConnection(this.url);
        this.#connection = connection;
        await connection.read(this.getText(this.#address), {
          onHead: onHeld,
          onEvents: (text) => this.takeEvents(text, eventIds),
        });
        if (this.isHeld) this.#notes.repeat('the stream ended');
      }
    } catch (error) {
      if (this.isHeld) this.#notes.fault(`follower ${this.index} on a stream: ${String(error)}`);
    }
  }

  override stop(): void {
    super.stop();
    this.#connection?.abort();
  }

  get #address(): string {
    return `/api/v1/events/stream?queue_id=${encodeURIComponent(this.queueId)}&last_event_id=${this.lastEventId}`;
  }
}
