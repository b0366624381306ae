import { GatheredRuns, audienceKey, changeEntry } from '@parley/event-log';
import type { EventLog, EventPart } from '@parley/event-log';
import type { Logger } from '@parley/logging';
import { lockUsersInUse } from '@parley/store';
import type { User } from '@parley/store';

export type Typing = {
  readonly op: 'start' | 'stop';
  readonly senderId: number;
  /** Without the sender, unless it writes to itself. */
  readonly recipientIds: readonly number[];
};

/** What comes within so long after a transaction goes into the log in the next. */
const gatherMs = 100;

/** What is beyond so many in that time, or in a time without Postgres, is not told: clients repeat it every ten seconds. */
const waitingMax = 5_000;

/** So many events share an entry of the log. */
const eventsPerEntry = 200;

/** Tells of typing (reference facts, events 11.7). Nothing is stored; what cannot be told at once is not told at all. */
export class TypingEvents {
  readonly #eventLog: EventLog;
  readonly #runs: GatheredRuns;
  #waiting: Typing[] = [];
  #dropped = 0;

  constructor(options: { readonly eventLog: EventLog; readonly log: Logger }) {
    this.#eventLog = options.eventLog;
    this.#runs = new GatheredRuns({
      gatherMs,
      run: () => this.#append(),
      log: options.log,
      name: 'telling of typing',
    });
  }

  /** How many were not told because too many waited. */
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

  /** Tells what is waiting. */
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
      // The address and activity of each stay as they are until the entry has its place.
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

/** For the sender and the recipients that are active; nobody is told of a sender who is gone. */
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
