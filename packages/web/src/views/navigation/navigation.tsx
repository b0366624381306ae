import { useComputed } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { allMessages, mentions, starred } from '../../data/narrow.ts';
import type { Place } from '../../data/place.ts';
import { countUnreadByStream } from '../../data/stream-groups.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon.tsx';
import { placeKey, PlaceLink } from './place-link.tsx';
import { PrivateConversations } from './private-conversations.tsx';
import { Streams } from './streams.tsx';

/** Everywhere a person can go, with what is unread there. */
export function Navigation({ app }: { readonly app: App }) {
  return (
    <nav class="navigation" aria-label={texts.navigation.label}>
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
  const all: Place = { view: 'messages', narrow: allMessages };
  const views: readonly (readonly [IconName, string, Place, count?: number])[] = [
    ['recent', texts.navigation.recent, { view: 'recent' }],
    ['all', texts.navigation.all, all, counts.unread],
    [
      'mention',
      texts.navigation.mentions,
      { view: 'messages', narrow: mentions },
      counts.mentioned,
    ],
    ['star', texts.navigation.starred, { view: 'messages', narrow: starred }],
    ['draft', texts.navigation.drafts, { view: 'drafts' }, drafts.all.value.length],
    ['clock', texts.navigation.scheduled, { view: 'scheduled' }],
  ];
  return (
    <ul>
      {views.map(([icon, name, place, count = 0]) => (
        <li key={placeKey(place)}>
          <PlaceLink
            app={app}
            place={place}
            mark={<Icon name={icon} />}
            name={name}
            count={count}
          />
        </li>
      ))}
    </ul>
  );
}
