import { afterAll, beforeAll } from 'vitest';

/**
 * Starts what the tests of a file share before the first of them, and stops it after the last.
 *
 * @returns the fixture, to be used when it has started
 */
export function useFixture<Fixture extends { stop: () => Promise<unknown> }>(
  start: () => Promise<Fixture>,
): Fixture {
  let started: Fixture | undefined;
  const use = (name: string | symbol): Fixture => {
    if (started === undefined) throw new Error(`${String(name)} is used before it has started`);
    return started;
  };
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started?.stop());
  return new Proxy({} as Fixture, {
    get(_target, name) {
      const fixture = use(name);
      const member: unknown = Reflect.get(fixture, name, fixture);
      return typeof member === 'function' ? (member.bind(fixture) as unknown) : member;
    },
    set: (_target, name, value) => Reflect.set(use(name), name, value),
  });
}
