import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { conversationKey, narrowOf, onlyPartnerOf } from '../../data/narrow.ts';
import type { RecentConversation } from '../../data/recent.ts';
import { isMuted } from '../../data/unread.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { UnreadCount } from '../navigation/place-list.tsx';
import { Blank } from '../parts/blank.tsx';
import { Filters } from '../parts/filters.tsx';
import { useBeginning } from '../parts/beginning.tsx';
import { namesOf, topicName } from '../parts/names.ts';
import { PresenceDot } from '../parts/presence-dot.tsx';
import { StreamPath } from '../parts/stream-path.tsx';
import { formatAge } from '../parts/time.ts';
import { Waiting } from '../parts/waiting.tsx';

const t = texts.recent;

const participantsShown = 4;
const steps = { first: 60, further: 200 };

type Filter = keyof typeof t.filter;
const filters: Readonly<Record<Filter, (recent: RecentConversation) => boolean>> = {
  all: () => true,
  unread: ({ unreadCount }) => unreadCount > 0,
  private: ({ conversation }) => conversation.type === 'private',
};

/** The home: what people talked about last. Of what the reader muted only what mentions them. */
export function RecentView({ app }: { readonly app: App }) {
  const filter = useSignal<Filter>('all');
  useEffect(() => void app.lists.loadNewest(), [app]);
  const all = useComputed(() =>
    app.recent.value.filter(
      (each) =>
        (each.mentioned || !isMuted(app.state, each.conversation)) && filters[filter.value](each),
    ),
  ).value;
  const isEmpty = all.length === 0;
  const failure = app.lists.newest.failure.value;
  const isLoading = app.lists.newest.loading.value !== undefined;
  const { shown, more } = useBeginning(all, steps, () => t.more);
  return (
    <section class="page recent" aria-labelledby="recent-title">
      <header>
        <h1 id="recent-title">{t.title}</h1>
        <Filters names={t.filter} chosen={filter} />
      </header>
      {failure !== undefined || (isLoading && isEmpty) ? (
        <Waiting failure={failure} onRetry={() => void app.lists.loadNewest()} />
      ) : (
        isEmpty && <Blank title={t.empty[filter.value]} />
      )}
      <ul class="conversations">
        {shown.map((each) => (
          <Row key={conversationKey(each.conversation)} app={app} recent={each} />
        ))}
      </ul>
      {more}
    </section>
  );
}

function Row({ app, recent }: { readonly app: App; readonly recent: RecentConversation }) {
  const { state } = app;
  const { conversation, unreadCount, mentioned, senderIds, lastTimestamp } = recent;
  const further = senderIds.length - participantsShown;
  return (
    <li data-unread={unreadCount > 0}>
      <a
        class="conversation line"
        dir="auto"
        href={app.addressOf({ view: 'messages', narrow: narrowOf(conversation) })}
      >
        {conversation.type === 'stream'
          ? topicName(conversation.topic)
          : namesOf(state, conversation.userIds)}
      </a>
      <Origin app={app} conversation={conversation} />
      <span class="participants line" title={namesOf(state, senderIds)}>
        {namesOf(state, senderIds.slice(0, participantsShown))}
        {further > 0 && ` +${further}`}
      </span>
      <span class="counts">
        {mentioned && (
          <span class="mentioned" role="img" aria-label={t.mentioned}>
            @
          </span>
        )}
        <UnreadCount count={unreadCount} />
      </span>
      <time dateTime={new Date(lastTimestamp * 1_000).toISOString()}>
        {formatAge(lastTimestamp, Date.now() / 1_000, state.settings.value)}
      </time>
    </li>
  );
}

type OriginProps = { readonly app: App; readonly conversation: RecentConversation['conversation'] };

/** The stream of a conversation, or that it is private. */
function Origin({ app, conversation }: OriginProps) {
  const partner = onlyPartnerOf(conversation);
  return (
    <span class="origin line">
      {conversation.type === 'stream' ? (
        <StreamPath app={app} streamId={conversation.streamId} />
      ) : (
        <>
          {partner === undefined ? (
            <Icon name="people" />
          ) : (
            <PresenceDot app={app} userId={partner} />
          )}
          {t.private}
        </>
      )}
    </span>
  );
}
