import type { Environment, ServiceName } from '@parley/config';
import { runServices } from '@parley/server';
import type { StartService } from '@parley/server';

/** Loads the code of a service. What a process does not run, it does not load. */
const loadStart: Readonly<Record<ServiceName, () => Promise<StartService>>> = {
  gateway: async () => (await import('@parley/gateway')).startGateway,
  messages: async () => (await import('@parley/messages')).startMessages,
  subscriptions: async () => (await import('@parley/subscriptions')).startSubscriptions,
  people: async () => (await import('@parley/people-service')).startPeople,
  presence: async () => (await import('@parley/presence')).startPresence,
  events: async () => (await import('@parley/events')).startEvents,
};

/**
 * Runs any of the services in one process until it is told to stop.
 *
 * @param services each at most once
 * @param env the environment of the process, as that of a single service
 * @returns the exit status
 */
export async function serveServices(
  services: readonly ServiceName[],
  env: Environment,
): Promise<number> {
  const starts = await Promise.all(
    services.map(async (service) => [service, await loadStart[service]()] as const),
  );
  return runServices(Object.fromEntries(starts), env);
}
