import type { Clock } from '@parley/clock';
import { audienceKey, changeEntry } from '@parley/event-log';
import type { EventLog, EventPart } from '@parley/event-log';
import type { Logger } from '@parley/telemetry/logging';
import { GatheredRuns } from '@parley/server';
import { lockUsersInUse } from '@parley/store';
import type { User } from '@parley/store';

export type Typing = {
  readonly op: 'start' | 'stop';
  readonly senderId: number;
  /** Without the sender, except for messages to oneself. */
  readonly recipientIds: readonly number[];
};

/** Notices that arrive within this time after a transaction share the next one. */
const gatherMs = 100;

/** The most notices that wait; more are dropped, since clients repeat them every ten seconds. */
const waitingMax = 5_000;

/** The most events in one entry of the log. */
const eventsPerEntry = 200;

/** Delivers typing notices (reference facts, events 11.7). Nothing is stored; a notice that cannot be delivered soon is dropped. */
export class TypingEvents {
  readonly #eventLog: EventLog;
  readonly #runs: GatheredRuns;
  #waiting: Typing[] = [];
  #dropped = 0;

  constructor(options: {
    readonly clock: Clock;
    readonly eventLog: EventLog;
    readonly log: Logger;
  }) {
    this.#eventLog = options.eventLog;
    this.#runs = new GatheredRuns({
      clock: options.clock,
      gatherMs,
      run: () => this.#append(),
      log: options.log,
      name: 'publishing typing notices',
    });
  }

  /** The number of notices dropped because too many waited. */
  get dropped(): number {
    return this.#dropped;
  }

  add(typing: Typing): void {
    if (this.#waiting.length >= waitingMax) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(typing);
    this.#runs.request();
  }

  /**
   * Delivers what is waiting, without gathering more.
   *
   * @returns whether there was nothing
   */
  settle(): Promise<boolean> {
    return this.#runs.settle();
  }

  /** Delivers what is waiting, and accepts nothing after that. */
  async stop(): Promise<void> {
    await this.#runs.stop();
  }

  async #append(): Promise<void> {
    const gathered = this.#waiting;
    this.#waiting = [];
    const userIds = new Set(
      gathered.flatMap(({ senderId, recipientIds }) => [senderId, ...recipientIds]),
    );
    await this.#eventLog.transaction(async (client) => {
      // Locked, so that addresses and activity stay the same until the entry has its position.
      const people = await lockUsersInUse(client, { userIds: [...userIds] });
      const active = new Map(
        people.filter(({ isActive }) => isActive).map((person) => [person.id, person]),
      );
      const events = gathered.flatMap((typing) => eventOf(typing, active));
      if (events.length === 0) return { result: undefined };
      const entries = Array.from({ length: Math.ceil(events.length / eventsPerEntry) }, (_, n) => ({
        audience: audienceKey.everyone,
        entry: changeEntry({
          events: events.slice(n * eventsPerEntry, (n + 1) * eventsPerEntry),
        }),
      }));
      return { result: undefined, append: { entries } };
    });
  }
}

/** For the sender and the active recipients; undefined if the sender is deactivated. */
function eventOf(
  { op, senderId, recipientIds }: Typing,
  active: ReadonlyMap<number, User>,
): EventPart[] {
  const sender = active.get(senderId);
  if (sender === undefined) return [];
  const people = [...new Set([senderId, ...recipientIds])].flatMap((id) => active.get(id) ?? []);
  const named = ({ id, email }: User): { user_id: number; email: string } => ({
    user_id: id,
    email,
  });
  return [
    {
      form: 'same',
      audience: { to: 'users', userIds: people.map(({ id }) => id) },
      event: { type: 'typing', op, sender: named(sender), recipients: people.map(named) },
    },
  ];
}
