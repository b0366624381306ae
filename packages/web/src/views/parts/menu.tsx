import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

export type MenuItem = { readonly label: string; readonly onSelect: () => void };

/** A button that opens a menu: arrows move in it, a letter goes to an item, Esc closes it. */
export function Menu({
  label,
  items,
  children,
}: {
  readonly label: string;
  /** Asked for when the menu opens. */
  readonly items: () => readonly (MenuItem | false)[];
  /** What the button shows. */
  readonly children: ComponentChildren;
}) {
  const open = useSignal<readonly MenuItem[] | undefined>(undefined);
  const button = useRef<HTMLButtonElement>(null);
  const menuId = useId();
  const close = (): void => {
    open.value = undefined;
    button.current?.focus();
  };
  return (
    <span
      class="menu"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)))
          open.value = undefined;
      }}
    >
      <button
        ref={button}
        type="button"
        class="plain"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open.value !== undefined}
        {...(open.value !== undefined && { 'aria-controls': menuId })}
        onClick={() => {
          open.value =
            open.value === undefined ? items().filter((item) => item !== false) : undefined;
        }}
      >
        {children}
      </button>
      {open.value !== undefined && (
        <MenuList id={menuId} label={label} items={open.value} onClose={close} />
      )}
    </span>
  );
}

/** Shows a list above everything, below its button or, where there is no room, over it. */
function showBeside(list: HTMLElement): void {
  const button = list.parentElement?.getBoundingClientRect();
  if (button === undefined) return;
  list.showPopover();
  const { width, height } = list.getBoundingClientRect();
  const below = button.bottom + height <= innerHeight ? button.bottom : button.top - height;
  list.style.setProperty('left', `${Math.max(4, Math.min(button.left, innerWidth - width - 4))}px`);
  list.style.setProperty('top', `${Math.max(4, below)}px`);
}

function MenuList({
  id,
  label,
  items,
  onClose,
}: {
  readonly id: string;
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly onClose: () => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const entries = (): readonly HTMLElement[] => [
    ...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []),
  ];
  useEffect(() => {
    if (list.current !== null) showBeside(list.current);
    entries()[0]?.focus();
  }, []);
  const handleKey = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const all = entries();
    const at = all.findIndex((entry) => entry === document.activeElement);
    const typed = event.key.toLowerCase();
    const next: Readonly<Record<string, HTMLElement | undefined>> = {
      ArrowDown: all[(at + 1) % all.length],
      ArrowUp: all.at(at - 1),
      Home: all[0],
      End: all.at(-1),
    };
    const target =
      next[event.key] ?? all.find((entry) => entry.textContent.toLowerCase().startsWith(typed));
    if (event.key === 'Escape') onClose();
    else if (event.key === 'Tab' || event.key === 'Enter' || event.key === ' ') return;
    else target?.focus();
    event.preventDefault();
  };
  return (
    <div
      ref={list}
      id={id}
      class="menu-list"
      popover="manual"
      role="menu"
      aria-label={label}
      onKeyDown={handleKey}
    >
      {items.map(({ label: text, onSelect }) => (
        <button
          key={text}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            onClose();
            onSelect();
          }}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
