import { useComputed, useSignal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { conversationOfMessage } from '../../data/conversation.ts';
import { describeFailure } from '../../data/failure.ts';
import type { MessageList } from '../../data/message-list.ts';
import { conversationOf, narrowKey } from '../../data/narrow.ts';
import type { Narrow } from '../../data/narrow.ts';
import type { Message } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { ConversationBar } from './conversation-bar.tsx';
import { placeOf } from './message-groups.ts';
import { MessageRow } from './message-row.tsx';
import { moveDown, moveUp, shownPartOf, wholeWindow, windowAround } from './message-window.ts';
import type { MessageWindow, ShownPart } from './message-window.ts';
import { PendingMessages } from './pending-messages.tsx';
import { ScrollKeeper } from './scroll-keeper.ts';

type ViewProps = {
  readonly app: App;
  readonly narrow: Narrow;
  /** The message to show; otherwise the first unread one, or the newest. */
  readonly near: number | undefined;
};

/** The messages of a narrow. */
export function MessageView({ app, narrow, near }: ViewProps) {
  const key = narrowKey(narrow);
  const list = useMemo(() => app.lists.open(narrow), [app, key]);
  useEffect(() => {
    const ids = list.ids.peek();
    if (near === undefined ? ids.length === 0 : !ids.includes(near))
      void list.load(near ?? 'first_unread');
  }, [list, near]);
  if (list.ids.value.length === 0) return <Blank list={list} near={near} />;
  return <Messages key={`${key} ${near ?? ''}`} app={app} list={list} near={near} />;
}

function Blank({ list, near }: { readonly list: MessageList; readonly near: number | undefined }) {
  if (list.failure.value !== undefined)
    return (
      <div class="blank" role="alert">
        <Icon name="warning" />
        <p>{describeFailure(list.failure.value)}</p>
        <button type="button" onClick={() => void list.load(near ?? 'first_unread')}>
          {texts.messages.again}
        </button>
      </div>
    );
  if (list.loading.value !== undefined || !list.hasNewest.value)
    return (
      <div class="blank" role="status" aria-label={texts.messages.loading}>
        <span class="spinner" />
      </div>
    );
  return (
    <div class="blank">
      <strong>{texts.messages.empty}</strong>
      <p>{texts.messages.emptyHint}</p>
    </div>
  );
}

type Scrolling = {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly part: ReadonlySignal<ShownPart>;
  /** Whether the reader is at the newest message. */
  readonly isAtEnd: ReadonlySignal<boolean>;
  /** To be called after each scroll. */
  readonly look: () => void;
  readonly showNewest: () => void;
};

/** Shows a part of a list, more of it as the reader scrolls, and keeps the place meanwhile. */
function useScrolling(
  app: App,
  list: MessageList,
  {
    near,
    firstUnreadId,
  }: { readonly near: number | undefined; readonly firstUnreadId: number | undefined },
): Scrolling {
  const scroller = useRef<HTMLDivElement>(null);
  const keeper = useRef<ScrollKeeper | undefined>(undefined);
  const window = useSignal<MessageWindow>(
    near === undefined ? wholeWindow : windowAround(list.ids.peek(), near),
  );
  const isAtEnd = useSignal(true);
  const part = useComputed(() => shownPartOf(list.ids.value, window.value));
  const endsWithNewest = (): boolean => part.peek().below === 0 && list.hasNewest.peek();

  const look = (): void => {
    const kept = keeper.current;
    const element = scroller.current;
    if (kept === undefined || element === null) return;
    kept.hold();
    isAtEnd.value = kept.isAtEnd && endsWithNewest();
    if (document.visibilityState === 'visible' && document.hasFocus())
      app.reading.see(kept.seenIds());
    readOn(list, window, part.peek(), element);
  };

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const kept = new ScrollKeeper(element);
    keeper.current = kept;
    const target = near ?? firstUnreadId;
    if (target === undefined) kept.showEnd();
    else {
      const row = kept.show(target);
      if (near !== undefined) row?.focus({ preventScroll: true });
    }
    look();
    const heights = new ResizeObserver(() => kept.restore(endsWithNewest()));
    for (const child of element.children) heights.observe(child);
    heights.observe(element);
    globalThis.addEventListener('focus', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      heights.disconnect();
      globalThis.removeEventListener('focus', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);

  useLayoutEffect(() => {
    keeper.current?.restore(endsWithNewest());
    look();
  }, [part.value, list.loading.value]);

  const showNewest = async (): Promise<void> => {
    if (!list.hasNewest.peek()) await list.load('newest');
    window.value = wholeWindow;
    if (keeper.current !== undefined) keeper.current.isAtEnd = true;
    keeper.current?.restore(true);
  };
  return { scroller, part, isAtEnd, look, showNewest: () => void showNewest() };
}

function Messages({
  app,
  list,
  near,
}: {
  readonly app: App;
  readonly list: MessageList;
  readonly near: number | undefined;
}) {
  const firstUnreadId = useMemo(
    () => list.ids.peek().find((id) => app.state.unread.peek().has(id)),
    [app, list],
  );
  const { scroller, part, isAtEnd, look, showNewest } = useScrolling(app, list, {
    near,
    firstUnreadId,
  });
  const { ids, above, below } = part.value;
  return (
    <div class="messages">
      <div ref={scroller} class="scroller" onScroll={look}>
        <div class="list" role="log" aria-label={texts.messages.log} aria-live="off">
          <TopEnd list={list} isFirst={above === 0} />
          <Rows app={app} list={list} ids={ids} firstUnreadId={firstUnreadId} />
          {below === 0 && list.hasNewest.value && (
            <PendingMessages app={app} narrow={list.narrow} />
          )}
          <BottomEnd list={list} />
        </div>
      </div>
      {!isAtEnd.value && (
        <button type="button" class="to-newest" onClick={showNewest}>
          <Icon name="newest" />
          {texts.messages.toNewest}
        </button>
      )}
      <Announcer app={app} list={list} />
    </div>
  );
}

/** How near to an end of what is shown the reader must come for more to be shown. */
const readOnWithinPx = 1_200;

function readOn(
  list: MessageList,
  window: { value: MessageWindow },
  part: ShownPart,
  { scrollTop, scrollHeight, clientHeight }: HTMLElement,
): void {
  const ids = list.ids.peek();
  if (scrollTop < readOnWithinPx) {
    if (part.above > 0) window.value = moveUp(ids, part);
    else if (list.failure.peek() === undefined) void list.loadOlder();
  } else if (scrollHeight - scrollTop - clientHeight < readOnWithinPx) {
    if (part.below > 0) window.value = moveDown(ids, part);
    else if (list.failure.peek() === undefined) void list.loadNewer();
  }
}

function Rows({
  app,
  list,
  ids,
  firstUnreadId,
}: {
  readonly app: App;
  readonly list: MessageList;
  readonly ids: readonly number[];
  readonly firstUnreadId: number | undefined;
}) {
  const isOneConversation = conversationOf(list.narrow) !== undefined;
  return ids.map((id, index) => (
    <Row
      key={id}
      app={app}
      list={list}
      id={id}
      previousId={ids[index - 1]}
      isFirstUnread={id === firstUnreadId}
      isOneConversation={isOneConversation}
    />
  ));
}

function dayOf({ timestamp }: Message): string {
  return new Date(timestamp * 1_000).toLocaleDateString(undefined, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  });
}

function Row({
  app,
  list,
  id,
  previousId,
  isFirstUnread,
  isOneConversation,
}: {
  readonly app: App;
  readonly list: MessageList;
  readonly id: number;
  readonly previousId: number | undefined;
  readonly isFirstUnread: boolean;
  readonly isOneConversation: boolean;
}) {
  const message = app.lists.store.find(id)?.value;
  const previous = previousId === undefined ? undefined : app.lists.store.find(previousId)?.value;
  if (message === undefined) return null;
  const selfId = app.state.self.value.user_id;
  const place = placeOf(message, previous, selfId);
  return (
    <>
      {place.beginsDay && <div class="day">{dayOf(message)}</div>}
      {isFirstUnread && <div class="unread-line">{texts.messages.unreadFrom}</div>}
      {place.beginsConversation && !isOneConversation && (
        <ConversationBar app={app} conversation={conversationOfMessage(message, selfId)} />
      )}
      <MessageRow
        app={app}
        message={message}
        showsSender={place.showsSender || isFirstUnread}
        match={list.matches.value.get(id)}
      />
    </>
  );
}

function TopEnd({ list, isFirst }: { readonly list: MessageList; readonly isFirst: boolean }) {
  if (!isFirst) return null;
  if (list.hasOldest.value) return <p class="end">{texts.messages.beginning}</p>;
  return (
    <p class="end">
      <Retry list={list} onRetry={() => void list.loadOlder()} />
    </p>
  );
}

function BottomEnd({ list }: { readonly list: MessageList }) {
  if (list.hasNewest.value) return null;
  return (
    <p class="end">
      <Retry list={list} onRetry={() => void list.loadNewer()} />
    </p>
  );
}

function Retry({ list, onRetry }: { readonly list: MessageList; readonly onRetry: () => void }) {
  if (list.failure.value === undefined) return <span class="spinner" />;
  return (
    <>
      {describeFailure(list.failure.value)}{' '}
      <button type="button" onClick={onRetry}>
        {texts.messages.again}
      </button>
    </>
  );
}

/** Says new messages to screen readers; the list itself is not live, because older ones are added to it too. */
function Announcer({ app, list }: { readonly app: App; readonly list: MessageList }) {
  const newest = useRef(list.ids.peek().at(-1) ?? 0);
  const id = list.hasNewest.value ? (list.ids.value.at(-1) ?? 0) : 0;
  const message = id > newest.current ? app.lists.store.find(id)?.value : undefined;
  return (
    <p class="visually-hidden" role="status">
      {message !== undefined && texts.messages.newFrom(message.sender_full_name)}
    </p>
  );
}
