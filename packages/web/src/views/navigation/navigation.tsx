import { useComputed } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { allMessages, mentions, narrowKey, starred } from '../../data/narrow.ts';
import type { Narrow } from '../../data/narrow.ts';
import type { Place } from '../../data/place.ts';
import { countUnreadByStream } from '../../data/stream-groups.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon.tsx';
import { PlaceLink } from './place-link.tsx';
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

function messagesPlace(narrow: Narrow): Place {
  return { view: 'messages', narrow, near: undefined };
}

function Views({ app }: { readonly app: App }) {
  const { state, drafts } = app;
  const unreadCount = useComputed(() => {
    let count = 0;
    for (const each of countUnreadByStream(state).values()) count += each;
    for (const { conversation, ids } of state.unreadConversations.value.values())
      if (conversation.type === 'private') count += ids.size;
    return count;
  });
  const mentionCount = useComputed(() => {
    let count = 0;
    for (const each of state.unreadConversations.value.values()) count += each.mentionCount;
    return count;
  });
  const views: readonly { place: Place; icon: IconName; label: string; count?: number }[] = [
    { place: { view: 'recent' }, icon: 'recent', label: texts.navigation.recent },
    {
      place: messagesPlace(allMessages),
      icon: 'all',
      label: texts.navigation.all,
      count: unreadCount.value,
    },
    {
      place: messagesPlace(mentions),
      icon: 'mention',
      label: texts.navigation.mentions,
      count: mentionCount.value,
    },
    { place: messagesPlace(starred), icon: 'star', label: texts.navigation.starred },
    {
      place: { view: 'drafts' },
      icon: 'draft',
      label: texts.navigation.drafts,
      count: drafts.all.value.length,
    },
    { place: { view: 'scheduled' }, icon: 'clock', label: texts.navigation.scheduled },
  ];
  return (
    <ul>
      {views.map(({ place, icon, label, count }) => (
        <li key={place.view === 'messages' ? narrowKey(place.narrow) : place.view}>
          <PlaceLink app={app} place={place} count={count ?? 0}>
            <Icon name={icon} />
            <span class="name">{label}</span>
          </PlaceLink>
        </li>
      ))}
    </ul>
  );
}
