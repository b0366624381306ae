import { signal } from '@preact/signals';
import type { ApiError } from '@parley/client';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { conversationOfMessage } from '../../data/conversation.ts';
import type { MessageList } from '../../data/message-list.ts';
import { correctPlace, isUnknown } from '../../data/moves.ts';
import {
  conversationOf,
  isSameConversation,
  isSearch,
  narrowKey,
  narrowOf,
  streamIdOf,
  wordsOf,
} from '../../data/narrow.ts';
import type { Conversation, Narrow } from '../../data/narrow.ts';
import { report } from '../../data/notices.ts';
import { startOf } from '../../data/place.ts';
import type { MessagesPlace } from '../../data/place.ts';
import type { Message } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { foldText } from '../../data/ranking.ts';
import { textOfNarrow, unknownOperatorsIn } from '../search/search-text.ts';
import { Icon } from '../icon.tsx';
import { Blank } from '../parts/blank.tsx';
import { namesOf } from '../parts/names.ts';
import { StreamPath } from '../parts/stream-path.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { MessageRow } from './message-row.tsx';
import { pendingIn, PendingMessages } from './pending-messages.tsx';
import { useScrolling } from './scrolling.ts';

type MessageViewProps = { readonly app: App; readonly place: MessagesPlace };

/**
 * The messages of a place, from the one that it says on; otherwise from the first unread one, or the newest. What was searched for begins at
 * its newest. Where the message is in another conversation now, that becomes the place.
 */
export function MessageView({ app, place }: MessageViewProps) {
  const { narrow, near } = place;
  const key = narrowKey(narrow);
  const start = startOf(place);
  const isFound = isSearch(narrow);
  const list = useMemo(() => app.lists.open(narrow), [app, key]);
  // What the list holds may be far from the message to show.
  const isFar = useMemo(
    () =>
      signal(
        start === undefined ? isFound && !list.hasNewest.peek() : !list.ids.peek().includes(start),
      ),
    [list, start],
  );
  const isGone = useMemo(() => signal(false), [isFar]);
  const load = async (): Promise<void> => {
    await list.load(start ?? (isFound ? 'newest' : 'first_unread'));
    const failure = list.failure.peek();
    const isElsewhere = start === near && !isFound && !list.ids.peek().includes(near ?? 0);
    if (near !== undefined && isElsewhere && (failure === undefined || isUnknown(failure)))
      isGone.value = !(await correctPlace(app, place, near));
    isFar.value = failure !== undefined;
  };
  useEffect(() => {
    if (isFar.peek() || list.ids.peek().length === 0) report(load());
  }, [isFar]);
  const isEmpty = list.ids.value.length === 0;
  const isPending = list.hasNewest.value && pendingIn(app, narrow).length > 0;
  const isRead = isEmpty && list.loading.value === undefined && list.hasNewest.value;
  const last = useMemo<{ id?: number | undefined }>(() => ({}), [list]);
  last.id = list.ids.value.at(-1) ?? last.id;
  useEffect(() => {
    // While no events came the topic may have moved: the messages that were here are where it is.
    if (isRead && last.id !== undefined && conversationOf(narrow)?.type === 'stream')
      report(correctPlace(app, place, last.id));
  }, [isRead]);
  if (!isFar.value && (!isEmpty || isPending))
    return (
      <>
        {isFound && <SearchSummary app={app} list={list} />}
        <Messages key={`${key} ${start ?? ''}`} app={app} list={list} place={place} />
      </>
    );
  const failure = list.failure.value;
  if (isUnknown(failure)) return <Blank {...unknownOf(narrow, failure)} />;
  if (!isRead || failure !== undefined)
    return (
      <div class="blank">
        <Waiting label={texts.messages.loading} failure={failure} onRetry={() => report(load())} />
      </div>
    );
  if (isFound) return <NothingFound app={app} list={list} />;
  const { empty, emptyHint, gone } = texts.messages;
  return isGone.value ? <Blank title={gone} /> : <Blank title={empty} hint={emptyHint} />;
}

