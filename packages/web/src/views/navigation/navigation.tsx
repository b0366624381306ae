import { useComputed } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { allMessages, mentions, narrowOf, onlyPartnerOf, starred } from '../../data/narrow.ts';
import type { Place } from '../../data/place.ts';
import { countUnreadByStream, countUnreadIn } from '../../data/stream-groups.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon.tsx';
import { namesOf } from '../parts/names.ts';
import { PresenceDot } from '../parts/presence-dot.tsx';
import { PlaceList } from './place-list.tsx';
import { Streams } from './streams.tsx';

const t = texts.navigation;

const privateAtFirst = 8;
const privateMax = 100;

/** Everywhere a person can go, with what is unread there. */
export function Navigation({ app }: { readonly app: App }) {
  return (
    <nav class="navigation" aria-label={t.label}>
      <Views app={app} />
      <PrivateConversations app={app} />
      <Streams app={app} />
    </nav>
  );
}

function Views({ app: { state, drafts }, app }: { readonly app: App }) {
  const counts = useComputed(() => {
    let [unread, mentioned] = [0, 0];
    for (const count of countUnreadByStream(state).values()) unread += count;
    for (const { conversation, ids, mentionCount } of state.unreadConversations.value.values()) {
      if (conversation.type === 'private') unread += ids.size;
      mentioned += mentionCount;
    }
    return { unread, mentioned };
  }).value;
  const views: readonly (readonly [IconName, string, Place, count?: number])[] = [
    ['recent', t.recent, { view: 'recent' }],
    ['all', t.all, { view: 'messages', narrow: allMessages }, counts.unread],
    ['mention', t.mentions, { view: 'messages', narrow: mentions }, counts.mentioned],
    ['star', t.starred, { view: 'messages', narrow: starred }],
    ['draft', t.drafts, { view: 'drafts' }, drafts.all.value.length],
    ['clock', t.scheduled, { view: 'scheduled' }],
  ];
  return (
    <PlaceList
      app={app}
      entries={views.map(([icon, name, place, count = 0]) => ({
        place,
        mark: <Icon name={icon} />,
        name,
        count,
      }))}
    />
  );
}

/** Private conversations, those with the newest messages first. */
function PrivateConversations({ app }: { readonly app: App }) {
  const { state } = app;
  const entries = state.recentPrivate.value.slice(0, privateMax).map((userIds) => {
    const conversation = { type: 'private', userIds } as const;
    const partner = onlyPartnerOf(conversation);
    return {
      place: { view: 'messages', narrow: narrowOf(conversation) } as const,
      mark:
        partner === undefined ? (
          <span class="group-size" aria-hidden="true">
            {userIds.length + 1}
          </span>
        ) : (
          <PresenceDot app={app} userId={partner} />
        ),
      name: namesOf(state, userIds),
      count: countUnreadIn(state, conversation),
    };
  });
  return (
    <section aria-label={t.private}>
      <h2>{t.private}</h2>
      {entries.length === 0 && <p class="hint">{t.noPrivate}</p>}
      <PlaceList app={app} entries={entries} shownAtFirst={privateAtFirst} />
    </section>
  );
}
