import type { ComponentChildren } from 'preact';

import { texts } from '../../texts.ts';
import { FailureNote, useAttempt } from './attempt.tsx';

/** As `ref` beside `autoFocus`, for what may come later than the dialog around it: that has given the focus away. */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}

/** What a dialog asks for and sends. It closes when that is done, and otherwise says why it is not. */
export function DialogForm({
  action,
  kind = 'primary',
  submit,
  onClose,
  children,
}: {
  /** What the button says. */
  readonly action: string;
  readonly kind?: 'primary' | 'danger';
  /** @param field what a field holds, by its name, without white space around it */
  readonly submit: (field: (name: string) => string) => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const { isRunning, failure, run } = useAttempt();
  const send = async (form: FormData): Promise<void> => {
    const field = (name: string): string => {
      const value = form.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    if (await run(() => submit(field))) onClose();
  };
  return (
    <form
      class="dialog-form"
      onSubmit={(event) => {
        event.preventDefault();
        void send(new FormData(event.currentTarget, event.submitter));
      }}
    >
      {children}
      <FailureNote failure={failure} />
      <div class="dialog-buttons row">
        <button type="button" onClick={onClose}>
          {texts.edit.cancel}
        </button>
        <button class={kind} disabled={isRunning}>
          {action}
        </button>
      </div>
    </form>
  );
}
