import { RefusedRequest } from './api-client.ts';
import { waitUntil } from './wait-until.ts';

/**
 * Repeats a request while the server answers 503, as clients do: nothing was changed then. For tests whose requests are so large that they
 * meet the limits to stores on a busy machine.
 *
 * @throws RefusedRequest for any other refusal
 */
export async function untilAvailable<Value>(request: () => Promise<Value>): Promise<Value> {
  const outcome = await waitUntil('the server is available', async () => {
    try {
      return { value: await request() };
    } catch (error) {
      return error instanceof RefusedRequest && error.status === 503 ? undefined : { error };
    }
  });
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
