import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { describeFailure } from '../../data/failure.ts';
import { texts } from '../../texts.ts';

type WaitingProps = {
  /** What is being read, for screen readers. */
  readonly label?: string;
  /** Why it could not be read. */
  readonly failure: unknown;
  readonly onRetry: () => void;
};

/** In place of what is being read, or could not be. */
export function Waiting({ label = texts.parts.loading, failure, onRetry }: WaitingProps) {
  return failure === undefined ? (
    <span class="spinner" role="status" aria-label={label} />
  ) : (
    <span role="alert">
      {describeFailure(failure)}{' '}
      <button type="button" onClick={onRetry}>
        {texts.parts.again}
      </button>
    </span>
  );
}

/**
 * Reads from the server what is shown in one place.
 *
 * @param key what is read follows it
 * @returns what was read last, what to show until then, and a function that reads again
 */
export function useReading<Value>(read: () => Promise<Value>, key?: unknown) {
  const value = useSignal<Value | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const round = useSignal(0);
  useEffect(() => {
    let isNewest = true;
    failure.value = undefined;
    read().then(
      (answer) => {
        if (isNewest) value.value = answer;
      },
      (error: unknown) => {
        if (isNewest) failure.value = error;
      },
    );
    return () => {
      isNewest = false;
    };
  }, [key, round.value]);
  const again = (): void => {
    round.value += 1;
  };
  return {
    value: value.value,
    waiting: <Waiting failure={failure.value} onRetry={again} />,
    again,
  };
}
