/** Events that come one by one are passed on this often at most: what they change is drawn together. */
const groupMs = 100;

/** What took longer was not there yet. */
const arrivalMs = 4;

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Passes events on at once; those that come within a moment after others, together at its end. */
export async function* inGroups<Event>(
  events: AsyncIterable<Event>,
): AsyncGenerator<Event, void, void> {
  let groupAtMs = -groupMs;
  let askedAtMs = performance.now();
  for await (const event of events) {
    if (performance.now() - askedAtMs > arrivalMs) {
      const leftMs = groupAtMs + groupMs - performance.now();
      if (leftMs > 0) await pause(leftMs);
      groupAtMs = performance.now();
    }
    yield event;
    askedAtMs = performance.now();
  }
}
