/**
 * One stream of events for all tabs of a browser. The tab that holds a lock, the leader, follows the queue and passes each event on; the
 * others apply it in turn. Each event names the one before it, so that a tab which missed something notices, and asks the leader for all that
 * it knows. When the leader is gone the lock goes to another tab, which continues the queue after the last event that it has: the server
 * then either has all later events, or says that it does not, and the tab registers anew.
 */
import { ApiError } from '@parley/client';
import type {
  EventStream,
  FollowedEvent,
  ParametersOf,
  ParleyClient,
  QueuePosition,
} from '@parley/client';

import type { ConnectionState } from './app.ts';
import { inGroups, pause } from './event-groups.ts';
import type { AppliedEvent } from './reducers/reducer.ts';
import type { Registered } from './state.ts';

/** What a tab gets, in order. The first replaces everything, by what the server answered or another tab knows. */
export type Arrival<Known> =
  | { readonly kind: 'known'; readonly known: Known }
  | { readonly kind: 'part'; readonly part: Partial<Known> }
  | { readonly kind: 'event'; readonly event: AppliedEvent };

/** An event, or after a registration all that is known, with where in the queue a tab is that has it. */
type Sent<Known> =
  | { readonly kind: 'known'; readonly position: QueuePosition; readonly known: Known }
  | {
      readonly kind: 'event';
      readonly position: QueuePosition;
      /** The event before it. */
      readonly after: number;
      readonly event: AppliedEvent;
    };

type Message<Known> =
  /** To the leader. */
  | { readonly kind: 'ask' }
  | { readonly kind: 'ping' }
  /** To everybody. */
  | { readonly kind: 'input' }
  /** From the leader. */
  | Sent<Known>
  | { readonly kind: 'part'; readonly part: Partial<Known> }
  | { readonly kind: 'alive'; readonly connection: ConnectionState };

/** What the client asks for at `register`: the initial state and the events of these types. */
const registerParameters = {
  apply_markdown: true,
  include_subscribers: true,
  queue_lifespan_secs: 600,
} satisfies ParametersOf<'POST /register'>;

/** Followers ask this often whether the leader is there; a page that sleeps does not answer. */
const pingMs = 20_000;

/** How long a tab waits that could not apply an event. */
const anewMs = 5_000;

/** After so many questions without an answer another tab leads. */
const unansweredMax = 2;

export type SharedEventsOptions<Known> = {
  /** Tabs with the same name share; a new release of the client has another one. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly receive: (arrival: Arrival<Known>) => void;
  /** What is known after a registration. */
  readonly read: (registered: Registered) => Known;
  /** What is known after everything that was received; undefined before the first. */
  readonly known: () => Known | undefined;
  readonly onConnection: (connection: ConnectionState) => void;
  /** The server could not be reached, and is tried again. */
  readonly onFailure: (failure: Error) => void;
  /** The person did something in any tab. */
  readonly onInput: () => void;
  /** The server refused for good, as it does when the session has ended. */
  readonly onRefused: (failure: Error) => void;
};

/** `Known` is all that a tab knows by its events, in a form that another tab can take. */
export class SharedEvents<Known> {
  readonly #client: ParleyClient;
  readonly #options: SharedEventsOptions<Known>;
  /** Tells all other tabs. */
  #post: (message: Message<Known>) => void = () => undefined;
  #stream: EventStream | undefined;
  /** The queue and the last of its events that this tab has. */
  #position: QueuePosition | undefined;
  #connection: ConnectionState = 'connecting';
  #unanswered = 0;

