const ofServices: Readonly<Record<string, readonly string[]>> = {
  // Held polls live longer than two collections of a young generation of the usual 16 MiB. Each would be copied twice and then freed only
  // by a collection of the old generation. In a young generation of this size, the nine thousand polls of a gateway's bound have been
  // answered by then. It grows only if so many are held.
  gateway: ['--max-semi-space-size=128'],
};

/** @returns the options of Node for a service, whatever starts it */
export function nodeOptionsOf(service: string): readonly string[] {
  return ofServices[service] ?? [];
}
