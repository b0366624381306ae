/** The ports of gateways that compare all their answers with the OpenAPI document. Their systems report the faults when they stop. */
export const watchedPorts = new Set<number>();

/** @returns whether all answers of this gateway are compared with the OpenAPI document, whoever gets them */
export function isWatched(url: URL): boolean {
  return watchedPorts.has(Number(url.port));
}
