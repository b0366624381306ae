import '../../styles/people.css';
import { useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { conversationKey, privateNarrow } from '../../data/narrow.ts';
import type { Person } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { PlaceList } from '../navigation/place-list.tsx';
import { IconButton } from '../parts/icon-button.tsx';
import { PresenceDot } from '../parts/presence-dot.tsx';
import { nameFilter, SearchField } from '../parts/search-field.tsx';
import { availabilityOf } from './describe-person.ts';
import type { Availability } from './describe-person.ts';
import { shownPerson } from './shown-person.ts';

const t = texts.people;

/** Others are found by name. */
const shownMax = 150;

const ranks: Readonly<Record<Availability, number>> = { active: 0, idle: 1, away: 2, offline: 3 };

type PersonProps = { readonly app: App; readonly person: Person };

function countUnreadFrom({ state }: App, { user_id }: Person): number {
  const key = conversationKey({ type: 'private', userIds: [user_id] });
  return state.unreadConversations.value.get(key)?.ids.size ?? 0;
}

function AboutPerson({ app, person: { user_id, full_name } }: PersonProps) {
  return (
    <>
      <IconButton
        icon="more"
        label={t.about(full_name)}
        onClick={() => (shownPerson.value = user_id)}
      />
      <small class="line">{app.state.statuses.value.get(user_id)?.status_text}</small>
    </>
  );
}

/** Everybody: the reader first, then who is here, who is idle, who is away, and the others, each by name. */
export function UserList({ app }: { readonly app: App }) {
  const filter = useSignal('');
  const selfId = app.state.self.value.user_id;
  const isWanted = nameFilter(filter.value);
  const found = app.state.activePeople.value
    .filter(({ full_name }) => isWanted(full_name))
    .map((person) => ({
      person,
      availability: availabilityOf(person, app.state),
      isOther: Number(person.user_id !== selfId),
    }))
    .toSorted(
      (one, other) =>
        one.isOther - other.isOther || ranks[one.availability] - ranks[other.availability],
    );
  return (
    <div class="user-list">
      <SearchField label={t.find} text={filter} />
      {found.length === 0 && <p>{t.nobody}</p>}
      <PlaceList
        app={app}
        entries={found.slice(0, shownMax).map(({ person, availability }) => ({
          place: { view: 'messages', narrow: privateNarrow([person.user_id]) },
          mark: <PresenceDot presence={availability === 'away' ? 'offline' : availability} />,
          name: person.full_name,
          count: countUnreadFrom(app, person),
          below: <AboutPerson app={app} person={person} />,
        }))}
      />
      {found.length > shownMax && <p>{t.more(found.length - shownMax)}</p>}
    </div>
  );
}
