import type { ServiceFrame } from './service-frame.ts';

/** A repeated task; the next run does what a run left undone or failed to do. */
export type MaintenanceTask = {
  /** Its name in the log. */
  readonly name: string;
  readonly intervalMs: number;
  readonly run: () => Promise<unknown>;
  /**
   * For a task by which requests have their later consequences, such as notifying people: does the same when the service settles, and
   * returns whether there was nothing to do. Other tasks clean up or measure, for which nobody waits.
   */
  readonly settle?: () => Promise<boolean>;
};

/** Runs each task at its interval until the service is released, which waits for the running ones. */
export function startMaintenance(
  {
    clock,
    log,
    onDispose,
    onSettle,
  }: Pick<ServiceFrame, 'clock' | 'log' | 'onDispose' | 'onSettle'>,
  tasks: readonly MaintenanceTask[],
): void {
  const running = new Map<MaintenanceTask, Promise<unknown>>();
  const start = (task: MaintenanceTask, work: () => Promise<unknown>): Promise<unknown> => {
    const run = work()
      .catch((error: unknown) => log.warn({ err: error }, `${task.name} failed; it is tried again`))
      .finally(() => running.delete(task));
    running.set(task, run);
    return run;
  };
  const begin = (task: MaintenanceTask): void => {
    // A slow database must not run the same task twice at once.
    if (!running.has(task)) void start(task, task.run);
  };
  const settle = async (task: MaintenanceTask): Promise<boolean> => {
    const before = running.get(task);
    await before;
    if (before !== undefined) return false;
    return task.settle === undefined || (await start(task, task.settle)) === true;
  };
  const timers = tasks.map((task) => clock.every(task.intervalMs, () => begin(task)));
  onSettle('maintenance', async () => {
    const settled = await Promise.all(tasks.map(settle));
    return settled.every(Boolean);
  });
  onDispose('maintenance', async () => {
    for (const timer of timers) timer.cancel();
    await Promise.all(running.values());
  });
}
