import { useSignal } from '@preact/signals';

import { describeFailure } from '../../data/failure.ts';

/**
 * What a person does in one place with the help of the server: one thing at a time.
 *
 * @returns whether something is being done, why the last thing did not work, and a function that does something unless something is being done; it
 *   says whether it was done
 */
export function useAttempt() {
  const isRunning = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (isRunning.peek()) return false;
    isRunning.value = true;
    failure.value = undefined;
    try {
      await work();
      return true;
    } catch (error) {
      failure.value = error;
      return false;
    } finally {
      isRunning.value = false;
    }
  };
  return { isRunning: isRunning.value, failure: failure.value, run };
}

export function FailureNote({ failure }: { readonly failure: unknown }) {
  if (failure === undefined) return null;
  return (
    <p class="refused" role="alert">
      {describeFailure(failure)}
    </p>
  );
}
