import { useEffect } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { lazy } from '../lazy.tsx';
import { commandOf, prefix, showsSheet } from './commands.ts';

const ShortcutSheet = lazy(async () => (await import('./shortcut-sheet.tsx')).ShortcutSheet);

/** Where keys mean text, or move in what has the focus. */
const ownKeys =
  'input, textarea, select, [contenteditable], [role="menu"], [role="listbox"], dialog';

function isForOthers(event: KeyboardEvent): boolean {
  return (
    event.defaultPrevented ||
    event.isComposing ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    (event.target instanceof Element && event.target.closest(ownKeys) !== null) ||
    document.querySelector('dialog[open]') !== null
  );
}

/** Shortcuts for the whole page, and the sheet that lists them. */
export function Keyboard({ app }: { readonly app: App }) {
  useEffect(() => {
    let isPrefixed = false;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key === 'Shift' || isForOthers(event)) return;
      const command = commandOf(event.key, isPrefixed);
      isPrefixed = !isPrefixed && event.key === prefix;
      if (command === undefined) return;
      event.preventDefault();
      command.run(app);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [app]);
  if (!showsSheet.value) return null;
  return <ShortcutSheet onClose={() => (showsSheet.value = false)} />;
}
