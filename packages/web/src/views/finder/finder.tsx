import '../../styles/finder.css';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { findDestinations } from '../../data/destinations.ts';
import type { Destination } from '../../data/destinations.ts';
import { bestOf, foldText, rankLoosely } from '../../data/ranking.ts';
import { texts } from '../../texts.ts';
import { SuggestionList, useSuggestions } from '../compose/suggestions.tsx';
import { Icon } from '../icon.tsx';
import { commands } from '../keyboard/commands.ts';
import type { Command } from '../keyboard/commands.ts';
import { UnreadCount } from '../navigation/place-list.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { takeFocus } from '../parts/dialog-form.tsx';
import { focusMain } from '../parts/focus.ts';
import { DestinationMark } from './destination-mark.tsx';

const t = texts.finder;

const destinationsMax = 12;
const commandsMax = 5;

/** All but the one that leads here. */
const others = commands.filter(({ label }) => label !== texts.keyboard.commands.find);

type Found =
  | { readonly kind: 'destination'; readonly destination: Destination }
  | { readonly kind: 'command'; readonly command: Command }
  /** The messages that contain what was typed. */
  | { readonly kind: 'search'; readonly text: string };

function find(app: App, text: string): readonly Found[] {
  const query = foldText(text.trim());
  const found = findDestinations(app, query, destinationsMax).map(
    (destination) => ({ kind: 'destination', destination }) as const,
  );
  if (query === '') return found;
  const named = bestOf(others, ({ label }) => rankLoosely(label, query), commandsMax).map(
    (command) => ({ kind: 'command', command }) as const,
  );
  const isNamed = named.some(({ command }) => foldText(command.label).startsWith(query));
  return [
    ...(isNamed ? [...named, ...found] : [...found, ...named]),
    { kind: 'search', text: text.trim() },
  ];
}

function keyOf(found: Found): string {
  if (found.kind === 'search') return 'search';
  return found.kind === 'command' ? `command/${found.command.label}` : found.destination.key;
}

function go(app: App, found: Found): void {
  if (found.kind === 'command') {
    found.command.run(app);
    return;
  }
  app.navigate(
    found.kind === 'destination'
      ? found.destination.place
      : { view: 'messages', narrow: [{ operator: 'search', operand: found.text }] },
  );
  focusMain();
}

/** Goes to whatever is named: streams, topics, people, views and commands. */
export function Finder({ app, onClose }: { readonly app: App; readonly onClose: () => void }) {
  const text = useSignal('');
  useEffect(() => void app.lists.loadNewest(), [app]);
  const suggestions = useSuggestions(find(app, text.value), text.value, (found) => {
    onClose();
    // Nothing outside of a dialog takes the focus before it is gone.
    requestAnimationFrame(() => go(app, found));
  });
  return (
    <Dialog title={t.title} onClose={onClose}>
      <div class="finder">
        <input
          ref={takeFocus}
          autoFocus
          type="text"
          role="combobox"
          aria-label={t.label}
          aria-expanded={suggestions.items.length > 0}
          placeholder={t.placeholder}
          autocomplete="off"
          spellcheck={false}
          value={text.value}
          {...suggestions.attributes}
          onInput={({ currentTarget }) => (text.value = currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'k' && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              onClose();
            } else if (event.key !== 'Escape') suggestions.handleKey(event);
          }}
        />
        <SuggestionList suggestions={suggestions} label={t.title} keyOf={keyOf}>
          {(found) => <FoundRow app={app} found={found} />}
        </SuggestionList>
      </div>
    </Dialog>
  );
}

function FoundRow({ app, found }: { readonly app: App; readonly found: Found }) {
  if (found.kind === 'search')
    return (
      <>
        <Icon name="search" />
        <span>{texts.search.searchFor(found.text)}</span>
      </>
    );
  if (found.kind === 'command')
    return (
      <>
        <span>{found.command.label}</span>
        <small class="line">
          {found.command.keys.map((key) => texts.keyboard.key(key)).join(' ')}
        </small>
      </>
    );
  const { destination } = found;
  return (
    <>
      <DestinationMark app={app} destination={destination} />
      <span dir="auto">{destination.name}</span>
      <small class="line" dir="auto">
        {destination.detail}
      </small>
      <UnreadCount count={destination.unreadCount} />
    </>
  );
}
