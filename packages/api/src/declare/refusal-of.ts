import { ApiError } from '../errors.ts';

/** The refusal of the function, or undefined; any other error is rethrown and fails the test. */
export function refusalOf(run: () => unknown): ApiError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
