import { useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import {
  addressOfMessage,
  quoteMessage,
  replyTo,
  rightsNow,
  setFlag,
  startEditing,
  toggleStar,
  toggleTopicMute,
} from '../../data/message-actions.ts';
import { report } from '../../data/notices.ts';
import { topicKey } from '../../data/state.ts';
import type { Message } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { lazy } from '../lazy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { IconButton } from '../parts/icon-button.tsx';
import { Menu } from '../parts/menu.tsx';
import type { MenuItem } from '../parts/menu.tsx';
import { ReactButton } from './reactions.tsx';

const dialogs = {
  move: lazy(async () => (await import('./message-dialogs.tsx')).MoveForm),
  history: lazy(async () => (await import('./message-dialogs.tsx')).History),
  delete: lazy(async () => (await import('./message-dialogs.tsx')).DeleteForm),
};

type DialogName = keyof typeof dialogs;

/** The address of the page without its fragment. */
function pageAddress(): string {
  return location.origin + location.pathname;
}

/** Browsers have the clipboard only on pages that came encrypted. */
async function copyLink(app: App, message: Message): Promise<void> {
  await navigator.clipboard.writeText(pageAddress() + addressOfMessage(app, message));
}

/** What can be done with a message, shown on it: react, edit, move, quote and so on. */
export function MessageActions({ app, message }: { readonly app: App; readonly message: Message }) {
  const shown = useSignal<DialogName | undefined>(undefined);
  const isStarred = message.flags.includes('starred');
  const close = (): void => {
    shown.value = undefined;
  };
  const Content = shown.value && dialogs[shown.value];
  return (
    <>
      <div class="message-actions" role="group" aria-label={texts.actions.label}>
        <ReactButton app={app} message={message} />
        <IconButton
          icon="quote"
          label={texts.actions.quote}
          onClick={() => report(quoteMessage(app, message, pageAddress()))}
        />
        <IconButton
          icon={isStarred ? 'star-filled' : 'star'}
          label={isStarred ? texts.actions.unstar : texts.actions.star}
          onClick={() => report(toggleStar(app, message))}
        />
        <Menu
          label={texts.actions.more}
          items={() =>
            menuItems(app, message, (name) => {
              shown.value = name;
            })
          }
        >
          <Icon name="more" />
        </Menu>
      </div>
      {shown.value !== undefined && Content !== undefined && (
        <Dialog title={texts.edit.titles[shown.value]} onClose={close}>
          <Content app={app} message={message} onClose={close} />
        </Dialog>
      )}
    </>
  );
}

/** Asked for when the menu opens: rights end with time. */
function menuItems(
  app: App,
  message: Message,
  open: (name: DialogName) => void,
): readonly MenuItem[] {
  const { state } = app;
  const t = texts.actions;
  const { canEditContent, canMove, canDelete } = rightsNow(message, state);
  const canBeUnread =
    message.flags.includes('read') && message.sender_id !== state.self.peek().user_id;
  const hasHistory =
    message.last_edit_timestamp !== undefined && state.realm.peek().realm_allow_edit_history;
  const items: readonly (MenuItem | false)[] = [
    { label: t.reply, onSelect: () => replyTo(app, message) },
    { label: t.copyLink, onSelect: () => report(copyLink(app, message), t.linkCopied) },
    canEditContent && { label: t.edit, onSelect: () => startEditing(message.id) },
    canMove && { label: t.move, onSelect: () => open('move') },
    hasHistory && { label: t.history, onSelect: () => open('history') },
    canBeUnread && {
      label: t.markUnread,
      onSelect: () => report(setFlag(app, { messages: [message.id], op: 'remove', flag: 'read' })),
    },
    message.type === 'stream' && {
      label: state.mutedTopics.peek().has(topicKey(message.stream_id, message.subject))
        ? t.unmuteTopic
        : t.muteTopic,
      onSelect: () => report(toggleTopicMute(app, message.stream_id, message.subject)),
    },
    canDelete && { label: t.delete, onSelect: () => open('delete') },
  ];
  return items.filter((item) => item !== false);
}
