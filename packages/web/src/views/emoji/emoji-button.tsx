import type { App } from '../../data/app.ts';
import { loadEmoji } from '../../data/emoji.ts';
import type { Emoji } from '../../data/emoji.ts';
import { texts } from '../../texts.ts';
import { lazy } from '../lazy.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';

const EmojiPicker = lazy(async () => {
  const [{ EmojiPicker }] = await Promise.all([import('./emoji-picker.tsx'), loadEmoji()]);
  return EmojiPicker;
});

type EmojiChoice = { readonly app: App; readonly onChoose: (emoji: Emoji) => void };

/** The picker in a dialog, which the choice closes. */
export function EmojiDialog({
  app,
  onChoose,
  onClose,
}: EmojiChoice & { readonly onClose: () => void }) {
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

/** A button that opens the picker. */
export function EmojiButton({
  label = texts.emoji.choose,
  ...choice
}: EmojiChoice & { readonly label?: string }) {
  return (
    <DialogButton
      icon="emoji"
      label={label}
      title={texts.emoji.choose}
      content={(close) => <EmojiDialog {...choice} onClose={close} />}
    />
  );
}
