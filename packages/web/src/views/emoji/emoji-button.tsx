import { loadEmoji } from '../../data/emoji.ts';
import { texts } from '../../texts.ts';
import { lazy } from '../lazy.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import type { EmojiChoice } from './emoji-picker.tsx';

const EmojiPicker = lazy(async () => {
  const [{ EmojiPicker }] = await Promise.all([import('./emoji-picker.tsx'), loadEmoji()]);
  return EmojiPicker;
});

type EmojiDialogProps = EmojiChoice & { readonly onClose: () => void };

/** The picker in a dialog, which the choice closes. */
export function EmojiDialog({ app, onChoose, onClose }: EmojiDialogProps) {
  return (
    <EmojiPicker
      app={app}
      onChoose={(emoji) => {
        onClose();
        // Nothing outside of a dialog takes the focus before it is gone.
        requestAnimationFrame(() => onChoose(emoji));
      }}
    />
  );
}

type EmojiButtonProps = EmojiChoice & { readonly label?: string };

/** A button that opens the picker. */
export function EmojiButton({ label = texts.emoji.choose, ...choice }: EmojiButtonProps) {
  return (
    <DialogButton
      icon="emoji"
      label={label}
      title={texts.emoji.choose}
      content={(close) => <EmojiDialog {...choice} onClose={close} />}
    />
  );
}
