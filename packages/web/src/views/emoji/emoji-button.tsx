import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import type { Emoji } from '../../data/emoji.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { report } from '../../data/notices.ts';
import type { EmojiPickerProps } from './emoji-picker.tsx';

/** The picker is read when it is first opened. */
export function LazyEmojiPicker(props: EmojiPickerProps) {
  const picker = useSignal<{ readonly Picker: ComponentType<EmojiPickerProps> } | undefined>(
    undefined,
  );
  useEffect(() => {
    const load = async (): Promise<void> => {
      const { EmojiPicker } = await import('./emoji-picker.tsx');
      picker.value = { Picker: EmojiPicker };
    };
    report(load());
  }, [picker]);
  return picker.value === undefined ? null : <picker.value.Picker {...props} />;
}

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
  const isOpen = useSignal(false);
  return (
    <>
      <button
        type="button"
        class="plain"
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        <Icon name="emoji" />
      </button>
      {isOpen.value && (
        <LazyEmojiPicker
          app={app}
          onChoose={onChoose}
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </>
  );
}
