/** Faults that people see without a stack: what is wrong, and what to do. */

/** The command could not do its work (exit code 1). */
export class CommandFault extends Error {
  override readonly name = 'CommandFault';
}

/** The command line is wrong (exit code 2). */
export class UsageFault extends Error {
  override readonly name = 'UsageFault';
}

/** Errors for several addresses of a host have no message of their own. */
export function describeCause(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(describeCause).join('; ');
  return error instanceof Error ? error.message : String(error);
}
