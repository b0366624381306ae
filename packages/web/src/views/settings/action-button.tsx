import { useSignal } from '@preact/signals';

import { settingsTexts as t } from '../../settings-texts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { OutcomeNote, useOutcome } from './outcome.tsx';

/**
 * A button that does something on the server and says what came of it.
 *
 * @param props.about what it is done to: lists have the same button many times
 * @param props.warning what cannot be undone: it is asked for first
 */
export function ActionButton({
  label,
  about,
  warning,
  doneText = '',
  run,
}: {
  readonly label: string;
  readonly about?: string;
  readonly warning?: string;
  readonly doneText?: string;
  readonly run: () => Promise<unknown>;
}) {
  const isAsking = useSignal(false);
  const { outcome, attempt } = useOutcome();
  const start = (): void => {
    isAsking.value = false;
    void attempt(run, doneText);
  };
  return (
    <>
      <button
        type="button"
        class={warning === undefined ? '' : 'risky'}
        disabled={outcome.kind === 'working'}
        {...(about === undefined ? {} : { 'aria-label': `${label}: ${about}` })}
        onClick={() => {
          if (warning === undefined) start();
          else isAsking.value = true;
        }}
      >
        {label}
      </button>
      <OutcomeNote outcome={outcome} />
      {isAsking.value && (
        <Dialog
          title={about === undefined ? label : `${label}: ${about}`}
          onClose={() => {
            isAsking.value = false;
          }}
        >
          <p>{warning}</p>
          <p class="form-end">
            <button
              type="button"
              onClick={() => {
                isAsking.value = false;
              }}
            >
              {t.cancel}
            </button>
            <button type="button" class="danger" onClick={start}>
              {label}
            </button>
          </p>
        </Dialog>
      )}
    </>
  );
}
