import { useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import {
  addressOfMessage,
  quoteMessage,
  replyTo,
  rightsNow,
  setFlag,
  startEditing,
  toggleReaction,
  toggleStar,
  toggleTopicMute,
} from '../../data/message-actions.ts';
import { topicKey } from '../../data/state.ts';
import type { Message } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { EmojiButton } from '../emoji/emoji-button.tsx';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon.tsx';
import { Menu } from '../parts/menu.tsx';
import type { MenuItem } from '../parts/menu.tsx';
import { report } from '../../data/notices.ts';
import { DeleteDialog } from './edit-delete.tsx';
import { EditTopicDialog } from './edit-topic.tsx';
import { HistoryDialog } from './history-dialog.tsx';

/** The address of the page without its fragment. */
function pageAddress(): string {
  return location.origin + location.pathname;
}

type OpenDialog = 'move' | 'history' | 'delete' | undefined;

/** What can be done with a message, shown on it: react, edit, move, quote and so on. */
export function MessageActions({
  app,
  messageId,
}: {
  readonly app: App;
  readonly messageId: number;
}) {
  const dialog = useSignal<OpenDialog>(undefined);
  const message = app.lists.store.find(messageId)?.value;
  if (message === undefined) return null;
  const isStarred = app.state.starred.value.has(messageId);
  const close = (): void => {
    dialog.value = undefined;
  };
  return (
    <>
      <div class="message-actions" role="group" aria-label={texts.actions.label}>
        <EmojiButton
          app={app}
          label={texts.reactions.add}
          onChoose={(emoji) => report(toggleReaction(app, message, emoji))}
        />
        <ActionButton
          icon="quote"
          label={texts.actions.quote}
          onClick={() => report(quoteMessage(app, message, pageAddress()))}
        />
        <ActionButton
          icon={isStarred ? 'star-filled' : 'star'}
          label={isStarred ? texts.actions.unstar : texts.actions.star}
          onClick={() => report(toggleStar(app, message))}
        />
        <Menu
          label={texts.actions.more}
          items={() =>
            menuItems(app, message, (opened) => {
              dialog.value = opened;
            })
          }
        >
          <Icon name="more" />
        </Menu>
      </div>
      {dialog.value === 'move' && message.type === 'stream' && (
        <EditTopicDialog app={app} message={message} onClose={close} />
      )}
      {dialog.value === 'history' && (
        <HistoryDialog app={app} messageId={messageId} onClose={close} />
      )}
      {dialog.value === 'delete' && (
        <DeleteDialog app={app} messageId={messageId} onClose={close} />
      )}
    </>
  );
}

function ActionButton({
  icon,
  label,
  onClick,
}: {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
}) {
  return (
    <button type="button" class="plain" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

/** Asked for when the menu opens: rights end with time. */
function menuItems(
  app: App,
  message: Message,
  open: (dialog: OpenDialog) => void,
): readonly MenuItem[] {
  const rights = rightsNow(message, app.state);
  const isRead = message.flags.includes('read');
  const isOwn = message.sender_id === app.state.self.peek().user_id;
  const isEdited = message.last_edit_timestamp !== undefined;
  const address = pageAddress() + addressOfMessage(app, message);
  const items: readonly (MenuItem | false)[] = [
    { label: texts.actions.reply, onSelect: () => replyTo(app, message) },
    {
      label: texts.actions.copyLink,
      onSelect: () => report(navigator.clipboard.writeText(address), texts.actions.linkCopied),
    },
    rights.canEditContent && {
      label: texts.actions.edit,
      onSelect: () => startEditing(message.id),
    },
    rights.canMove && { label: texts.actions.move, onSelect: () => open('move') },
    isEdited &&
      app.state.realm.peek().realm_allow_edit_history && {
        label: texts.actions.history,
        onSelect: () => open('history'),
      },
    isRead &&
      !isOwn && {
        label: texts.actions.markUnread,
        onSelect: () => report(setFlag(app, [message.id], 'read', false)),
      },
    message.type === 'stream' && {
      label: app.state.mutedTopics.peek().has(topicKey(message.stream_id, message.subject))
        ? texts.actions.unmuteTopic
        : texts.actions.muteTopic,
      onSelect: () => report(toggleTopicMute(app, message.stream_id, message.subject)),
    },
    rights.canDelete && { label: texts.actions.delete, onSelect: () => open('delete') },
  ];
  return items.filter((item) => item !== false);
}
