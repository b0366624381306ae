/** How the person is told while a page is open: the number in the title, the icon, notifications of the desktop with sound. */
import { signal, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { wordsOf } from '@parley/api/notification-rules';
import type { Notifications as Channels } from '@parley/api/notification-rules';

import type { App } from '../../data/app.ts';
import { conversationOfMessage } from '../../data/conversation.ts';
import { narrowOf } from '../../data/narrow.ts';
import { closePushed, isPushed, learnWhetherPushed } from '../../data/push.ts';
import type { Message } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { nameOfConversation, titleOfPlace } from '../parts/names.ts';
import { joinNotifyingTabs } from './notifying-tab.ts';
import { playSound } from './sound.ts';

type Permission = NotificationPermission | 'unsupported';

const isSupported = 'Notification' in window;

/** Whether the browser shows this page's notifications. */
export const permission = signal<Permission>(isSupported ? Notification.permission : 'unsupported');

/** Asks the person by a dialog of the browser. Only for their click: browsers refuse pages that ask by themselves. */
async function askPermission(): Promise<void> {
  if (isSupported) permission.value = await Notification.requestPermission();
}

function show(app: App, message: Message): void {
  const { settings } = app.state;
  const conversation = conversationOfMessage(message, app.state);
  const where =
    conversation.type === 'stream' ? ` (${nameOfConversation(app.state, conversation)})` : '';
  const isContentShown =
    message.type === 'stream' || settings.value.pm_content_in_desktop_notifications;
  const notification = new Notification(`${message.sender_full_name}${where}`, {
    body: isContentShown ? wordsOf(message.content) : texts.notifications.newMessage,
    icon: '/icon-192.png',
    tag: `parley/${message.id}`,
    silent: true,
  });
  notification.addEventListener('click', () => {
    window.focus();
    app.navigate({ view: 'messages', narrow: narrowOf(conversation), near: message.id });
    notification.close();
  });
}

function notify(app: App, message: Message, { desktop, sound, push }: Channels): void {
  // What a page shows by itself while it is looked at, the service worker leaves to it, and otherwise the page to that.
  const isLeft = push !== undefined && isPushed.peek() && !document.hasFocus();
  try {
    if (desktop !== undefined && permission.value === 'granted' && !isLeft) show(app, message);
  } catch {
    // Browsers of phones say that they have them, and refuse to make one.
    permission.value = 'unsupported';
  }
  if (sound !== undefined)
    void playSound(app.state.settings.value.notification_sound).catch(() => undefined);
}

const icons = { none: '/icon.svg', unread: '/icon-unread.svg', concerning: '/icon-mentioned.svg' };

function showIcon(href: string): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link !== null && link.getAttribute('href') !== href) link.href = href;
}

/** Tells the person as long as it is shown; it shows nothing itself but the question whether it may. */
export function Notifications({ app }: { readonly app: App }) {
  useEffect(() => {
    const ending = new AbortController();
    // Where the server cannot be asked, the page tells.
    void learnWhetherPushed(app).catch(() => undefined);
    const tab = joinNotifyingTabs(app.state.self.peek().user_id, ending.signal);
    app.notifier.listen((message) => {
      const channels = app.notifier.judge(message, app.place.peek(), document.hasFocus());
      void tab.decided.then(() => {
        if (tab.isThisOne()) notify(app, message, channels);
      });
    });
    return () => {
      ending.abort();
      app.notifier.listen(() => undefined);
      document.title = texts.notifications.product;
      showIcon(icons.none);
    };
  }, [app]);
  useSignalEffect(() => {
    const unread = app.state.unread.value;
    const known = app.state.maxMessageId.value;
    // A push may be faster than the event of its message.
    if (isPushed.value) void closePushed((messageId) => messageId > known || unread.has(messageId));
  });
  useSignalEffect(() => {
    const { count, concernsSelf } = app.notifier.waiting.value;
    const number = count === 0 ? '' : `(${count}) `;
    const { realm_name } = app.state.realm.value;
    document.title = `${number}${titleOfPlace(app)} - ${realm_name}`;
    showIcon(count === 0 ? icons.none : concernsSelf ? icons.concerning : icons.unread);
  });
  return <PermissionBanner app={app} />;
}

const isPutOff = signal(false);

/** Asks once in each window, quietly, whether notifications are wanted: where the browser has not been asked and the settings want them. */
function PermissionBanner({ app }: { readonly app: App }) {
  const isWanted = app.state.settings.value.enable_desktop_notifications;
  if (permission.value !== 'default' || !isWanted || isPutOff.value) return null;
  const { ask, later, turnOn } = texts.notifications;
  return (
    <aside class="permission-banner row" aria-label={ask}>
      <p>{ask}</p>
      <div class="row">
        <button type="button" class="primary" onClick={() => void askPermission()}>
          {turnOn}
        </button>
        <button type="button" onClick={() => (isPutOff.value = true)}>
          {later}
        </button>
      </div>
    </aside>
  );
}
