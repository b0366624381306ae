/**
 * The start cannot continue for a reason that the user can change. The message says what is wrong and what to do, and is shown without a
 * stack.
 */
export class LaunchFault extends Error {
  override readonly name = 'LaunchFault';
}
