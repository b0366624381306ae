import { useComputed, useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { conversationKey, privateNarrow } from '../../data/narrow.ts';
import { onlyPartnerOf, presenceOfPerson } from '../../data/people-names.ts';
import { texts } from '../../texts.ts';
import { PresenceDot } from '../parts/presence-dot.tsx';
import { PlaceLink } from './place-link.tsx';

const shownAtFirst = 8;
const shownMax = 100;

/** Private conversations, those with the newest messages first. */
export function PrivateConversations({ app }: { readonly app: App }) {
  const { state } = app;
  const showsAll = useSignal(false);
  const conversations = useComputed(() => {
    const unread = state.unreadConversations.value;
    const recent = state.recentPrivate.value;
    return recent.map((userIds) => {
      const conversation = { type: 'private', userIds } as const;
      const key = conversationKey(conversation);
      return { conversation, key, count: unread.get(key)?.ids.size ?? 0 };
    });
  });
  const all = conversations.value.slice(0, shownMax);
  const shown = showsAll.value
    ? all
    : all.filter(({ count }, index) => index < shownAtFirst || count > 0);
  return (
    <section aria-label={texts.navigation.private}>
      <h2>{texts.navigation.private}</h2>
      {all.length === 0 && <p class="hint">{texts.navigation.noPrivate}</p>}
      <ul>
        {shown.map(({ conversation, key, count }) => {
          const partner = onlyPartnerOf(conversation);
          const names = conversation.userIds.map(
            (id) => state.people.value.get(id)?.full_name ?? texts.compose.unknownPerson,
          );
          return (
            <li key={key}>
              <PlaceLink
                app={app}
                place={{
                  view: 'messages',
                  narrow: privateNarrow(conversation.userIds),
                  near: undefined,
                }}
                count={count}
              >
                {partner === undefined ? (
                  <span class="group-size" aria-hidden="true">
                    {names.length + 1}
                  </span>
                ) : (
                  <PresenceDot presence={presenceOfPerson(state, partner)} />
                )}
                <span class="name">{names.join(', ')}</span>
              </PlaceLink>
            </li>
          );
        })}
      </ul>
      {all.length > shownAtFirst && (
        <button
          type="button"
          class="plain more"
          aria-expanded={showsAll.value}
          onClick={() => {
            showsAll.value = !showsAll.value;
          }}
        >
          {showsAll.value ? texts.navigation.less : texts.navigation.more}
        </button>
      )}
    </section>
  );
}
