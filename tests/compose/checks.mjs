// Named checks that are counted.

export function createChecks() {
  const counts = { passed: 0, failed: 0 };

  /**
   * Runs one check and counts it. A failed check ends its suite, because the next ones need its result.
   *
   * @template Result
   * @param {string} name
   * @param {() => Result | Promise<Result>} run
   */
  async function check(name, run) {
    const startedAt = Date.now();
    try {
      const result = await run();
      counts.passed += 1;
      console.log(`ok      ${name} (${((Date.now() - startedAt) / 1_000).toFixed(1)} s)`);
      return result;
    } catch (error) {
      counts.failed += 1;
      console.log(`FAILED  ${name}\n${describeError(error)}`);
      throw error;
    }
  }

  return { check, counts };
}

/** An error's text and those of its causes; the check's name says where it was thrown. */
function describeError(error) {
  const cause = error.cause instanceof Error ? `\n${describeError(error.cause)}` : '';
  return `${error.message}${cause}`;
}
