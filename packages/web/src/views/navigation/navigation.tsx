import { useComputed, useSignal, useSignalEffect } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { countUnread, listUnread } from '../../data/inbox.ts';
import {
  allMessages,
  isSameConversation,
  mentions,
  narrowOf,
  onlyPartnerOf,
  starred,
} from '../../data/narrow.ts';
import { conversationAt } from '../../data/place.ts';
import type { Place } from '../../data/place.ts';
import { countUnreadIn } from '../../data/stream-groups.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon.tsx';
import { lazy } from '../lazy.tsx';
import { namesOf } from '../parts/names.ts';
import { PresenceDot } from '../parts/presence-dot.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { PlaceList } from './place-list.tsx';
import { Streams } from './streams.tsx';

const t = texts.navigation;

const FoundPlaces = lazy(async () => (await import('./found-places.tsx')).FoundPlaces);

const privateAtFirst = 8;
const privateMax = 100;

/** Everywhere a person can go, with what is unread there; while a name is typed above, what it names. */
export function Navigation({ app }: { readonly app: App }) {
  const filter = useSignal('');
  useSignalEffect(() => {
    // Whoever chose a place has found it.
    if (app.place.value !== undefined) filter.value = '';
  });
  return (
    <nav class="navigation" aria-label={t.label}>
      <form
        class="place-filter"
        onSubmit={(event) => {
          event.preventDefault();
          if (filter.value.trim() === '') return;
          event.currentTarget.parentElement?.querySelector<HTMLElement>('.place')?.click();
        }}
      >
        <SearchField label={t.filter} text={filter} />
      </form>
      {filter.value.trim() === '' ? (
        <>
          <Views app={app} />
          <PrivateConversations app={app} />
          <Streams app={app} />
        </>
      ) : (
        <FoundPlaces app={app} text={filter.value} />
      )}
    </nav>
  );
}

function Views({ app: { state, drafts }, app }: { readonly app: App }) {
  const counts = useComputed(() => {
    let [unread, mentioned] = [0, 0];
    for (const { ids, mentionCount, isMuted } of state.unreadConversations.value.values()) {
      if (!isMuted) unread += ids.size;
      mentioned += mentionCount;
    }
    return { unread, mentioned, inbox: countUnread(listUnread(state)) };
  }).value;
  const views: readonly (readonly [IconName, string, Place, count?: number])[] = [
    ['recent', t.recent, { view: 'recent' }],
    ['inbox', t.inbox, { view: 'inbox' }, counts.inbox],
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
  const known = state.recentPrivate.value.slice(0, privateMax);
  const shown = conversationAt(app.place.value);
  const isListed = known.some((userIds) => isSameConversation(shown, { type: 'private', userIds }));
  const all = shown?.type === 'private' && !isListed ? [shown.userIds, ...known] : known;
  const entries = all.map((userIds) => {
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
