import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

import { Dialog } from './dialog.tsx';
import { IconButton } from './icon-button.tsx';
import type { IconButtonProps } from './icon-button.tsx';

/** A button that opens a dialog. */
export function DialogButton({
  title,
  content,
  ...button
}: IconButtonProps & {
  readonly title: string;
  /** @param close closes the dialog */
  readonly content: (close: () => void) => ComponentChildren;
}) {
  const isOpen = useSignal(false);
  const close = (): void => {
    isOpen.value = false;
  };
  return (
    <>
      <IconButton {...button} aria-haspopup="dialog" onClick={() => (isOpen.value = true)} />
      {isOpen.value && (
        <Dialog title={title} onClose={close}>
          {content(close)}
        </Dialog>
      )}
    </>
  );
}
