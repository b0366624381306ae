export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
  }
}

/** @throws Interrupted when the user interrupts the run, so that everything that was started is stopped first */
export function untilInterrupted<Result>(work: Promise<Result>): Promise<Result> {
  const interruption = new Promise<never>((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => reject(new Interrupted(signal)));
  });
  return Promise.race([work, interruption]);
}
