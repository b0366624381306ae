/**
 * A store cannot be started for a reason that the user can change. The message says what is wrong and what to do, and is shown without a
 * stack.
 */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';
}
