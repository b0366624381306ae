import type { Ask, Asker } from './asker.ts';

/** The requests to an endpoint. */
export type Plan = (asker: Asker) => Iterable<Ask>;
/** No requests, and why. */
export type NoPlan = { readonly because: string };
export type Plans = Readonly<Record<string, Plan | NoPlan>>;

/** No message, stream, person or file has it. */
export const unknownId = 99_999_999;
/** How many objects of a kind are sampled. */
export const sampled = 10;

/** The same request about each hidden object and about one that does not exist. */
export function alike(
  group: string,
  unknown: string | number,
  hidden: readonly (string | number)[],
  ask: (value: string | number) => Ask,
): Ask[] {
  return [unknown, ...hidden].map((value) => ({
    ...ask(value),
    alike: { group, text: String(value) },
  }));
}

export function idsOf(things: readonly { readonly id: number }[]): number[] {
  return things.map((thing) => thing.id);
}
