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
