import '../../styles/people.css';
import { useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { privateNarrow } from '../../data/narrow.ts';
import { availabilityOf } from '../../data/presence.ts';
import type { Availability } from '../../data/presence.ts';
import type { Person } from '../../data/state.ts';
import { countUnreadIn } from '../../data/stream-groups.ts';
import { texts } from '../../texts.ts';
import { PlaceList } from '../navigation/place-list.tsx';
import { IconButton } from '../parts/icon-button.tsx';
import { PresenceDot } from '../parts/presence-dot.tsx';
import { nameFilter, SearchField } from '../parts/search-field.tsx';
import { shownPerson } from './shown-person.ts';

const t = texts.people;

/** Others are found by name. */
const shownMax = 150;

const ranks: Readonly<Record<Availability, number>> = { active: 0, idle: 1, away: 2, offline: 3 };

type PersonProps = { readonly app: App; readonly person: Person };

/** Apart from the list, which every unread message draws again: this is drawn again only for its person or a status. */
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
      rank: person.user_id === selfId ? -1 : ranks[availabilityOf(app.state, person.user_id)],
    }))
    .toSorted((one, other) => one.rank - other.rank);
  return (
    <div class="user-list">
      <SearchField label={t.find} text={filter} />
      {found.length === 0 && <p>{t.nobody}</p>}
      <PlaceList
        app={app}
        entries={found.slice(0, shownMax).map(({ person, person: { user_id, full_name } }) => ({
          place: { view: 'messages', narrow: privateNarrow([user_id]) },
          mark: <PresenceDot app={app} userId={user_id} />,
          name: full_name,
          count: countUnreadIn(app.state, { type: 'private', userIds: [user_id] }),
          beside: <AboutPerson app={app} person={person} />,
        }))}
      />
      {found.length > shownMax && <p>{t.more(found.length - shownMax)}</p>}
    </div>
  );
}
