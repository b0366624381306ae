import { useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { emojiKey } from '../../data/emoji.ts';
import {
  editedMessageId,
  linkTo,
  markUnreadFrom,
  quoteMessage,
  replyTo,
  rightsNow,
  toggleReaction,
  toggleStar,
} from '../../data/message-actions.ts';
import { report } from '../../data/notices.ts';
import type { Message } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { EmojiDialog } from '../emoji/emoji-button.tsx';
import { EmojiGlyph } from '../emoji/emoji-glyph.tsx';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon.tsx';
import { lazy } from '../lazy.tsx';
import { copyLink, muteTopicItem } from '../navigation/place-menu.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { IconButton } from '../parts/icon-button.tsx';
import { Menu } from '../parts/menu.tsx';
import type { MenuItem } from '../parts/menu.tsx';
import type { DialogProps } from './message-dialogs.tsx';

const dialogs = {
  react: ({ app, message, onClose }: DialogProps) => (
    <EmojiDialog
      app={app}
      onChoose={(emoji) => report(toggleReaction(app, message, emoji))}
      onClose={onClose}
    />
  ),
  move: lazy(async () => (await import('./message-dialogs.tsx')).MoveForm),
  remind: lazy(async () => (await import('./message-dialogs.tsx')).Remind),
  history: lazy(async () => (await import('./message-dialogs.tsx')).History),
  delete: lazy(async () => (await import('./message-dialogs.tsx')).DeleteForm),
};

type DialogName = keyof typeof dialogs;

type MessageActionsProps = {
  readonly app: App;
  readonly message: Message;
  /** Whether the most used ones have buttons of their own beside the menu, which has all. */
  readonly hasButtons: boolean;
};

/** What can be done with a message, shown on it: react, edit, move, quote and so on. */
export function MessageActions({ app, message, hasButtons }: MessageActionsProps) {
  const shown = useSignal<DialogName | undefined>(undefined);
  const close = () => (shown.value = undefined);
  const open = (name: DialogName) => (shown.value = name);
  const Content = shown.value && dialogs[shown.value];
  return (
    <>
      <div class="message-actions" role="group" aria-label={texts.actions.label}>
        {hasButtons &&
          app.mostUsedEmoji.value.map((emoji) => {
            const label = texts.reactions.reactWith(emoji.emoji_name.replaceAll('_', ' '));
            return (
              <button
                key={emojiKey(emoji)}
                type="button"
                class="plain quick-emoji"
                aria-label={label}
                title={label}
                onClick={() => report(toggleReaction(app, message, emoji))}
              >
                <EmojiGlyph app={app} emoji={emoji} />
              </button>
            );
          })}
        {hasButtons &&
          quickActions(app, message, open).map(({ icon, label, onSelect }) => (
            <IconButton key={icon} icon={icon} label={label} onClick={onSelect} />
          ))}
        <Menu label={texts.actions.more} items={() => allActions(app, message, open)}>
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

type OpenDialog = (name: DialogName) => void;

type QuickAction = MenuItem & { readonly icon: IconName };

function quickActions(app: App, message: Message, open: OpenDialog): readonly QuickAction[] {
  const t = texts.actions;
  const isStarred = message.flags.includes('starred');
  return [
    { icon: 'emoji', label: texts.reactions.add, onSelect: () => open('react') },
    { icon: 'quote', label: t.quote, onSelect: () => report(quoteMessage(app, message)) },
    {
      icon: isStarred ? 'star-filled' : 'star',
      label: isStarred ? t.unstar : t.star,
      onSelect: () => report(toggleStar(app, message)),
    },
  ];
}

/** Asked for while the menu is open: rights end with time. */
function allActions(app: App, message: Message, open: OpenDialog): readonly (MenuItem | false)[] {
  const { state } = app;
  const t = texts.actions;
  const { canEditContent, canMove, canDelete } = rightsNow(message, state);
  const canBeUnread =
    message.flags.includes('read') && message.sender_id !== state.self.peek().user_id;
  const hasHistory =
    message.last_edit_timestamp !== undefined && state.realm.peek().realm_allow_edit_history;
  return [
    { label: t.reply, onSelect: () => replyTo(app, message) },
    ...quickActions(app, message, open),
    { label: t.copyLink, onSelect: () => copyLink(linkTo(app, message)) },
    canEditContent && { label: t.edit, onSelect: () => (editedMessageId.value = message.id) },
    canMove && { label: t.move, onSelect: () => open('move') },
    hasHistory && { label: t.history, onSelect: () => open('history') },
    canBeUnread && {
      label: t.markUnread,
      onSelect: () => report(app.reading.markUnread([message.id])),
    },
    { label: t.markUnreadFrom, onSelect: () => report(markUnreadFrom(app, message)) },
    { label: t.remind, onSelect: () => open('remind') },
    message.type === 'stream' && muteTopicItem(app, message.stream_id, message.subject),
    canDelete && { label: t.delete, onSelect: () => open('delete') },
  ];
}
