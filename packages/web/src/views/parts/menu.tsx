import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

export type MenuItem = { readonly label: string; readonly onSelect: () => void };

type MenuProps = {
  readonly label: string;
  /**
   * Asked for while the menu is open, again when the state that they read changes. What cannot be done now is false, so that the others keep
   * their places.
   */
  readonly items: () => readonly (MenuItem | false)[];
  /** What the button shows. */
  readonly children: ComponentChildren;
};

/** A button that opens a menu: arrows move in it, a letter goes to an item, Esc closes it. */
export function Menu({ label, items, children }: MenuProps) {
  const isOpen = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const close = (): void => {
    isOpen.value = false;
    button.current?.focus();
  };
  useEffect(() => {
    if (list.current === null || button.current === null) return;
    showBeside(list.current, button.current);
  }, [isOpen.value]);
  useEffect(() => {
    // Also when the focused entry is gone.
    if (list.current?.contains(document.activeElement) === false)
      entriesOf(list.current)[0]?.focus();
  });
  return (
    <span
      class="menu"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)))
          isOpen.value = false;
      }}
    >
      <button
        ref={button}
        type="button"
        class="plain"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        {...(isOpen.value && { 'aria-controls': id })}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {children}
      </button>
      {isOpen.value && (
        <div
          ref={list}
          id={id}
          class="menu-list"
          popover="manual"
          role="menu"
          aria-label={label}
          onKeyDown={(event) => moveByKey(event, close)}
        >
          {items().map(
            (item, at) =>
              item !== false && (
                <button
                  key={at}
                  type="button"
                  role="menuitem"
                  tabIndex={-1}
                  onClick={() => {
                    close();
                    item.onSelect();
                  }}
                >
                  {item.label}
                </button>
              ),
          )}
        </div>
      )}
    </span>
  );
}

/** Shows a list above everything, below its button or, where there is no room, over it. */
function showBeside(list: HTMLElement, opener: HTMLElement): void {
  const button = opener.getBoundingClientRect();
  list.showPopover();
  const { width, height } = list.getBoundingClientRect();
  const below = button.bottom + height <= innerHeight ? button.bottom : button.top - height;
  list.style.setProperty('left', `${Math.max(4, Math.min(button.left, innerWidth - width - 4))}px`);
  list.style.setProperty('top', `${Math.max(4, below)}px`);
}

function entriesOf(list: HTMLElement): readonly HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[role=menuitem]')];
}

function moveByKey(
  event: KeyboardEvent & { readonly currentTarget: HTMLElement },
  close: () => void,
): void {
  event.stopPropagation();
  if (['Tab', 'Enter', ' '].includes(event.key)) return;
  event.preventDefault();
  if (event.key === 'Escape') close();
  const all = entriesOf(event.currentTarget);
  const at = all.findIndex((entry) => entry === document.activeElement);
  const typed = event.key.toLowerCase();
  const next: Readonly<Record<string, HTMLElement | undefined>> = {
    ArrowDown: all[(at + 1) % all.length],
    ArrowUp: all.at(at - 1),
    Home: all[0],
    End: all.at(-1),
  };
  (
    next[event.key] ?? all.find((entry) => entry.textContent.toLowerCase().startsWith(typed))
  )?.focus();
}
