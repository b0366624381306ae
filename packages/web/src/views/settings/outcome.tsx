import { useSignal } from '@preact/signals';

import { describeFailure } from '../../data/failure.ts';
import { settingsTexts as t } from '../../settings-texts.ts';

/** What the page itself refuses; the message is for people. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Does what a person asks for in one place, and says there what comes of it, to screen readers too. */
export function useOutcome() {
  const kind = useSignal<'none' | 'working' | 'done' | 'failed'>('none');
  const text = useSignal('');
  return {
    isWorking: kind.value === 'working',
    note: (
      <span class="outcome" role="status" data-kind={kind}>
        {kind.value === 'working' ? t.working : text}
      </span>
    ),
    /** @returns whether it was done */
    attempt: async (work: () => Promise<unknown>, doneText: string = t.saved): Promise<boolean> => {
      kind.value = 'working';
      try {
        await work();
        [kind.value, text.value] = ['done', doneText];
      } catch (error) {
        [kind.value, text.value] = [
          'failed',
          error instanceof Refusal ? error.message : describeFailure(error),
        ];
      }
      return kind.value === 'done';
    },
  };
}
