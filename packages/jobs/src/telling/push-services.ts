/** The places that a process has for push services, so that one that fails or is slow costs nobody else anything. */

/** Requests at once: of all push services, and of one. */
const placesMax = 64;
const placesPerService = 32;
const restMaxMs = 60_000;
const firstRestMs = 1_000;

type Service = { running: number; failures: number; restsUntil: number };

export class PushServices {
  readonly #services = new Map<string, Service>();
  #running = 0;

  get free(): number {
    return placesMax - this.#running;
  }

  /** Those that rest after a failure, or have all their places taken; one that failed lately gets one place. */
  listClosed(now = Date.now()): string[] {
    return [...this.#services]
      .filter(
        ([, { running, failures, restsUntil }]) =>
          restsUntil > now || running >= (failures > 0 ? 1 : placesPerService),
      )
      .map(([origin]) => origin);
  }

  begin(origin: string): void {
    this.#running += 1;
    this.#of(origin).running += 1;
  }

  /** @param outcome `failed` if the service did not answer, or answered that it cannot */
  end(origin: string, outcome: 'worked' | 'failed' | 'unused', now = Date.now()): void {
    const service = this.#of(origin);
    this.#running -= 1;
    service.running -= 1;
    if (outcome === 'worked') service.failures = 0;
    if (outcome === 'failed') {
      service.failures += 1;
      service.restsUntil = now + Math.min(restMaxMs, firstRestMs * 2 ** (service.failures - 1));
    }
    if (service.running === 0 && service.failures === 0) this.#services.delete(origin);
    this.#forgetRested(now);
  }

  #of(origin: string): Service {
    const known = this.#services.get(origin);
    if (known !== undefined) return known;
    const service = { running: 0, failures: 0, restsUntil: 0 };
    this.#services.set(origin, service);
    return service;
  }

  /** Addresses are chosen by users, so what is remembered of them has an end. */
  #forgetRested(now: number): void {
    for (const [origin, { running, restsUntil }] of this.#services)
      if (running === 0 && restsUntil + restMaxMs < now) this.#services.delete(origin);
  }
}