  constructor(client: ParleyClient, options: SharedEventsOptions<Known>) {
    this.#client = client;
    this.#options = options;
    const { name, signal } = options;
    // Pages that came by plain HTTP have no locks: each is its own leader.
    if (globalThis.navigator?.locks === undefined) {
      void this.#lead(signal);
      return;
    }
    const channel = new BroadcastChannel(name);
    this.#post = channel.postMessage.bind(channel);
    channel.addEventListener('message', ({ data }: MessageEvent<Message<Known>>) =>
      this.#hear(data),
    );
    const pinging = setInterval(() => this.#ping(), pingMs);
    signal.addEventListener('abort', () => {
      clearInterval(pinging);
      this.#post = () => undefined;
      channel.close();
    });
    this.#post({ kind: 'ask' });
    void this.#waitForLead();
  }

  /** The queue whose events this tab gets. */
  get queueId(): string | undefined {
    return this.#position?.queueId;
  }

  get isLeader(): boolean {
    return this.#stream !== undefined;
  }

  /** The network is back, or the page was shown again: looks at once whether events still come. */
  wake(): void {
    if (this.#connection === 'offline') this.#setConnection('connecting');
    if (this.#stream === undefined) this.#ping();
    else this.#stream.wake();
  }

  noteOffline(): void {
    this.#setConnection('offline');
  }

  /** The leader learnt something otherwise than by an event. */
  share(part: Partial<Known>): void {
    this.#options.receive({ kind: 'part', part });
    this.#post({ kind: 'part', part });
  }

  noteInput(): void {
    this.#options.onInput();
    this.#post({ kind: 'input' });
  }

  async #waitForLead(how: LockOptions = { signal: this.#options.signal }): Promise<void> {
    const { name, signal } = this.#options;
    const leading = new AbortController();
    try {
      await navigator.locks.request(name, how, () =>
        this.#lead(AbortSignal.any([signal, leading.signal])),
      );
    } catch {
      // The lock was taken by a tab that had no answer from this one, which follows now.
      leading.abort();
      this.#stream = undefined;
      if (signal.aborted) return;
      this.#post({ kind: 'ask' });
      void this.#waitForLead();
    }
  }

  /** Follows the queue until the signal or a refusal ends it. */
  async #lead(signal: AbortSignal): Promise<void> {
    const stream = this.#client.events(registerParameters, {
      signal,
      transport: 'stream',
      resume: this.#position,
      keepsQueue: true,
      onConnected: () => this.#setConnection('live'),
      onFailure: (failure) => {
        if (this.#connection !== 'offline') this.#setConnection('connecting');
        this.#options.onFailure(failure);
      },
    });
    this.#stream = stream;
    try {
      for await (const event of inGroups(stream))
        if (!signal.aborted) this.#take(event, stream.queueId ?? '');
    } catch (failure) {
      if (signal.aborted || failure instanceof ApiError)
        this.#options.onRefused(failure instanceof Error ? failure : new Error(String(failure)));
      else await this.#leadAnew(signal, failure);
    }
  }

  /** An event could not be applied: a new registration replaces what the tabs know. */
  async #leadAnew(signal: AbortSignal, failure: unknown): Promise<void> {
    this.#setConnection('connecting');
    // The browser reports it, as any error of a page.
    setTimeout(() => {
      throw failure;
    });
    await pause(anewMs);
    this.#position = undefined;
    if (!signal.aborted) await this.#lead(signal);
  }

  #take(event: FollowedEvent, queueId: string): void {
    if (event.type === 'registered') {
      // It has everything that `registerParameters` ask for.
      const registered = event.state as Registered;
      this.#position = { queueId, lastEventId: registered.last_event_id };
      this.#options.receive({ kind: 'known', known: this.#options.read(registered) });
      this.#postKnown();
      return;
    }
    const after = this.#position?.lastEventId ?? event.id;
    const position = { queueId, lastEventId: event.id };
    this.#position = position;
    this.#options.receive({ kind: 'event', event });
    this.#post({ kind: 'event', position, after, event });
  }

  /** Tells all tabs what this one knows, and that it is there. */
  #postKnown(): void {
    const known = this.#options.known();
    const position = this.#position;
    if (known !== undefined && position !== undefined)
      this.#post({ kind: 'known', position, known });
    this.#post({ kind: 'alive', connection: this.#connection });
  }

  #setConnection(connection: ConnectionState): void {
    if (connection === this.#connection) return;
    this.#connection = connection;
    this.#options.onConnection(connection);
    if (this.isLeader) this.#post({ kind: 'alive', connection });
  }

  #hear(message: Message<Known>): void {
    if (message.kind === 'input') this.#options.onInput();
    else if (message.kind === 'ask') {
      if (this.isLeader) this.#postKnown();
    } else if (message.kind === 'ping') {
      if (this.isLeader) this.#post({ kind: 'alive', connection: this.#connection });
    } else if (!this.isLeader) {
      this.#unanswered = 0;
      if (message.kind === 'alive') this.#setConnection(message.connection);
      else if (message.kind !== 'part') this.#takeSent(message);
      else if (this.#position !== undefined) this.#options.receive(message);
    }
  }

  /** Takes what continues what this tab has. What it has was sent for another tab, and where something is missing it asks. */
  #takeSent(sent: Sent<Known>): void {
    const { position } = sent;
    const { queueId, lastEventId = 0 } = { ...this.#position };
    const isOwn = position.queueId === queueId;
    if (isOwn && position.lastEventId <= lastEventId) return;
    if (sent.kind === 'known' || (isOwn && sent.after === lastEventId)) {
      this.#position = position;
      this.#options.receive(sent);
    } else this.#post({ kind: 'ask' });
  }

  #ping(): void {
    if (this.isLeader) return;
    this.#unanswered += 1;
    if (this.#unanswered <= unansweredMax) this.#post({ kind: 'ping' });
    else {
      this.#unanswered = 0;
      void this.#waitForLead({ steal: true });
    }
  }
}
