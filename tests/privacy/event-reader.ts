import { readObjects } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';

import type { SeededRandom } from './seeded-random.ts';
import { isRefused } from './world.ts';
import type { Person, World } from './world.ts';

/** An event queue of one person, opened before anything was said. */
export class EventReader {
  readonly person: Person;
  /** `wide`: everything that it may get. */
  readonly kind: string;
  readonly queueId: string;
  #lastEventId: number;

  private constructor(person: Person, kind: string, answer: JsonObject) {
    this.person = person;
    this.kind = kind;
    this.queueId = answer['queue_id'] as string;
    this.#lastEventId = answer['last_event_id'] as number;
  }

  /** Opens for everybody a queue of all events, and one with a narrower filter. */
  static async openAll(world: World, random: SeededRandom): Promise<EventReader[]> {
    const readers: EventReader[] = [];
    for (const person of world.people.filter((one) => !isRefused(one))) {
      const stream = random.pick(world.streams);
      const narrower: Readonly<Record<string, Parameters>> = {
        default: {},
        markdown: { apply_markdown: true, include_subscribers: true },
        stream: { narrow: [['stream', stream.name]], all_public_streams: true },
        private: { narrow: [['is', 'private']] },
        mentioned: { narrow: [['is', 'mentioned']] },
        sender: { narrow: [['sender', stream.keeper.email]] },
        messages: { event_types: ['message'], all_public_streams: true },
      };
      const kinds: readonly [string, Parameters][] = [
        ['wide', { all_public_streams: true }],
        random.pick(Object.entries(narrower)),
      ];
      for (const [kind, parameters] of kinds) {
        const answer = await person.client.post('register', {
          fetch_event_types: [],
          ...parameters,
        });
        readers.push(new EventReader(person, kind, answer));
      }
    }
    return readers;
  }

  /** @returns everything that came since the last call */
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
