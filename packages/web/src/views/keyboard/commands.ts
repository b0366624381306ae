/** What a person can do with keys. */
import { signal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import {
  editedMessageId,
  quoteMessage,
  replyTo,
  rightsNow,
  toggleReaction,
  toggleStar,
} from '../../data/message-actions.ts';
import { allMessages, allPrivate, mentions, narrowOf, starred } from '../../data/narrow.ts';
import type { Narrow } from '../../data/narrow.ts';
import { notify, report } from '../../data/notices.ts';
import { conversationAt, narrowToRead, parsePlace } from '../../data/place.ts';
import type { Message } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { conversationHere } from '../compose/composer.ts';
import { shownPerson } from '../people/shown-person.ts';
import { moveSelection, selectedAddress, selectedMessageId, selectNeighbour } from './selection.ts';

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

function react(app: App, message: Message): void {
  const [first] = app.mostUsedEmoji.peek();
  if (first !== undefined) report(toggleReaction(app, message, first));
}

function showSender(_: App, { sender_id }: Message): void {
  shownPerson.value = sender_id;
}

/** Goes on to what is unread elsewhere, see `createUnreadRound`. */
function showNextUnread(app: App): void {
  const next = app.nextUnread(conversationAt(app.place.peek()));
  if (next === undefined) notify(texts.inbox.nothingElse);
  else show(app, narrowOf(next));
}

/** Gives the focus to the text that is being written; where nothing is, begins one in the stream that is shown. */
function compose(app: App): void {
  const { view } = app.place.peek();
  if (view !== 'messages' && view !== 'recent') app.navigate({ view: 'recent' });
  app.composing.value = { ...(app.composing.peek() ?? conversationHere(app)) };
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
  const narrow = narrowToRead(place.peek());
  if (narrow !== undefined) report(reading.markNarrowRead(narrow));
}

/** Marks the conversation as read that is selected in a list, and selects the next one. */
function markSelectedRead({ reading }: App): void {
  const address = selectedAddress();
  const place = address === undefined ? undefined : parsePlace(address);
  if (place?.view !== 'messages') return;
  selectNeighbour();
  report(reading.markNarrowRead(place.narrow));
}

/** Something that keys do, or a choice among commands. */
export type Command = {
  /** Each of them does it; two with a space between are pressed one after the other. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly run: (app: App) => void;
};

/** Whether the list of commands is shown. */
export const showsSheet = signal(false);

/** Whether places and commands can be chosen by name. */
export const showsFinder = signal(false);

const t = texts.keyboard.commands;

/** What keys do while nobody is typing, and those with Ctrl, which may be ⌘, also then. */
export const commands: readonly Command[] = [
  { keys: ['j', 'ArrowDown'], label: t.next, run: () => moveSelection(1) },
  { keys: ['k', 'ArrowUp'], label: t.previous, run: () => moveSelection(-1) },
  { keys: ['Ctrl+k'], label: t.find, run: () => (showsFinder.value = true) },
  { keys: ['n'], label: t.nextUnread, run: showNextUnread },
  { keys: ['c'], label: t.compose, run: compose },
  { keys: ['r'], label: t.reply, run: onMessage(replyTo) },
  { keys: ['q'], label: t.quote, run: onMessage((...given) => report(quoteMessage(...given))) },
  { keys: ['e'], label: t.edit, run: onMessage(edit) },
  { keys: ['+'], label: t.react, run: onMessage(react) },
  { keys: ['s'], label: t.star, run: onMessage((...given) => report(toggleStar(...given))) },
  { keys: ['u'], label: t.sender, run: onMessage(showSender) },
  { keys: ['m'], label: t.markSelectedRead, run: markSelectedRead },
  { keys: ['M'], label: t.markRead, run: markRead },
  { keys: ['/'], label: t.search, run: focusSearch },
  { keys: ['?'], label: t.help, run: () => (showsSheet.value = true) },
  { keys: ['Escape'], label: t.leave, run: leave },
  { keys: ['g r'], label: t.recent, run: (app) => app.navigate({ view: 'recent' }) },
  { keys: ['g i'], label: t.inbox, run: (app) => app.navigate({ view: 'inbox' }) },
  { keys: ['g a'], label: t.all, run: (app) => show(app, allMessages) },
  { keys: ['g m'], label: t.mentions, run: (app) => show(app, mentions) },
  { keys: ['g s'], label: t.starred, run: (app) => show(app, starred) },
  { keys: ['g p'], label: t.private, run: (app) => show(app, allPrivate) },
  { keys: ['g d'], label: t.drafts, run: (app) => app.navigate({ view: 'drafts' }) },
  { keys: ['g l'], label: t.scheduled, run: (app) => app.navigate({ view: 'scheduled' }) },
  {
    keys: ['g b'],
    label: t.streams,
    run: (app) => app.navigate({ view: 'streams', streamId: undefined }),
  },
  {
    keys: ['g ,'],
    label: t.settings,
    run: (app) => app.navigate({ view: 'settings', section: '' }),
  },
];

/** Begins the commands of two keys. */
export const prefix = 'g';

/** @param isPrefixed whether the key before was `prefix` */
export function commandOf(key: string, isPrefixed: boolean): Command | undefined {
  const typed = isPrefixed ? `${prefix} ${key}` : key;
  return commands.find(({ keys }) => keys.includes(typed));
}
