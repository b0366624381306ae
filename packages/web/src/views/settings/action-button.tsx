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
  /** What is said when it was done and nothing else shows that. */
  readonly doneText?: string;
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
export function ActionButton(props: Action & { readonly about?: string }) {
  const { label, run, warning, doneText = '', about } = props;
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
        onClick={warning === undefined ? () => void attempt(run, doneText) : open}
      >
        {label}
      </button>
      {note}
      {dialog}
    </>
  );
}

/** Browsers have the clipboard only on pages that came encrypted. */
export function copying(text: string): Action | false {
  if (!('clipboard' in navigator)) return false;
  return { label: t.copy, run: () => navigator.clipboard.writeText(text), doneText: t.copied };
}

/** A text that was made for the person to take along. */
export function MadeText({ label, text }: { readonly label: string; readonly text: string }) {
  const action = copying(text);
  return (
    <p class="row">
      <output aria-label={label}>
        <code>{text}</code>
      </output>
      {action && <ActionButton key={text} {...action} />}
    </p>
  );
}
