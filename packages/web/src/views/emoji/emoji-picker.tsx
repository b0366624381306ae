import { useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { emojiKey, pictureEmoji, searchEmoji, unicodeEmoji } from '../../data/emoji.ts';
import type { Emoji, EmojiCategory } from '../../data/emoji.ts';
import { texts } from '../../texts.ts';
import { takeFocus } from '../parts/dialog-form.tsx';
import { EmojiGlyph } from './emoji-glyph.tsx';

const recentMax = 16;

/** The emoji that were used lately in this browser, and before there are many, popular ones. */
function recentOf(
  { usedEmoji, mostUsedEmoji }: App,
  categories: readonly EmojiCategory[],
): EmojiCategory {
  const byKey = new Map(
    categories.flatMap(({ emoji }) => emoji.map((each) => [emojiKey(each), each])),
  );
  const likely = [...usedEmoji.items.value.toReversed(), ...mostUsedEmoji.value];
  const keys = new Set(likely.map(emojiKey));
  return {
    name: 'recent',
    emoji: [...keys].flatMap((key) => byKey.get(key) ?? []).slice(0, recentMax),
  };
}

/** There a field that has the focus raises a keyboard over the emoji. */
const isTouched = matchMedia('(hover: none)').matches;

export type EmojiChoice = { readonly app: App; readonly onChoose: (emoji: Emoji) => void };

/** All emoji by category, those chosen last first; a search by name. */
export function EmojiPicker({ app, onChoose }: EmojiChoice) {
  const query = useSignal('');
  const searched = query.value.trim().toLowerCase();
  const own = { name: 'own', emoji: pictureEmoji(app.state.realm.value) };
  const categories = [...unicodeEmoji.value, own];
  const all = categories.toReversed().flatMap(({ emoji }) => emoji);
  const found = searched === '' ? undefined : searchEmoji(all, searched);
  const shown =
    found === undefined
      ? [recentOf(app, categories), ...categories]
      : [{ name: 'found', emoji: found }];
  return (
    <div class="emoji-picker" onKeyDown={moveInGrid}>
      <input
        {...(isTouched ? {} : { ref: takeFocus, autoFocus: true })}
        type="search"
        aria-label={texts.emoji.search}
        placeholder={texts.emoji.search}
        value={query}
        onInput={({ currentTarget }) => (query.value = currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing) return;
          event.preventDefault();
          const [first] = found ?? [];
          if (first !== undefined) onChoose(first);
        }}
      />
      <p role="status" class="visually-hidden">
        {found !== undefined && texts.emoji.found(found.length)}
      </p>
      <div class="emoji-categories">
        {shown
          .filter(({ emoji }) => emoji.length > 0)
          .map((category) => (
            <Category key={category.name} app={app} category={category} onChoose={onChoose} />
          ))}
      </div>
    </div>
  );
}

type CategoryProps = EmojiChoice & { readonly category: EmojiCategory };

function Category({ app, category: { name, emoji }, onChoose }: CategoryProps) {
  const title = texts.emoji.categories[name] ?? name;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <div class="emoji-grid">
        {emoji.map((each) => {
          const label = each.emoji_name.replaceAll('_', ' ');
          return (
            <button
              key={emojiKey(each)}
              type="button"
              class="plain"
              aria-label={label}
              title={label}
              onClick={() => onChoose(each)}
            >
              <EmojiGlyph app={app} emoji={each} />
            </button>
          );
        })}
      </div>
    </section>
  );
}

/** Arrows move the focus: left and right along the emoji, up and down by a row. */
function moveInGrid(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('.emoji-grid button')];
  const at = buttons.findIndex((button) => button === document.activeElement);
  const { gridTemplateColumns } = getComputedStyle(
    buttons[0]?.parentElement ?? event.currentTarget,
  );
  const row = gridTemplateColumns.split(' ').length;
  const steps: Readonly<Record<string, number>> =
    at === -1 ? { ArrowDown: 1 } : { ArrowDown: row, ArrowLeft: -1, ArrowRight: 1, ArrowUp: -row };
  const step = steps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  buttons[at + step]?.focus();
}
