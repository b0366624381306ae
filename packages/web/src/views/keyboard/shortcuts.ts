/** What keys do while nobody is typing. */
export const shortcuts = {
  j: 'next',
  ArrowDown: 'next',
  k: 'previous',
  ArrowUp: 'previous',
  n: 'nextUnread',
  c: 'compose',
  r: 'reply',
  q: 'quote',
  e: 'edit',
  s: 'star',
  u: 'sender',
  M: 'markRead',
  '/': 'search',
  '?': 'help',
  Escape: 'leave',
  'g r': 'recent',
  'g a': 'all',
  'g m': 'mentions',
  'g s': 'starred',
  'g p': 'private',
  'g d': 'drafts',
} as const;

export type Command = (typeof shortcuts)[keyof typeof shortcuts];

/** Begins the shortcuts of two keys. */
export const prefix = 'g';

function isShortcut(keys: string): keys is keyof typeof shortcuts {
  return Object.hasOwn(shortcuts, keys);
}

/** @param isPrefixed whether the key before was `prefix` */
export function commandOf(key: string, isPrefixed: boolean): Command | undefined {
  const keys = isPrefixed ? `${prefix} ${key}` : key;
  return isShortcut(keys) ? shortcuts[keys] : undefined;
}

/** Every command with the keys that give it. */
export const keysByCommand: ReadonlyMap<Command, readonly string[]> = new Map(
  [...Map.groupBy(Object.entries(shortcuts), ([, command]) => command)].map(
    ([command, entries]) => [command, entries.map(([keys]) => keys)],
  ),
);
