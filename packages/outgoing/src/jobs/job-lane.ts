/**
 * A lane for jobs: a BullMQ queue of its own, so that slow jobs do not delay those of others. Rows in Postgres are the truth; BullMQ only
 * distributes them over the processes, and a sweep enqueues rows that Redis lost.
 */
import type { Clock, Timer } from '@parley/clock';
import type { RedisConfig } from '@parley/config';
import type { Logger } from '@parley/telemetry/logging';
import { connectForJobs, keyNames } from '@parley/cluster/redis';
import { Queue, Worker } from 'bullmq';
import type { Job, WorkerOptions } from 'bullmq';

/** The result of a job that wants another run, although nothing failed. */
export type RunAgain = { readonly againInMs: number };

export type JobLaneOptions<Key> = {
  readonly clock: Clock;
  readonly redis: RedisConfig;
  readonly log: Logger;
  /** Of BullMQ. */
  readonly queueName: string;
  readonly concurrency: number;
  /** All processes together. */
  readonly pace?: WorkerOptions['limiter'];
  readonly sweepIntervalMs: number;
  /** Whether each ended job may make another one due. */
  readonly wakesAfterEach?: boolean;
  /** The same for the same row, and without a colon. */
  readonly idOf: (key: Key) => string;
  readonly listDue: () => Promise<readonly Key[]>;
  /** Runs the job of a row, if it is still due. The signal is aborted when the process ends and cannot wait any longer. */
  readonly run: (key: Key, signal: AbortSignal) => Promise<RunAgain | undefined>;
};

const closeTimeoutMs = 3_000;
/** The time that running jobs get before they are aborted at the end. */
const finishTimeoutMs = 1_500;
/** After this time another process gets the job of a dead one, if its row is free. BullMQ's default of half a minute doubled the wait. */
const jobLock = { lockDuration: 10_000, stalledInterval: 5_000 };
/** A job is removed a moment after its end is reported, and cannot be enqueued again until then. */
const wakeSlackMs = 20;

export class JobLane<Key> {
  readonly #options: JobLaneOptions<Key>;
  readonly #queueConnection: ReturnType<typeof connectForJobs>;
  readonly #workerConnection: ReturnType<typeof connectForJobs>;
  /** With its last three types, because those that BullMQ derives from the first are unknown for any key. */
  readonly #queue: Queue<Key, void, string, Key, void, string>;
  readonly #worker: Worker<Key>;
  readonly #ending = new AbortController();
  readonly #wakes = new Set<Timer>();
  #interval: Timer | undefined;
  #sweeping: Promise<number | undefined> | undefined;
  #isWoken = false;
  #isStopping = false;

  constructor(options: JobLaneOptions<Key>) {
    this.#options = options;
    const { clock, redis, log, queueName, concurrency, pace, wakesAfterEach } = options;
    this.#queueConnection = connectForJobs(redis, 'adding', clock);
    this.#workerConnection = connectForJobs(redis, 'working', clock);
    const prefix = keyNames(redis.prefix, this.#queueConnection).jobsPrefix;
    this.#queue = new Queue(queueName, { connection: this.#queueConnection, prefix });
    this.#worker = new Worker(queueName, async (job: Job<Key>) => this.#run(job.data), {
      connection: this.#workerConnection,
      prefix,
      concurrency,
      ...jobLock,
      ...(pace !== undefined && { limiter: pace }),
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    // Errors of connections, which reconnect by themselves; work that fails meanwhile reports its own errors.
    const note = (error: Error): void => log.debug({ err: error }, `the queue ${queueName}`);
    this.#queue.on('error', note);
    this.#worker.on('error', note);
    // A row that the job could not even note as failed, such as while Postgres is away. A later sweep enqueues it again.
    this.#worker.on('failed', (_job, error) =>
      log.warn({ err: error }, `a job of the queue ${queueName} failed; it runs again`),
    );
    if (wakesAfterEach === true) this.#worker.on('completed', () => this.#wakeSoon());
  }

  start(): void {
    const { clock, sweepIntervalMs } = this.#options;
    this.#interval = clock.every(sweepIntervalMs, () => this.wake());
  }

  /** Enqueues due rows soon. */
  wake(): void {
    if (this.#isStopping) return;
    if (this.#sweeping === undefined) void this.#startSweep();
    else this.#isWoken = true;
  }

  /**
   * Enqueues due rows.
   *
   * @returns whether there were none, and no job of any process waits or runs
   */
  async settle(): Promise<boolean> {
    if (this.#isStopping) return true;
    await this.#sweeping;
    const due = await (this.#sweeping ?? this.#startSweep());
    if (due !== 0 || this.#queueConnection.status !== 'ready') return false;
    const jobs = await this.#queue
      .getJobCountByTypes('waiting', 'active', 'delayed')
      .catch(() => undefined);
    return jobs === 0;
  }

  /** Gives running jobs a moment to end, and releases the rest. */
  async stop(): Promise<void> {
    // Running jobs end while the worker closes, and must not use connections that are about to close.
    this.#isStopping = true;
    this.#interval?.cancel();
    for (const timer of this.#wakes) timer.cancel();
    await this.#sweeping;
    // A worker without Redis would wait for ever; another process finds its unfinished work in Postgres.
    const isReachable = this.#workerConnection.status === 'ready';
    const { clock } = this.#options;
    const callOff = clock.after(finishTimeoutMs, () => this.#ending.abort());
    const closed = Promise.allSettled([this.#worker.close(!isReachable), this.#queue.close()]);
    await Promise.race([
      closed,
      new Promise<void>((resolve) => {
        clock.after(closeTimeoutMs, resolve).unref();
      }),
    ]);
    callOff.cancel();
    this.#ending.abort();
    this.#queueConnection.disconnect();
    this.#workerConnection.disconnect();
  }

  #wakeSoon(): void {
    this.#wait(this.#options.clock.shortly, wakeSlackMs, () => this.wake());
  }

  #wait(arrange: Clock['after'], ms: number, run: () => void): void {
    if (this.#isStopping) return;
    const timer = arrange(ms, () => {
      this.#wakes.delete(timer);
      run();
    });
    this.#wakes.add(timer);
  }

  /** @returns how many rows are due; undefined if that is not known */
  #startSweep(): Promise<number | undefined> {
    const { log, queueName } = this.#options;
    this.#sweeping = this.#sweep()
      .catch((error: unknown) => {
        log.warn({ err: error }, `sweeping ${queueName} failed; it is tried again`);
        return undefined;
      })
      .finally(() => {
        this.#sweeping = undefined;
        const again = this.#isWoken;
        this.#isWoken = false;
        if (again) this.wake();
      });
    return this.#sweeping;
  }

  /**
   * A job that is already in the queue stays unchanged.
   *
   * @returns how many rows are due
   */
  async #sweep(): Promise<number> {
    const { queueName, idOf, listDue } = this.#options;
    const due = await listDue();
    if (due.length === 0 || this.#queueConnection.status !== 'ready') return due.length;
    await this.#queue.addBulk(
      due.map((key) => ({ name: queueName, data: key, opts: { jobId: idOf(key) } })),
    );
    return due.length;
  }

  async #run(key: Key): Promise<void> {
    const again = await this.#options.run(key, this.#ending.signal);
    if (again !== undefined)
      this.#wait(this.#options.clock.after, again.againInMs, () => this.#wakeSoon());
  }
}
