import { ApiError } from '../errors.ts';

/** What the function refuses with, or undefined; any other error goes on and fails the test. */
export function refusalOf(run: () => unknown): ApiError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
