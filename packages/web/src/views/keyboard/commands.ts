import type { App } from '../../data/app.ts';
import {
  editedMessageId,
  quoteMessage,
  replyTo,
  rightsNow,
  startEditing,
  toggleStar,
} from '../../data/message-actions.ts';
import {
  allMessages,
  allPrivate,
  conversationKey,
  conversationOf,
  mentions,
  narrowOf,
  starred,
  streamIdOf,
} from '../../data/narrow.ts';
import type { Narrow } from '../../data/narrow.ts';
import { report } from '../../data/notices.ts';
import type { Message } from '../../data/state.ts';
import { isMuted } from '../../data/stream-groups.ts';
import { shownPerson } from '../people/shown-person.ts';
import { moveSelection, selectedMessageId } from './selection.ts';
import type { Command } from './shortcuts.ts';

function show(app: App, narrow: Narrow): void {
  app.navigate({ view: 'messages', narrow });
}

function withMessage(app: App, act: (message: Message) => void): void {
  const id = selectedMessageId();
  const message = id === undefined ? undefined : app.lists.store.find(id)?.peek();
  if (message !== undefined) act(message);
}

/** Shows an unread conversation that is not muted: the one whose newest unread message is the latest, apart from the shown one. */
function showNextUnread(app: App): void {
  const place = app.place.peek();
  const shown = place.view === 'messages' ? conversationOf(place.narrow) : undefined;
  const shownKey = shown === undefined ? undefined : conversationKey(shown);
  const [next] = [...app.state.unreadConversations.peek()]
    .filter(([key, { conversation }]) => key !== shownKey && !isMuted(app.state, conversation))
    .map(([, { conversation, ids }]) => ({ conversation, newestId: Math.max(...ids) }))
    .toSorted((one, other) => other.newestId - one.newestId);
  if (next !== undefined) show(app, narrowOf(next.conversation));
}

/** Gives the focus to the text that is being written; where nothing is, begins one in the stream that is shown. */
function compose(app: App): void {
  const place = app.place.peek();
  const narrow = place.view === 'messages' ? place.narrow : [];
  if (place.view !== 'messages' && place.view !== 'recent') app.navigate({ view: 'recent' });
  const [firstId = 0] = app.state.subscriptions.peek().keys();
  const begun = { type: 'stream', streamId: streamIdOf(narrow) ?? firstId, topic: '' } as const;
  app.composing.value = { ...(app.composing.peek() ?? begun) };
}

/** Ends an edit; otherwise goes home. */
function leave(app: App): void {
  if (editedMessageId.peek() === undefined) app.navigate({ view: 'recent' });
  else startEditing(undefined);
}

const commands: Readonly<Record<Exclude<Command, 'help'>, (app: App) => void>> = {
  next: () => moveSelection(1),
  previous: () => moveSelection(-1),
  nextUnread: showNextUnread,
  compose,
  reply: (app) => withMessage(app, (message) => replyTo(app, message)),
  quote: (app) =>
    withMessage(app, (message) =>
      report(quoteMessage(app, message, location.origin + location.pathname)),
    ),
  edit: (app) =>
    withMessage(app, (message) => {
      if (rightsNow(message, app.state).canEditContent) startEditing(message.id);
    }),
  star: (app) => withMessage(app, (message) => report(toggleStar(app, message))),
  sender: (app) =>
    withMessage(app, ({ sender_id }) => {
      shownPerson.value = sender_id;
    }),
  markRead: (app) => {
    const place = app.place.peek();
    if (place.view === 'messages') report(app.reading.markNarrowRead(place.narrow));
    else if (place.view === 'recent') report(app.reading.markAllRead());
  },
  search: () => document.querySelector<HTMLElement>('#search')?.focus(),
  leave,
  recent: (app) => app.navigate({ view: 'recent' }),
  all: (app) => show(app, allMessages),
  mentions: (app) => show(app, mentions),
  starred: (app) => show(app, starred),
  private: (app) => show(app, allPrivate),
  drafts: (app) => app.navigate({ view: 'drafts' }),
};

export function run(app: App, command: Exclude<Command, 'help'>): void {
  commands[command](app);
}
