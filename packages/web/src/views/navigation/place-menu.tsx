import { useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { wholeAddressOf } from '../../data/message-actions.ts';
import { allMessages, conversationOf, shownStreamIdOf } from '../../data/narrow.ts';
import { report } from '../../data/notices.ts';
import { narrowToRead, parsePlace } from '../../data/place.ts';
import type { Place } from '../../data/place.ts';
import { mayRenameTopic } from '../../data/policies.ts';
import {
  setForStream,
  subscribeTo,
  toggleTopicMute,
  unsubscribeFrom,
} from '../../data/subscriptions.ts';
import { isTopicMuted } from '../../data/unread.ts';

import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { lazy } from '../lazy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import type { MenuItem } from '../parts/menu.tsx';
import { findStream } from '../parts/stream-path.tsx';

const t = texts.places;

const dialogs = {
  files: lazy(async () => (await import('./place-files.tsx')).PlaceFiles),
  renameTopic: lazy(async () => (await import('./place-dialogs.tsx')).RenameTopic),
  renameStream: lazy(async () => (await import('./place-dialogs.tsx')).RenameStream),
  unsubscribe: lazy(async () => (await import('./place-dialogs.tsx')).LeavePrivateStream),
};

type DialogName = keyof typeof dialogs;
type Items = readonly (MenuItem | false)[];

/** Browsers have the clipboard only on pages that came encrypted. */
async function copy(address: string): Promise<void> {
  await navigator.clipboard.writeText(address);
}

/** @param address the whole one */
export function copyLink(address: string): void {
  report(copy(address), texts.actions.linkCopied);
}

export function muteTopicItem(app: App, streamId: number, topic: string): MenuItem {
  const { muteTopic, unmuteTopic } = texts.actions;
  return {
    label: isTopicMuted(app.state, streamId, topic) ? unmuteTopic : muteTopic,
    onSelect: () => report(toggleTopicMute(app, streamId, topic)),
  };
}

function topicItems(
  app: App,
  { streamId, topic }: { readonly streamId: number; readonly topic: string },
  ask: (dialog: DialogName) => void,
): Items {
  return [
    app.state.subscriptions.value.has(streamId) && muteTopicItem(app, streamId, topic),
    mayRenameTopic(app.state, topic) && {
      label: t.renameTopic,
      onSelect: () => ask('renameTopic'),
    },
  ];
}

function streamItems(app: App, streamId: number, ask: (dialog: DialogName) => void): Items {
  const stream = findStream(app.state, streamId);
  if (stream === undefined) return [];
  const subscription = app.state.subscriptions.value.get(streamId);
  const { self } = app.state;
  const setting = (label: string, property: string, value: boolean): MenuItem => ({
    label,
    onSelect: () => report(setForStream(app, streamId, { [property]: value })),
  });
  const leave = (): void => {
    if (stream.invite_only) ask('unsubscribe');
    else report(unsubscribeFrom(app, stream), t.unsubscribed(stream.name));
  };
  return [
    ...(subscription === undefined
      ? []
      : [
          subscription.is_muted
            ? setting(t.unmuteStream, 'is_muted', false)
            : setting(t.muteStream, 'is_muted', true),
          subscription.pin_to_top
            ? setting(t.unpin, 'pin_to_top', false)
            : setting(t.pin, 'pin_to_top', true),
        ]),
    self.value.is_admin && { label: t.renameStream, onSelect: () => ask('renameStream') },
    subscription !== undefined && { label: t.unsubscribe, onSelect: leave },
    subscription === undefined &&
      !self.value.is_guest && {
        label: t.subscribe,
        onSelect: () => report(subscribeTo(app, stream), t.subscribed(stream.name)),
      },
  ];
}

function itemsOf(app: App, place: Place, ask: (dialog: DialogName) => void): Items {
  const read = narrowToRead(place);
  const narrow = place.view === 'messages' ? place.narrow : allMessages;
  const conversation = conversationOf(narrow);
  const streamId = shownStreamIdOf(narrow);
  return [
    read !== undefined && {
      label: texts.messages.markRead,
      onSelect: () => report(app.reading.markNarrowRead(read)),
    },
    ...(conversation?.type === 'stream' ? topicItems(app, conversation, ask) : []),
    (conversation !== undefined || streamId !== undefined) && {
      label: t.dialogs.files,
      onSelect: () => ask('files'),
    },
    {
      label: texts.actions.copyLink,
      onSelect: () => copyLink(wholeAddressOf(app, place)),
    },
    ...(streamId === undefined || conversation !== undefined
      ? []
      : streamItems(app, streamId, ask)),
    streamId !== undefined && {
      label: texts.messages.streamSettings,
      onSelect: () => app.navigate({ view: 'streams', streamId }),
    },
  ];
}

type PlaceMenuProps = {
  readonly app: App;
  /** The address of the place: a text, so that a menu is drawn again only for another place. */
  readonly address: string;
  readonly label: string;
};

/** What can be done with a place and all that is in it. */
export function PlaceMenu({ app, address, label }: PlaceMenuProps) {
  const asked = useSignal<DialogName | undefined>(undefined);
  const close = () => (asked.value = undefined);
  const Content = asked.value && dialogs[asked.value];
  return (
    <>
      <Menu
        label={label}
        items={() => itemsOf(app, parsePlace(address), (dialog) => (asked.value = dialog))}
      >
        <Icon name="more" />
      </Menu>
      {asked.value !== undefined && Content !== undefined && (
        <Dialog title={t.dialogs[asked.value]} onClose={close}>
          <Content app={app} place={parsePlace(address)} onClose={close} />
        </Dialog>
      )}
    </>
  );
}
