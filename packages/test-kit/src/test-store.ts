/** A Postgres or Redis that runs for tests. */
export type TestStore = {
  /** The current address: another port after each `startAgain`, the same credentials. */
  readonly url: string;
  /** Ends its process at once, as in a crash. Redis loses its data. */
  readonly kill: () => Promise<void>;
  /** Starts it again after `kill`, with an empty Redis. */
  readonly startAgain: () => Promise<void>;
  /** Ends it and removes its data. */
  readonly stop: () => Promise<void>;
};

// A cluster of a dozen processes beside other suites, each with a pool of five.
export const postgresConnectionsMax = 400;

/** The properties of one run of a store. */
type Run = {
  readonly url: string;
  readonly kill: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** A store over its runs; `start` begins each of them, and `clean` removes their data. */
export async function createStore(
  start: () => Promise<Run>,
  clean: () => Promise<void>,
): Promise<TestStore> {
  let run: Run;
  try {
    run = await start();
  } catch (error) {
    await clean();
    throw error;
  }
  let runs = true;
  return {
    get url() {
      return run.url;
    },
    kill: async () => {
      runs = false;
      await run.kill();
    },
    startAgain: async () => {
      run = await start();
      runs = true;
    },
    stop: async () => {
      try {
        if (runs) await run.stop();
      } finally {
        await clean();
      }
    },
  };
}
