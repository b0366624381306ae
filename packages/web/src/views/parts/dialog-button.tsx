import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

import { Dialog } from './dialog.tsx';
import { IconButton } from './icon-button.tsx';
import type { IconButtonProps } from './icon-button.tsx';

/** @param close closes the dialog */
type Content = (close: () => void) => ComponentChildren;

/** @returns what opens a dialog, and the dialog while it is open */
export function useDialog(title: string, content: Content) {
  const isOpen = useSignal(false);
  const show = (shows: boolean) => (): void => {
    isOpen.value = shows;
  };
  const dialog = isOpen.value && (
    <Dialog title={title} onClose={show(false)}>
      {content(show(false))}
    </Dialog>
  );
  return { open: show(true), dialog };
}

type DialogButtonProps = IconButtonProps & { readonly title: string; readonly content: Content };

/** A button that opens a dialog. */
export function DialogButton({ title, content, ...button }: DialogButtonProps) {
  const { open, dialog } = useDialog(title, content);
  return (
    <>
      <IconButton {...button} aria-haspopup="dialog" onClick={open} />
      {dialog}
    </>
  );
}
