/** The places that a process has for push services, so that one that fails or is slow costs nobody else anything. */
import type { PushPlaces } from '@parley/store/notifications';

/** Requests at once: to all push services, to one that works, and to one of which nothing is known. */
const placesMax = 64;
const placesPerService = 32;
const placesPerUnknown = 4;
/** To all that have not proved to work, together. Users choose addresses: as many as they like that never answer must not take all places. */
const placesOfUnproven = 16;
const restMaxMs = 60_000;
const firstRestMs = 1_000;
/** A service of which nothing was heard for this time has to prove again that it works. */
const provenForMs = 60_000;

/**
 * What came of a request. The service `failed` if it did not answer or said that it cannot now; what it says of one subscription is no
 * failure of the service.
 */
export type PushEnd =
  | { readonly kind: 'worked' | 'unused' }
  | { readonly kind: 'failed'; readonly retryAfterMs: number };

type Service = {
  running: number;
  failures: number;
  restsUntil: number;
  workedAt: number | undefined;
};

function isProven({ failures, workedAt }: Service, now: number): boolean {
  return failures === 0 && workedAt !== undefined && workedAt + provenForMs > now;
}

function placesOf(service: Service, now: number): number {
  if (service.restsUntil > now) return 0;
  if (service.failures > 0) return 1 - service.running;
  return (isProven(service, now) ? placesPerService : placesPerUnknown) - service.running;
}

export class PushServices {
  readonly #services = new Map<string, Service>();
  #running = 0;

  /**
   * What may begin now.
   *
   * @param now milliseconds since any fixed time, as in `end`
   */
  listPlaces(now: number): PushPlaces {
    this.#forgetOld(now);
    const known = [...this.#services].map(([origin, service]) => ({
      origin,
      places: placesOf(service, now),
      isProven: isProven(service, now),
      running: service.running,
    }));
    const ofUnproven = known.filter((each) => !each.isProven);
    return {
      all: placesMax - this.#running,
      unproven: placesOfUnproven - ofUnproven.reduce((sum, { running }) => sum + running, 0),
      eachUnknown: placesPerUnknown,
      known,
    };
  }

  begin(origin: string): void {
    this.#running += 1;
    this.#of(origin).running += 1;
  }

  end(origin: string, end: PushEnd, now: number): void {
    const service = this.#of(origin);
    this.#running -= 1;
    service.running -= 1;
    if (end.kind === 'worked') {
      service.failures = 0;
      service.workedAt = now;
    }
    if (end.kind === 'failed') {
      // What was under way when the service began to rest fails for the same reason.
      if (service.restsUntil <= now) service.failures += 1;
      const restMs = Math.max(firstRestMs * 2 ** (service.failures - 1), end.retryAfterMs);
      service.restsUntil = Math.max(service.restsUntil, now + Math.min(restMaxMs, restMs));
    }
  }

  #of(origin: string): Service {
    const known = this.#services.get(origin);
    if (known !== undefined) return known;
    const service = { running: 0, failures: 0, restsUntil: -Infinity, workedAt: undefined };
    this.#services.set(origin, service);
    return service;
  }

  /** Addresses are chosen by users, so what is remembered of them has an end. */
  #forgetOld(now: number): void {
    for (const [origin, service] of this.#services) {
      const { running, restsUntil } = service;
      if (running === 0 && restsUntil + restMaxMs < now && !isProven(service, now))
        this.#services.delete(origin);
    }
  }
}