/** What is said of a place that the server does not know. */
function unknownOf(narrow: Narrow, failure: ApiError) {
  const { unknownStream, unknownStreamHint, notFound } = texts.messages;
  return streamIdOf(narrow) === undefined
    ? { title: notFound, hint: failure.message }
    : { title: unknownStream, hint: unknownStreamHint };
}

type ListProps = { readonly app: App; readonly list: MessageList };

/** Why a search has no hits. */
function NothingFound({ app, list }: ListProps) {
  const { notFound, onlyCommonWords } = texts.messages;
  const ignored = list.ignoredWords.value;
  const isCommon = wordsOf(list.narrow)
    .split(/\s+/)
    .every((word) => ignored.includes(foldText(word)));
  return (
    <Blank
      title={notFound}
      hint={
        ignored.length > 0 && isCommon
          ? onlyCommonWords(ignored)
          : texts.search.nothing(textOfNarrow(list.narrow, app.state))
      }
    />
  );
}

/** What was searched for, if the heading does not say it, and what of that was not. */
function SearchSummary({ app, list }: ListProps) {
  const ignored = list.ignoredWords.value;
  const words = wordsOf(list.narrow);
  const text = textOfNarrow(list.narrow, app.state);
  const unknown = unknownOperatorsIn(words);
  return (
    <p class="search-summary">
      {text !== words && texts.search.found(text)}
      {ignored.length > 0 && <span>{texts.search.common(ignored)}</span>}
      {unknown.length > 0 && <span>{texts.search.noOperators(unknown)}</span>}
    </p>
  );
}

function Messages({ app, list, place }: ListProps & Pick<MessageViewProps, 'place'>) {
  const firstUnreadId = useMemo(
    () =>
      isSearch(list.narrow)
        ? undefined
        : list.ids.peek().find((id) => app.state.unread.peek().has(id)),
    [app, list],
  );
  const scrolling = useScrolling(app, list, { place, firstUnreadId });
  const ids = list.ids.value;
  const hasNewest = list.hasNewest.value;
  const isOneConversation = conversationOf(list.narrow) !== undefined;
  return (
    <div class="messages">
      <div ref={scrolling.scroller} class="scroller" onScroll={scrolling.look}>
        <div class="list" role="log" aria-label={texts.messages.log} aria-live="off">
          <End list={list} isLast={list.hasOldest.value} onNear={() => void list.extend('older')}>
            {texts.messages.beginning}
          </End>
          {ids.map((id, index) => (
            <Row
              key={id}
              app={app}
              list={list}
              id={id}
              previousId={ids[index - 1]}
              isFirstUnread={id === firstUnreadId}
              isOneConversation={isOneConversation}
              isNear={id === place.near}
            />
          ))}
          {hasNewest && <PendingMessages app={app} narrow={list.narrow} />}
          <End list={list} isLast={hasNewest} onNear={() => void list.extend('newer')} />
        </div>
      </div>
      {!scrolling.isAtEnd.value && (
        <button type="button" class="to-newest" onClick={() => void scrolling.showNewest()}>
          <Icon name="newest" />
          {texts.messages.toNewest(scrolling.countBelow.value, hasNewest)}
        </button>
      )}
      <Announcer app={app} list={list} />
    </div>
  );
}

/** How near an end of what is shown must come for more to be shown. */
const nearMargin = '1200px 0px';

type EndProps = {
  readonly list: MessageList;
  /** Whether nothing comes after it. */
  readonly isLast: boolean;
  readonly onNear: () => void;
  /** What is said where nothing comes after it. */
  readonly children?: ComponentChildren;
};

