import { useSignal } from '@preact/signals';

import { settingsTexts as t } from '../../settings-texts.ts';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useOutcome } from './outcome.tsx';

/** What a button does on the server. */
export type Action = {
  readonly label: string;
  readonly run: () => Promise<unknown>;
  /** What cannot be undone: it is asked for first. */
  readonly warning?: string | undefined;
};

export function removal(run: Action['run'], warning?: string): Action {
  return { label: t.remove, run, warning };
}

/** @param props.about what it is done to: lists have the same button many times */
export function ActionButton({ label, run, warning, about }: Action & { readonly about?: string }) {
  const isAsking = useSignal(false);
  const { note, isWorking, attempt } = useOutcome();
  const name = about === undefined ? label : `${label}: ${about}`;
  const ask = (asks: boolean) => (): void => {
    isAsking.value = asks;
  };
  return (
    <>
      <button
        type="button"
        class={warning === undefined ? '' : 'risky'}
        disabled={isWorking}
        aria-label={name}
        onClick={warning === undefined ? () => void attempt(run, '') : ask(true)}
      >
        {label}
      </button>
      {note}
      {isAsking.value && (
        <Dialog title={name} onClose={ask(false)}>
          <DialogForm
            action={label}
            kind="danger"
            submit={async () => run().then(ask(false))}
            onClose={ask(false)}
          >
            <p>{warning}</p>
          </DialogForm>
        </Dialog>
      )}
    </>
  );
}
