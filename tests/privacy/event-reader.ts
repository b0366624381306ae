import { readObjects } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';

import type { SeededRandom } from './seeded-random.ts';
import { isRefused } from './world.ts';
import type { Person, World } from './world.ts';

/** An event queue of one person, registered before the first message. */
export class EventReader {
  readonly person: Person;
  /** `wide`: with all events that it may get. */
  readonly kind: string;
  readonly queueId: string;
  #lastEventId: number;

  private constructor(person: Person, kind: string, answer: JsonObject) {
    this.person = person;
    this.kind = kind;
    this.queueId = answer['queue_id'] as string;
    this.#lastEventId = answer['last_event_id'] as number;
  }

  /** Registers a queue for all events for everybody. */
  static openWide(world: World): Promise<EventReader[]> {
    return openFor(world, () => ['wide', { all_public_streams: true }]);
  }

  /** Registers a queue with another filter for everybody. */
  static openNarrow(world: World, random: SeededRandom): Promise<EventReader[]> {
    return openFor(world, () => {
      const stream = random.pick(world.streams);
      return random.pick<readonly [string, Parameters]>([
        ['default', {}],
        ['markdown', { apply_markdown: true, include_subscribers: true }],
        ['stream', { narrow: [['stream', stream.name]], all_public_streams: true }],
        ['private', { narrow: [['is', 'private']] }],
        ['mentioned', { narrow: [['is', 'mentioned']] }],
        ['sender', { narrow: [['sender', stream.keeper.email]] }],
        ['messages', { event_types: ['message'], all_public_streams: true }],
      ]);
    });
  }

  /** Registers a queue. */
  static async open(person: Person, kind: string, parameters: Parameters): Promise<EventReader> {
    const answer = await person.client.post('register', { fetch_event_types: [], ...parameters });
    return new EventReader(person, kind, answer);
  }

  /** @returns all events since the last call */
  async read(): Promise<JsonObject[]> {
    const events: JsonObject[] = [];
    for (;;) {
      const answer = await this.person.client.get('events', {
        queue_id: this.queueId,
        last_event_id: this.#lastEventId,
        dont_block: true,
      });
      const more = readObjects(answer, 'events');
      const newest = more.at(-1);
      if (newest === undefined) return events;
      this.#lastEventId = newest['id'] as number;
      events.push(...more);
      if (more.every((event) => event['type'] === 'heartbeat')) return events;
    }
  }
}

async function openFor(
  world: World,
  choose: () => readonly [string, Parameters],
): Promise<EventReader[]> {
  const readers: EventReader[] = [];
  for (const person of world.people.filter((one) => !isRefused(one))) {
    const [kind, parameters] = choose();
    readers.push(await EventReader.open(person, kind, parameters));
  }
  return readers;
}
