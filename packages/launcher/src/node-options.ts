const ofServices: Readonly<Record<string, readonly string[]>> = {
  // Held polls live longer than two collections of a young generation of the usual 16 MiB: it copies each twice, and the old one frees
  // it. In this one the nine thousand polls of a gateway's bound have been answered by then. It grows only where so many are held.
  gateway: ['--max-semi-space-size=128'],
};

/** @returns the options of Node that a service is to be started with, however it is started */
export function nodeOptionsOf(service: string): readonly string[] {
  return ofServices[service] ?? [];
}
