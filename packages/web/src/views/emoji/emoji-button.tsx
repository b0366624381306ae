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

/** A button that opens the picker. */
export function EmojiButton({
  app,
  label = texts.emoji.choose,
  onChoose,
}: {
  readonly app: App;
  readonly label?: string;
  readonly onChoose: (emoji: Emoji) => void;
}) {
  return (
    <DialogButton
      icon="emoji"
      label={label}
      title={texts.emoji.choose}
      content={(close) => (
        <EmojiPicker
          app={app}
          onChoose={(emoji) => {
            close();
            // Nothing outside of a dialog takes the focus before it is gone.
            requestAnimationFrame(() => onChoose(emoji));
          }}
        />
      )}
    />
  );
}
