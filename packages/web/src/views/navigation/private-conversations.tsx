import { useComputed, useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { conversationKey, narrowOf } from '../../data/narrow.ts';
import { onlyPartnerOf, presenceOfPerson } from '../../data/people-names.ts';
import { texts } from '../../texts.ts';
import { namesOf } from '../parts/names.ts';
import { PresenceDot } from '../parts/presence-dot.tsx';
import { PlaceLink } from './place-link.tsx';

const shownAtFirst = 8;
const shownMax = 100;

/** Private conversations, those with the newest messages first. */
export function PrivateConversations({ app }: { readonly app: App }) {
  const { state } = app;
  const showsAll = useSignal(false);
  const all = useComputed(() => {
    const unread = state.unreadConversations.value;
    return state.recentPrivate.value.slice(0, shownMax).map((userIds) => {
      const conversation = { type: 'private', userIds } as const;
      const key = conversationKey(conversation);
      return { conversation, key, count: unread.get(key)?.ids.size ?? 0 };
    });
  }).value;
  const shown = all.filter(
    ({ count }, index) => showsAll.value || index < shownAtFirst || count > 0,
  );
  return (
    <section aria-label={texts.navigation.private}>
      <h2>{texts.navigation.private}</h2>
      {all.length === 0 && <p class="hint">{texts.navigation.noPrivate}</p>}
      <ul>
        {shown.map(({ conversation, key, count }) => {
          const partner = onlyPartnerOf(conversation);
          return (
            <li key={key}>
              <PlaceLink
                app={app}
                place={{ view: 'messages', narrow: narrowOf(conversation) }}
                mark={
                  partner === undefined ? (
                    <span class="group-size" aria-hidden="true">
                      {conversation.userIds.length + 1}
                    </span>
                  ) : (
                    <PresenceDot presence={presenceOfPerson(state, partner)} />
                  )
                }
                name={namesOf(state, conversation.userIds)}
                count={count}
              />
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
