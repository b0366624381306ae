import type { App } from '../../data/app.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { useDialog } from '../parts/dialog-button.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { useOutcome } from './outcome.tsx';

/** What a button does on the server. */
export type Action = {
  readonly label: string;
  readonly run: () => Promise<unknown>;
  /** What cannot be undone: it is asked for first. */
  readonly warning?: string | undefined;
};

/** Those that are false are not for this thing, or not for this person. */
export type Actions = readonly (Action | false)[];

export function removal(run: Action['run'], warning?: string): Action {
  return { label: t.remove, run, warning };
}

/** Of a deactivated person or bot. */
export function reactivation(app: App, user_id: number): Action {
  const run = () => app.request('POST /users/{user_id}/reactivate', { user_id });
  return { label: t.reactivate, run };
}

/** @param props.about what it is done to: lists have the same button many times */
export function ActionButton({ label, run, warning, about }: Action & { readonly about?: string }) {
  const { note, isWorking, attempt } = useOutcome();
  const name = about === undefined ? label : `${label}: ${about}`;
  const { open, dialog } = useDialog(name, (close) => (
    <DialogForm action={label} kind="danger" submit={() => run().then(close)} onClose={close}>
      <p>{warning}</p>
    </DialogForm>
  ));
  return (
    <>
      <button
        type="button"
        class={warning === undefined ? '' : 'risky'}
        disabled={isWorking}
        aria-label={name}
        onClick={warning === undefined ? () => void attempt(run, '') : open}
      >
        {label}
      </button>
      {note}
      {dialog}
    </>
  );
}
