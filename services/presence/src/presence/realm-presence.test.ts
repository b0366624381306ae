import { listedForMs, presenceJson } from '@parley/presence-state';
import type { ClientStates } from '@parley/presence-state';
import type { PresencePerson } from '@parley/store';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { RealmPresence } from './realm-presence.ts';

const startMs = 1_800_000_000_000;

/** What becomes of somebody, in an organization in which 80 people have reported at most. */
const step = fc.record({
  does: fc.constantFrom('report', 'report', 'report', 'rename', 'leave', 'lose all', 'wait'),
  userId: fc.integer({ min: 1, max: 80 }),
  client: fc.constantFrom('website', '__proto__', 'é'),
});

test('after any changes the pieces are the JSON of what is known', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      const realm = new RealmPresence();
      const states = new Map<number, ClientStates>();
      let people = new Map<number, PresencePerson>();
      let nowMs = startMs;
      const change = (id: number, isShown: boolean, name: string): void => {
        people = new Map(people).set(id, { id, email: `${name}${id}@example.com`, isShown });
      };
      for (const { does, userId, client } of steps) {
        nowMs += 1;
        if (does === 'report') {
          const state = { status: 'active', reportedAtMs: nowMs } as const;
          states.set(userId, new Map(states.get(userId)).set(client, state));
          if (!people.has(userId)) change(userId, true, 'né');
        }
        if (does === 'rename') change(userId, true, client);
        if (does === 'leave') change(userId, false, 'né');
        if (does === 'lose all') states.clear();
        if (does === 'wait') nowMs += listedForMs / 4;
        const text = Buffer.concat(realm.pieces(states, people, nowMs)).toString();
        const expected = [...states].flatMap(([id, known]) => {
          const person = people.get(id);
          const presence = presenceJson(known, nowMs - listedForMs);
          return person?.isShown === true && presence !== undefined
            ? [`${JSON.stringify(person.email)}:${JSON.stringify(presence)}`]
            : [];
        });
        expect(text).toBe(`{${expected.join(',')}}`);
      }
    }),
  );
});
