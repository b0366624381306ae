import { useSignal } from '@preact/signals';

import { describeFailure } from '../../data/failure.ts';
import { settingsTexts as t } from '../../settings-texts.ts';

/** Does what a person asks for in one place, and says there what comes of it, to screen readers too. */
export function useOutcome() {
  const outcome = useSignal<{
    readonly kind: 'none' | 'working' | 'done' | 'failed';
    readonly text: string;
  }>({ kind: 'none', text: '' });
  const { kind, text } = outcome.value;
  return {
    isWorking: kind === 'working',
    note: (
      <span class="outcome" role="status" data-kind={kind}>
        {text}
      </span>
    ),
    /** @returns whether it was done */
    attempt: async (work: () => Promise<unknown>, doneText: string = t.saved): Promise<boolean> => {
      outcome.value = { kind: 'working', text: t.working };
      try {
        await work();
        outcome.value = { kind: 'done', text: doneText };
        return true;
      } catch (error) {
        outcome.value = { kind: 'failed', text: describeFailure(error) };
        return false;
      }
    },
  };
}
