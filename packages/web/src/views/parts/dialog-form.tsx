import type { ComponentChildren, TargetedSubmitEvent } from 'preact';

import { texts } from '../../texts.ts';
import { FailureNote, useAttempt } from './attempt.tsx';

/** As `ref` beside `autoFocus`, for what may come later than the dialog around it: that has given the focus away. */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}

/**
 * Of a form that the page sends by itself.
 *
 * @returns what a field holds, by its name
 */
export function takeFields(event: TargetedSubmitEvent<HTMLFormElement>): (name: string) => string {
  event.preventDefault();
  const form = new FormData(event.currentTarget, event.submitter);
  return (name) => {
    const value = form.get(name);
    return typeof value === 'string' ? value : '';
  };
}

export type DialogFormProps = {
  /** What the button says. */
  readonly action: string;
  readonly kind?: 'primary' | 'danger';
  /** What the button says that closes. */
  readonly cancel?: string;
  /** @param field what a field holds, by its name */
  readonly submit: (field: (name: string) => string) => Promise<unknown>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
};

/** What a dialog, or a page like one, asks for and sends; it says why that did not work. */
export function DialogForm({ submit, onClose, children, ...says }: DialogFormProps) {
  const { action, kind = 'primary', cancel = texts.edit.cancel } = says;
  const { isRunning, failure, run } = useAttempt();
  return (
    <form
      class="dialog-form"
      onSubmit={(event) => {
        const field = takeFields(event);
        void run(() => submit(field));
      }}
    >
      {children}
      <FailureNote failure={failure} />
      <div class="dialog-buttons row">
        <button type="button" onClick={onClose}>
          {cancel}
        </button>
        <button class={kind} disabled={isRunning}>
          {action}
        </button>
      </div>
    </form>
  );
}