/** An end of what is shown. When it comes near, more is shown. */
function End({ list, isLast, onNear, children }: EndProps) {
  const element = useRef<HTMLParagraphElement>(null);
  const hasFailed = list.failure.value !== undefined;
  const isReading = list.loading.value !== undefined;
  // A new observer tells at once, so after each change that leaves the end near more is shown.
  useEffect(() => {
    if (element.current === null || isLast || hasFailed || isReading) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) onNear();
      },
      { root: element.current.closest('.scroller'), rootMargin: nearMargin },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  });
  return (
    <p ref={element} class="end">
      {isLast ? children : <Waiting failure={list.failure.value} onRetry={onNear} />}
    </p>
  );
}

/** Messages of one person within this time stand under one name. */
const togetherSecs = 10 * 60;

function dateOf({ timestamp }: Message): Date {
  return new Date(timestamp * 1_000);
}

type RowProps = ListProps & {
  readonly id: number;
  readonly previousId: number | undefined;
  readonly isFirstUnread: boolean;
  readonly isOneConversation: boolean;
  /** Whether the address leads to it. */
  readonly isNear: boolean;
};

function Row({ app, list, id, previousId, isFirstUnread, isOneConversation, isNear }: RowProps) {
  const message = app.lists.store.find(id)?.value;
  const previous = previousId === undefined ? undefined : app.lists.store.find(previousId)?.value;
  if (message === undefined) return null;
  const conversation = conversationOfMessage(message, app.state);
  const match = isNear ? app.lists.matchOf(id) : list.matches.value.get(id);
  const beginsDay =
    previous === undefined || dateOf(previous).toDateString() !== dateOf(message).toDateString();
  const beginsConversation =
    beginsDay || !isSameConversation(conversationOfMessage(previous, app.state), conversation);
  const showsSender =
    isFirstUnread ||
    beginsConversation ||
    message.sender_id !== previous.sender_id ||
    message.is_me_message ||
    previous.is_me_message ||
    message.timestamp - previous.timestamp > togetherSecs;
  return (
    <>
      {beginsDay && (
        <div class="day">
          {dateOf(message).toLocaleDateString(undefined, { dateStyle: 'full' })}
        </div>
      )}
      {isFirstUnread && <div class="day unread-line">{texts.messages.unreadFrom}</div>}
      {beginsConversation && !isOneConversation && (
        <ConversationBar
          app={app}
          conversation={conversation}
          near={id}
          topicHtml={match?.match_subject}
        />
      )}
      <MessageRow
        app={app}
        message={message}
        place={{ view: 'messages', narrow: narrowOf(conversation), near: id }}
        showsSender={showsSender}
        matchHtml={match?.match_content}
      />
    </>
  );
}

type ConversationBarProps = {
  readonly app: App;
  readonly conversation: Conversation;
  /** The message below it. */
  readonly near: number;
  /** The topic with the words that were searched for marked. */
  readonly topicHtml: string | undefined;
};

/** Above the messages of a conversation, where several are shown: it leads to them there. */
function ConversationBar({ app, conversation, near, topicHtml }: ConversationBarProps) {
  return (
    <h2 class="conversation-bar line">
      {conversation.type === 'private' ? (
        <>
          <Icon name="private" />{' '}
          <a href={app.addressOf({ view: 'messages', narrow: narrowOf(conversation), near })}>
            {texts.messages.youAnd(namesOf(app.state, conversation.userIds))}
          </a>
        </>
      ) : (
        <StreamPath app={app} {...conversation} near={near} topicHtml={topicHtml} />
      )}
    </h2>
  );
}

/** Says new messages to screen readers; the list itself is not live, because older ones are added to it too. */
function Announcer({ app, list }: ListProps) {
  const newest = useRef(list.ids.peek().at(-1) ?? 0);
  const id = list.hasNewest.value ? (list.ids.value.at(-1) ?? 0) : 0;
  const message = id > newest.current ? app.lists.store.find(id)?.value : undefined;
  return (
    <p class="visually-hidden" role="status">
      {message !== undefined && texts.messages.newFrom(message.sender_full_name)}
    </p>
  );
}
