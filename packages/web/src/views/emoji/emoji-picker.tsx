import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { loadEmoji, pictureEmoji, searchEmoji, unicodeEmoji } from '../../data/emoji.ts';
import type { Emoji, EmojiCategory, OfferedEmoji } from '../../data/emoji.ts';
import { texts } from '../../texts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { report } from '../../data/notices.ts';
import { EmojiGlyph } from './emoji-glyph.tsx';

export type EmojiPickerProps = {
  readonly app: App;
  readonly onChoose: (emoji: Emoji) => void;
  readonly onClose: () => void;
};

/** All emoji by category, those chosen last first; a search by name. */
export function EmojiPicker({ app, onChoose, onClose }: EmojiPickerProps) {
  const query = useSignal('');
  const categories = useCategories(app);
  useEffect(() => report(loadEmoji()), []);
  const searched = query.value.trim().toLowerCase();
  const all = categories.value.slice(1).flatMap(({ emoji }) => emoji);
  const found = searched === '' ? undefined : searchEmoji(all, searched);
  const choose = (emoji: Emoji): void => {
    onClose();
    onChoose(emoji);
  };
  return (
    <Dialog title={texts.emoji.choose} onClose={onClose}>
      <div class="emoji-picker" onKeyDown={moveInGrid}>
        <input
          type="search"
          autoFocus
          aria-label={texts.emoji.search}
          placeholder={texts.emoji.search}
          value={query.value}
          onInput={({ currentTarget }) => {
            query.value = currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.isComposing) return;
            event.preventDefault();
            const [first] = found ?? [];
            if (first !== undefined) choose(first);
          }}
        />
        {found === undefined ? (
          <Categories app={app} categories={categories.value} onChoose={choose} />
        ) : (
          <div class="emoji-categories">
            <p role="status">{texts.emoji.found(found.length)}</p>
            <EmojiGrid app={app} emoji={found} onChoose={choose} />
          </div>
        )}
      </div>
    </Dialog>
  );
}

/** Recently used, the categories of Unicode, the organization's own. */
function useCategories(app: App) {
  return useComputed((): readonly EmojiCategory[] => {
    const own = { name: 'own', emoji: pictureEmoji(app.state.realm.value) };
    const all = [own, ...unicodeEmoji.value];
    const byName = new Map(
      all.toReversed().flatMap(({ emoji }) => emoji.map((each) => [each.emoji_name, each])),
    );
    const recent = app.recentEmoji.items.value
      .toReversed()
      .flatMap((name) => byName.get(name) ?? []);
    return [{ name: 'recent', emoji: recent }, ...unicodeEmoji.value, own];
  });
}

function Categories({
  app,
  categories,
  onChoose,
}: {
  readonly app: App;
  readonly categories: readonly EmojiCategory[];
  readonly onChoose: (emoji: Emoji) => void;
}) {
  return (
    <div class="emoji-categories">
      {categories
        .filter(({ emoji }) => emoji.length > 0)
        .map(({ name, emoji }) => (
          <section key={name} aria-label={texts.emoji.categories[name] ?? name}>
            <h3>{texts.emoji.categories[name] ?? name}</h3>
            <EmojiGrid app={app} emoji={emoji} onChoose={onChoose} />
          </section>
        ))}
    </div>
  );
}

function EmojiGrid({
  app,
  emoji,
  onChoose,
}: {
  readonly app: App;
  readonly emoji: readonly OfferedEmoji[];
  readonly onChoose: (emoji: Emoji) => void;
}) {
  return (
    <div class="emoji-grid">
      {emoji.map((each) => {
        const name = each.emoji_name.replaceAll('_', ' ');
        return (
          <button
            key={`${each.reaction_type} ${each.emoji_code}`}
            type="button"
            aria-label={name}
            title={name}
            onClick={() => onChoose(each)}
          >
            <EmojiGlyph app={app} emoji={each} />
          </button>
        );
      })}
    </div>
  );
}

/** Arrows move the focus: left and right along the emoji, up and down to the nearest in the next row. */
function moveInGrid(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const isDown = event.key === 'ArrowDown';
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('.emoji-grid button')];
  const at = buttons.findIndex((button) => button === document.activeElement);
  const focused = buttons[at];
  if (focused === undefined) {
    if (!isDown) return;
    event.preventDefault();
    buttons[0]?.focus();
    return;
  }
  const next = neighbourOf(buttons, at, event.key);
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function neighbourOf(
  buttons: readonly HTMLElement[],
  at: number,
  key: string,
): HTMLElement | undefined {
  if (key === 'ArrowRight') return buttons[at + 1];
  if (key === 'ArrowLeft') return buttons[at - 1];
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return undefined;
  const { left, top } = buttons[at]?.getBoundingClientRect() ?? new DOMRect();
  const side = key === 'ArrowDown' ? buttons.slice(at) : buttons.slice(0, at).toReversed();
  const rest = side.filter((button) => button.getBoundingClientRect().top !== top);
  const rowTop = rest[0]?.getBoundingClientRect().top;
  const row = rest.filter((button) => button.getBoundingClientRect().top === rowTop);
  const distance = (button: HTMLElement): number =>
    Math.abs(button.getBoundingClientRect().left - left);
  return row.toSorted((one, other) => distance(one) - distance(other))[0];
}
