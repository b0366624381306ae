import '../../styles/inbox.css';
import { useComputed } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { countUnread, groupInbox, listUnread } from '../../data/inbox.ts';
import type { InboxEntry } from '../../data/inbox.ts';
import { conversationKey, narrowOf, onlyPartnerOf, streamNarrow } from '../../data/narrow.ts';
import type { Narrow } from '../../data/narrow.ts';
import { report } from '../../data/notices.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { UnreadCount } from '../navigation/place-list.tsx';
import { useBeginning } from '../parts/beginning.tsx';
import { Blank } from '../parts/blank.tsx';
import { IconButton } from '../parts/icon-button.tsx';
import { namesOf, topicName } from '../parts/names.ts';
import { PresenceDot } from '../parts/presence-dot.tsx';
import { findStream, StreamMark } from '../parts/stream-path.tsx';

const t = texts.inbox;

const steps = { first: 100, further: 400 };

/** All that is unread: private conversations, then topics by stream. */
export function InboxView({ app }: { readonly app: App }) {
  const { state } = app;
  const all = useComputed(() => listUnread(state)).value;
  const { shown, more } = useBeginning(all, steps, () => texts.recent.more);
  const { conversations, streams } = groupInbox(state, shown);
  return (
    <section class="page recent inbox" aria-labelledby="inbox-title">
      <header>
        <h1 id="inbox-title">{t.title}</h1>
        {all.length > 0 && <small>{t.hint}</small>}
      </header>
      {all.length === 0 && <Blank title={texts.recent.empty.unread} />}
      {conversations.length > 0 && (
        <section aria-label={texts.navigation.private}>
          <h2>{texts.navigation.private}</h2>
          <Rows app={app} entries={conversations} />
        </section>
      )}
      {streams.map(({ streamId, topics }) => (
        <StreamTopics key={streamId} app={app} streamId={streamId} topics={topics} />
      ))}
      {more}
    </section>
  );
}

type StreamTopicsProps = {
  readonly app: App;
  readonly streamId: number;
  readonly topics: readonly InboxEntry[];
};

function StreamTopics({ app, streamId, topics }: StreamTopicsProps) {
  const stream = findStream(app.state, streamId);
  const name = stream?.name ?? texts.messages.unknownStream;
  const narrow = streamNarrow(streamId);
  return (
    <section aria-label={name}>
      <h2 class="row">
        {stream !== undefined && <StreamMark stream={stream} />}
        <a class="line" dir="auto" href={app.addressOf({ view: 'messages', narrow })}>
          {name}
        </a>
        <UnreadCount count={countUnread(topics)} />
        <ReadButton app={app} narrow={narrow} name={name} />
      </h2>
      <Rows app={app} entries={topics} />
    </section>
  );
}

type RowsProps = { readonly app: App; readonly entries: readonly InboxEntry[] };

function Rows({ app, entries }: RowsProps) {
  return (
    <ul class="conversations">
      {entries.map((entry) => (
        <Row key={conversationKey(entry.conversation)} app={app} entry={entry} />
      ))}
    </ul>
  );
}

function Row({ app, entry }: { readonly app: App; readonly entry: InboxEntry }) {
  const { conversation, ids, mentionCount } = entry;
  const narrow = narrowOf(conversation);
  const partner = onlyPartnerOf(conversation);
  const name =
    conversation.type === 'stream'
      ? topicName(conversation.topic)
      : namesOf(app.state, conversation.userIds);
  return (
    <li data-unread>
      {partner !== undefined && <PresenceDot app={app} userId={partner} />}
      {conversation.type === 'private' && partner === undefined && <Icon name="people" />}
      <a class="conversation line" dir="auto" href={app.addressOf({ view: 'messages', narrow })}>
        {name}
      </a>
      {mentionCount > 0 && (
        <span class="mentioned" role="img" aria-label={texts.recent.mentioned}>
          @
        </span>
      )}
      <UnreadCount count={ids.size} />
      <ReadButton app={app} narrow={narrow} name={name} />
    </li>
  );
}

type ReadButtonProps = { readonly app: App; readonly narrow: Narrow; readonly name: string };

function ReadButton({ app, narrow, name }: ReadButtonProps) {
  return (
    <IconButton
      icon="read"
      label={t.markRead(name)}
      onClick={() => report(app.reading.markNarrowRead(narrow))}
    />
  );
}
