/** What a person can do with keys. */
import { signal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import {
  editedMessageId,
  quoteMessage,
  replyTo,
  rightsNow,
  toggleStar,
} from '../../data/message-actions.ts';
import {
  allMessages,
  allPrivate,
  conversationOf,
  isSameConversation,
  mentions,
  narrowOf,
  starred,
} from '../../data/narrow.ts';
import type { Narrow } from '../../data/narrow.ts';
import { report } from '../../data/notices.ts';
import type { Message } from '../../data/state.ts';
import { isMuted } from '../../data/stream-groups.ts';
import { texts } from '../../texts.ts';
import { newTopicAt } from '../compose/composer.ts';
import { shownPerson } from '../people/shown-person.ts';
import { moveSelection, selectedMessageId } from './selection.ts';

function show(app: App, narrow: Narrow): void {
  app.navigate({ view: 'messages', narrow });
}

/** @returns what does something with the selected message, if there is one */
function onMessage(act: (app: App, message: Message) => void): (app: App) => void {
  return (app) => {
    const message = app.lists.store.find(selectedMessageId() ?? 0)?.peek();
    if (message !== undefined) act(app, message);
  };
}

function edit({ state }: App, message: Message): void {
  if (rightsNow(message, state).canEditContent) editedMessageId.value = message.id;
}

function showSender(_: App, { sender_id }: Message): void {
  shownPerson.value = sender_id;
}

/** Shows an unread conversation that is not muted: the one whose newest unread message is the latest, apart from the shown one. */
function showNextUnread(app: App): void {
  const place = app.place.peek();
  const shown = place.view === 'messages' ? conversationOf(place.narrow) : undefined;
  const [next] = [...app.state.unreadConversations.peek().values()]
    .filter(
      ({ conversation }) =>
        !isSameConversation(conversation, shown) && !isMuted(app.state, conversation),
    )
    .map(({ conversation, ids }) => ({ conversation, newestId: Math.max(...ids) }))
    .toSorted((one, other) => other.newestId - one.newestId);
  if (next !== undefined) show(app, narrowOf(next.conversation));
}

/** Gives the focus to the text that is being written; where nothing is, begins one in the stream that is shown. */
function compose(app: App): void {
  const { view } = app.place.peek();
  if (view !== 'messages' && view !== 'recent') app.navigate({ view: 'recent' });
  app.composing.value = { ...(app.composing.peek() ?? newTopicAt(app)) };
}

/** Ends an edit; otherwise goes home. */
function leave(app: App): void {
  if (editedMessageId.peek() === undefined) app.navigate({ view: 'recent' });
  else editedMessageId.value = undefined;
}

function focusSearch(): void {
  document.querySelector<HTMLElement>('#search')?.focus();
}

function markRead({ place, reading }: App): void {
  const shown = place.peek();
  if (shown.view === 'messages') report(reading.markNarrowRead(shown.narrow));
  else if (shown.view === 'recent') report(reading.markNarrowRead(allMessages));
}

/** Something that keys do. */
type Command = {
  /** Each of them does it; two with a space between are pressed one after the other. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly run: (app: App) => void;
};

/** Whether the list of commands is shown. */
export const showsSheet = signal(false);

const t = texts.keyboard.commands;

/** What keys do while nobody is typing. */
export const commands: readonly Command[] = [
  { keys: ['j', 'ArrowDown'], label: t.next, run: () => moveSelection(1) },
  { keys: ['k', 'ArrowUp'], label: t.previous, run: () => moveSelection(-1) },
  { keys: ['n'], label: t.nextUnread, run: showNextUnread },
  { keys: ['c'], label: t.compose, run: compose },
  { keys: ['r'], label: t.reply, run: onMessage(replyTo) },
  { keys: ['q'], label: t.quote, run: onMessage((...given) => report(quoteMessage(...given))) },
  { keys: ['e'], label: t.edit, run: onMessage(edit) },
  { keys: ['s'], label: t.star, run: onMessage((...given) => report(toggleStar(...given))) },
  { keys: ['u'], label: t.sender, run: onMessage(showSender) },
  { keys: ['M'], label: t.markRead, run: markRead },
  { keys: ['/'], label: t.search, run: focusSearch },
  { keys: ['?'], label: t.help, run: () => (showsSheet.value = true) },
  { keys: ['Escape'], label: t.leave, run: leave },
  { keys: ['g r'], label: t.recent, run: (app) => app.navigate({ view: 'recent' }) },
  { keys: ['g a'], label: t.all, run: (app) => show(app, allMessages) },
  { keys: ['g m'], label: t.mentions, run: (app) => show(app, mentions) },
  { keys: ['g s'], label: t.starred, run: (app) => show(app, starred) },
  { keys: ['g p'], label: t.private, run: (app) => show(app, allPrivate) },
  { keys: ['g d'], label: t.drafts, run: (app) => app.navigate({ view: 'drafts' }) },
];

/** Begins the commands of two keys. */
export const prefix = 'g';

/** @param isPrefixed whether the key before was `prefix` */
export function commandOf(key: string, isPrefixed: boolean): Command | undefined {
  const typed = isPrefixed ? `${prefix} ${key}` : key;
  return commands.find(({ keys }) => keys.includes(typed));
}
