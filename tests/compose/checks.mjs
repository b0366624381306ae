// Named checks that are counted, and the interruption that ends the current one.

/**
 * An interrupted run must not leave containers behind: the current check fails, and everything is removed as after any failure.
 */
export function createChecks() {
  const interruption = new AbortController();
  const interrupted = new Promise((_resolve, reject) => {
    interruption.signal.addEventListener('abort', () => reject(new Error('interrupted')));
  });
  interrupted.catch(() => undefined);
  const counts = { passed: 0, failed: 0 };

  /**
   * Runs one check and counts it. A failed check ends its scenario, because the next ones need its result. A check that must run
   * `always` is not cut short by an interruption.
   *
   * @template Result
   * @param {string} name
   * @param {() => Result | Promise<Result>} run
   * @param {{ always?: boolean }} [options]
   */
  async function check(name, run, { always = false } = {}) {
    const startedAt = Date.now();
    try {
      if (!always) interruption.signal.throwIfAborted();
      const result = await (always ? run() : Promise.race([run(), interrupted]));
      counts.passed += 1;
      console.log(`ok      ${name} (${((Date.now() - startedAt) / 1_000).toFixed(1)} s)`);
      return result;
    } catch (error) {
      counts.failed += 1;
      console.log(`FAILED  ${name}\n${describeError(error)}`);
      throw error;
    }
  }

  return { check, counts, signal: interruption.signal, interrupt: () => interruption.abort() };
}

/** An error's text and those of its causes; the check's name says where it was thrown. */
function describeError(error) {
  const cause = error.cause instanceof Error ? `\n${describeError(error.cause)}` : '';
  return `${error.message}${cause}`;
}
