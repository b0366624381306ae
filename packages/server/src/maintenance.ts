import type { ServiceFrame } from './service-frame.ts';

/** A repeated task; the next run does what a run left undone or failed to do. */
export type MaintenanceTask = {
  /** Its name in the log. */
  readonly name: string;
  readonly intervalMs: number;
  readonly run: () => Promise<void>;
};

/** Runs each task at its interval until the service is released, which waits for the running ones. */
export function startMaintenance(
  { log, onDispose }: Pick<ServiceFrame, 'log' | 'onDispose'>,
  tasks: readonly MaintenanceTask[],
): void {
  const running = new Map<MaintenanceTask, Promise<void>>();
  const begin = (task: MaintenanceTask): void => {
    // A slow database must not run the same task twice at once.
    if (running.has(task)) return;
    const run = task
      .run()
      .catch((error: unknown) => log.warn({ err: error }, `${task.name} failed; it is tried again`))
      .finally(() => running.delete(task));
    running.set(task, run);
  };
  const timers = tasks.map((task) => setInterval(() => begin(task), task.intervalMs));
  onDispose('maintenance', async () => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(running.values());
  });
}
