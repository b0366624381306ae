/** Reads events of the published client in the background, like a program that does other work. */
import type {
  EventStream,
  EventsOptions,
  FollowedEvent,
  ParametersOf,
  ParleyClient,
} from '@parley/client';
import { waitUntil } from '@parley/test-kit';

export class EventTaker {
  readonly stream: EventStream;
  readonly events: FollowedEvent[] = [];
  readonly ended: Promise<void>;

  constructor(
    client: ParleyClient,
    parameters: ParametersOf<'POST /register'> = {},
    options: EventsOptions = {},
  ) {
    this.stream = client.events({ event_types: ['message'], ...parameters }, options);
    this.ended = this.#take();
  }

  get messageIds(): number[] {
    return this.events.flatMap((event) => (event.type === 'message' ? event.message.id : []));
  }

  get registrations(): FollowedEvent[] {
    return this.events.filter(({ type }) => type === 'registered');
  }

  async begun(): Promise<this> {
    await waitUntil('a queue is registered', () => this.events.length > 0);
    return this;
  }

  async taken(count: number): Promise<number[]> {
    return waitUntil(`${count} messages came`, () =>
      this.messageIds.length >= count ? this.messageIds : undefined,
    );
  }

  async #take(): Promise<void> {
    for await (const event of this.stream) this.events.push(event);
  }
}
