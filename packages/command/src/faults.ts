/** What a person at the keyboard is told without a stack: what is wrong, and what to do. */

/** The command could not do what it was asked to (exit code 1). */
export class CommandFault extends Error {
  override readonly name = 'CommandFault';
}

/** The command line itself makes no sense (exit code 2). */
export class UsageFault extends Error {
  override readonly name = 'UsageFault';
}

/** Errors of several addresses of a host have no message of their own. */
export function describeCause(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(describeCause).join('; ');
  return error instanceof Error ? error.message : String(error);
}
