/**
 * A start that cannot go on for a reason that the person at the keyboard can change. The message
 * says what is wrong and what to do, and is shown without a stack.
 */
export class LaunchFault extends Error {
  override readonly name = 'LaunchFault';
}
