import { useSignal } from '@preact/signals';

import { describeFailure } from '../../data/failure.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { useAttempt } from '../parts/attempt.tsx';

/** Does what a person asks for in one place, and says there what comes of it, to screen readers too. */
export function useOutcome() {
  const { isRunning, failure, run } = useAttempt();
  const done = useSignal('');
  const [kind, text] = isRunning
    ? ['working', t.working]
    : failure === undefined
      ? ['done', done.value]
      : ['failed', describeFailure(failure)];
  return {
    isWorking: isRunning,
    isDone: kind === 'done' && text !== '',
    note: (
      <span class="outcome" role="status" data-kind={kind}>
        {text}
      </span>
    ),
    /** @returns whether it was done */
    attempt: async (work: () => Promise<unknown>, doneText: string = t.saved): Promise<boolean> => {
      done.value = '';
      const isDone = await run(work);
      if (isDone) done.value = doneText;
      return isDone;
    },
  };
}
