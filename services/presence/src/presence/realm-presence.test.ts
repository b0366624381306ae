import { gunzipSync } from 'node:zlib';

import { listedForMs, presenceJson } from '@parley/store/presence-state';
import type { ClientStates } from '@parley/store/presence-state';
import type { PresencePerson } from '@parley/store';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { RealmPresence } from './realm-presence.ts';
import type { Reporter } from './realm-presence.ts';

const startMs = 1_800_000_000_000;

/** What becomes of somebody, in an organization in which 120 people have reported at most. */
const step = fc.record({
  does: fc.constantFrom('report', 'report', 'report', 'rename', 'leave', 'lose all', 'wait'),
  userId: fc.integer({ min: 1, max: 120 }),
  client: fc.constantFrom('website', '__proto__', 'é'),
  isRenewed: fc.boolean(),
});

class Model {
  readonly realm = new RealmPresence();
  readonly states = new Map<number, ClientStates>();
  people = new Map<number, PresencePerson>();
  nowMs = startMs;
  /** What was known when the answers' shared part was last made. */
  #shared = new Map<number, ClientStates>();
  #sharedPeople = new Map<number, PresencePerson>();
  #sharedAtMs = startMs;

  change(id: number, isShown: boolean, name: string): void {
    this.people = new Map(this.people).set(id, { id, email: `${name}${id}@example.com`, isShown });
  }

  renew(): void {
    this.realm.renew(this.states, this.people, this.nowMs);
    this.#shared = new Map(this.states);
    this.#sharedPeople = this.people;
    this.#sharedAtMs = this.nowMs;
  }

  /** @returns the members `presences` as they have to be */
  expected(reporter: Reporter | undefined): Record<string, unknown> {
    const entries = [...this.#shared].flatMap(([id, known]) => {
      const person = this.#sharedPeople.get(id);
      const isReporter = id === reporter?.userId;
      const presence = presenceJson(
        isReporter ? reporter.states : known,
        (isReporter ? this.nowMs : this.#sharedAtMs) - listedForMs,
      );
      return person?.isShown === true && presence !== undefined ? [[person.email, presence]] : [];
    });
    return Object.fromEntries(entries) as Record<string, unknown>;
  }
}

/** Checks the answers for somebody, in both forms. */
function checkAnswers(model: Model, reporter: Reporter | undefined): void {
  const expected = model.expected(reporter);
  for (const takesGzip of [false, true]) {
    const { body, isGzip } = model.realm.answer(reporter, takesGzip, model.nowMs);
    const bytes = Buffer.concat(body);
    const text = (isGzip ? gunzipSync(bytes) : bytes).toString();
    expect(JSON.parse(text)).toEqual({
      result: 'success',
      msg: '',
      server_timestamp: model.nowMs / 1_000,
      presences: expected,
    });
    // Nobody twice, which a reader of JSON would not see.
    expect(text.match(/"aggregated":/g) ?? []).toHaveLength(Object.keys(expected).length);
  }
}

test("after any changes an answer has the reporter's newest state, and others' as of the last renewal", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      const model = new Model();
      for (const { does, userId, client, isRenewed } of steps) {
        model.nowMs += 1;
        if (does === 'report') {
          const state = { status: 'active', reportedAtMs: model.nowMs } as const;
          model.states.set(userId, new Map(model.states.get(userId)).set(client, state));
          if (!model.people.has(userId)) model.change(userId, true, 'né');
        }
        if (does === 'rename') model.change(userId, true, client);
        if (does === 'leave') model.change(userId, false, 'né');
        if (does === 'lose all') model.states.clear();
        if (does === 'wait') model.nowMs += listedForMs / 4;
        if (isRenewed || does === 'lose all') model.renew();
        const states = model.states.get(userId);
        checkAnswers(model, states === undefined ? undefined : { userId, states });
        checkAnswers(model, undefined);
      }
    }),
    { numRuns: 30 },
  );
});

test('a long answer is gzip for clients that accept it, and mostly the same bytes for everybody', () => {
  const model = new Model();
  for (let userId = 1; userId <= 200; userId += 1) {
    model.states.set(userId, new Map([['website', { status: 'active', reportedAtMs: startMs }]]));
    model.change(userId, true, 'reporter');
  }
  model.renew();
  const sizes = [false, true].map((takesGzip) => {
    const [one, other] = [3, 150].map((userId) =>
      model.realm.answer(
        { userId, states: model.states.get(userId) ?? new Map() },
        takesGzip,
        startMs,
      ),
    );
    expect(one?.isGzip).toBe(takesGzip);
    const memories = new Set(one?.body.map(({ buffer }) => buffer));
    const same = (other?.body ?? []).filter(({ buffer }) => memories.has(buffer));
    const bytesOf = (body: readonly Buffer[] = []): number => Buffer.concat(body).length;
    expect(bytesOf(same)).toBeGreaterThan(bytesOf(other?.body) - 8_000);
    return bytesOf(other?.body);
  });
  expect(sizes[1]).toBeLessThan((sizes[0] ?? 0) / 3);
});
