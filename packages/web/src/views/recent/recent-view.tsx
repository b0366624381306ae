import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { describeFailure } from '../../data/failure.ts';
import { conversationKey, narrowOf, streamNarrow } from '../../data/narrow.ts';
import { onlyPartnerOf, presenceOfPerson } from '../../data/people-names.ts';
import type { RecentConversation } from '../../data/recent.ts';
import { topicKey } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { UnreadCount } from '../navigation/place-link.tsx';
import { PresenceDot } from '../parts/presence-dot.tsx';
import { StreamMark } from '../parts/stream-mark.tsx';
import { formatAge } from './format-age.ts';

const participantsShown = 4;
const rowsAtFirst = 60;
const rowsMore = 200;

type Filter = 'all' | 'unread' | 'private';
const filters: readonly Filter[] = ['all', 'unread', 'private'];

/** The home: what people talked about last. */
export function RecentView({ app }: { readonly app: App }) {
  const filter = useSignal<Filter>('all');
  const rowsMax = useSignal(rowsAtFirst);
  useEffect(() => void app.recent.load(), [app]);
  const conversations = useComputed(() => {
    const muted = app.state.mutedTopics.value;
    const subscriptions = app.state.subscriptions.value;
    const isHushed = ({ conversation, mentioned }: RecentConversation): boolean =>
      conversation.type === 'stream' &&
      !mentioned &&
      (muted.has(topicKey(conversation.streamId, conversation.topic)) ||
        subscriptions.get(conversation.streamId)?.is_muted === true);
    return app.recent.conversations.value.filter(
      (each) =>
        !isHushed(each) &&
        (filter.value !== 'unread' || each.unreadCount > 0) &&
        (filter.value !== 'private' || each.conversation.type === 'private'),
    );
  });
  const { loading, failure } = app.recent;
  const all = conversations.value;
  return (
    <section class="recent" aria-labelledby="recent-title">
      <header>
        <h1 id="recent-title">{texts.recent.title}</h1>
        <div class="filters" role="group" aria-label={texts.recent.filters}>
          {filters.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={filter.value === name}
              onClick={() => {
                filter.value = name;
              }}
            >
              {texts.recent.filter[name]}
            </button>
          ))}
        </div>
      </header>
      {failure.value !== undefined && (
        <p class="failure" role="alert">
          {describeFailure(failure.value)}{' '}
          <button type="button" onClick={() => void app.recent.load()}>
            {texts.recent.again}
          </button>
        </p>
      )}
      {loading.value && all.length === 0 && <p class="hint">{texts.recent.loading}</p>}
      {!loading.value && failure.value === undefined && all.length === 0 && (
        <p class="hint">{texts.recent.empty[filter.value]}</p>
      )}
      <ul class="conversations">
        {all.slice(0, rowsMax.value).map((each) => (
          <Row key={conversationKey(each.conversation)} app={app} recent={each} />
        ))}
      </ul>
      {all.length > rowsMax.value && (
        <button
          type="button"
          onClick={() => {
            rowsMax.value += rowsMore;
          }}
        >
          {texts.recent.more}
        </button>
      )}
    </section>
  );
}

function Row({ app, recent }: { readonly app: App; readonly recent: RecentConversation }) {
  const { conversation, unreadCount, mentioned } = recent;
  const place = { view: 'messages', narrow: narrowOf(conversation), near: undefined } as const;
  return (
    <li data-unread={unreadCount > 0}>
      <a class="conversation" href={app.addressOf(place)}>
        {conversation.type === 'stream'
          ? conversation.topic === ''
            ? texts.compose.noTopic
            : conversation.topic
          : conversation.userIds
              .map((id) => app.state.people.value.get(id)?.full_name ?? texts.compose.unknownPerson)
              .join(', ')}
      </a>
      <Origin app={app} recent={recent} />
      <Participants app={app} senderIds={recent.senderIds} />
      <span class="counts">
        {mentioned && (
          <span class="mentioned" role="img" aria-label={texts.recent.mentioned}>
            @
          </span>
        )}
        <UnreadCount count={unreadCount} />
      </span>
      <time dateTime={new Date(recent.lastTimestamp * 1_000).toISOString()}>
        {formatAge(recent.lastTimestamp, Date.now() / 1_000, app.state.settings.value)}
      </time>
    </li>
  );
}

function Origin({ app, recent }: { readonly app: App; readonly recent: RecentConversation }) {
  const { conversation } = recent;
  if (conversation.type === 'private') {
    const partner = onlyPartnerOf(conversation);
    return (
      <span class="origin">
        {partner !== undefined && <PresenceDot presence={presenceOfPerson(app.state, partner)} />}
        {texts.recent.private}
      </span>
    );
  }
  const stream =
    app.state.subscriptions.value.get(conversation.streamId) ??
    app.state.streams.value.get(conversation.streamId);
  if (stream === undefined) return <span class="origin" />;
  const place = {
    view: 'messages',
    narrow: streamNarrow(conversation.streamId),
    near: undefined,
  } as const;
  return (
    <a class="origin" href={app.addressOf(place)}>
      <StreamMark stream={stream} />
      {stream.name}
    </a>
  );
}

function Participants({
  app,
  senderIds,
}: {
  readonly app: App;
  readonly senderIds: readonly number[];
}) {
  const names = senderIds.map(
    (id) => app.state.people.value.get(id)?.full_name ?? texts.compose.unknownPerson,
  );
  const further = names.length - participantsShown;
  return (
    <span class="participants" title={names.join(', ')}>
      {names.slice(0, participantsShown).join(', ')}
      {further > 0 && ` +${further}`}
    </span>
  );
}
