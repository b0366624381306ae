import { useSignal } from '@preact/signals';

import { describeFailure } from '../../data/failure.ts';
import { settingsTexts as t } from '../../settings-texts.ts';

export type Outcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'working' }
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string };

/** What the page itself refuses; the message is for people. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** The outcome of what a person does last in one place, and a function that does it. */
export function useOutcome(): {
  readonly outcome: Outcome;
  /** @returns whether it was done */
  readonly attempt: (work: () => Promise<unknown>, doneText?: string) => Promise<boolean>;
} {
  const outcome = useSignal<Outcome>({ kind: 'none' });
  return {
    outcome: outcome.value,
    attempt: async (work, doneText = t.saved) => {
      outcome.value = { kind: 'working' };
      try {
        await work();
        outcome.value = { kind: 'done', text: doneText };
        return true;
      } catch (error) {
        outcome.value = {
          kind: 'failed',
          text: error instanceof Refusal ? error.message : describeFailure(error),
        };
        return false;
      }
    },
  };
}

/** Says an outcome where it happened, to screen readers too. */
export function OutcomeNote({ outcome }: { readonly outcome: Outcome }) {
  return (
    <span class="outcome" role="status" data-kind={outcome.kind}>
      {outcome.kind === 'working' ? t.saving : 'text' in outcome ? outcome.text : ''}
    </span>
  );
}
