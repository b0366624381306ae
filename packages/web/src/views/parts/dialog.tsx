import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

import { texts } from '../../texts.ts';
import { IconButton } from './icon-button.tsx';

type DialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

/** A modal dialog. The browser holds the focus in it and gives it back; Esc and a press beside it close it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) onClose();
      }}
    >
      <div class="dialog-body">
        {/* No header: opened from the bar above, it would be one within another. */}
        <div class="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <IconButton icon="close" label={texts.parts.close} onClick={onClose} />
        </div>
        {children}
      </div>
    </dialog>
  );
}
