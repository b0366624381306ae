import type { ServiceFrame } from './service-frame.ts';

/** Repeated work; the next run does what a run left undone or failed to do. */
export type MaintenanceWork = {
  /** Its name in the log. */
  readonly name: string;
  readonly intervalMs: number;
  readonly run: () => Promise<void>;
};

/** Runs each work at its interval until the service is released, which waits for the running ones. */
export function startMaintenance(
  { log, onDispose }: Pick<ServiceFrame, 'log' | 'onDispose'>,
  works: readonly MaintenanceWork[],
): void {
  const running = new Map<MaintenanceWork, Promise<void>>();
  const begin = (work: MaintenanceWork): void => {
    // A slow database must not run the same work twice at once.
    if (running.has(work)) return;
    const run = work
      .run()
      .catch((error: unknown) => log.warn({ err: error }, `${work.name} failed; it is tried again`))
      .finally(() => running.delete(work));
    running.set(work, run);
  };
  const timers = works.map((work) => setInterval(() => begin(work), work.intervalMs));
  onDispose('maintenance', async () => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(running.values());
  });
}
