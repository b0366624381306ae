import { useEffect } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { lazy } from '../lazy.tsx';
import { commandOf, prefix, showsFinder, showsSheet } from './commands.ts';

const Finder = lazy(async () => (await import('../finder/finder.tsx')).Finder);
const ShortcutSheet = lazy(async () => (await import('./shortcut-sheet.tsx')).ShortcutSheet);

/** Where keys mean text, or move in what has the focus. */
const ownKeys =
  'input, textarea, select, [contenteditable], [role="menu"], [role="listbox"], dialog';

function hasModifier({ ctrlKey, metaKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey;
}

function isForOthers(event: KeyboardEvent): boolean {
  const isTyping = event.target instanceof Element && event.target.closest(ownKeys) !== null;
  return (
    event.defaultPrevented ||
    event.isComposing ||
    event.altKey ||
    (isTyping && !hasModifier(event)) ||
    document.querySelector('dialog[open]') !== null
  );
}

/** Shortcuts for the whole page, and the sheet that lists them. */
export function Keyboard({ app }: { readonly app: App }) {
  useEffect(() => {
    let isPrefixed = false;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key === 'Shift' || isForOthers(event)) return;
      const typed = hasModifier(event) ? `Ctrl+${event.key}` : event.key;
      const command = commandOf(typed, isPrefixed);
      isPrefixed = !isPrefixed && typed === prefix;
      if (command === undefined) return;
      event.preventDefault();
      command.run(app);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [app]);
  if (showsFinder.value) return <Finder app={app} onClose={() => (showsFinder.value = false)} />;
  return showsSheet.value ? <ShortcutSheet onClose={() => (showsSheet.value = false)} /> : null;
}
