import '../../styles/people.css';
import { useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { privateNarrow } from '../../data/narrow.ts';
import type { Person } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { PresenceDot } from '../parts/presence-dot.tsx';
import { nameFilter, SearchField } from '../parts/search-field.tsx';
import { availabilityOf } from './describe-person.ts';
import type { Availability } from './describe-person.ts';
import { shownPerson } from './shown-person.ts';

const t = texts.people;

/** Others are found by name. */
const shownMax = 150;

const ranks: Readonly<Record<Availability, number>> = { active: 0, idle: 1, away: 2, offline: 3 };

function PersonEntry({
  app,
  person: { user_id, full_name },
  availability,
}: {
  readonly app: App;
  readonly person: Person;
  readonly availability: Availability;
}) {
  const status = app.state.statuses.value.get(user_id)?.status_text;
  return (
    <li>
      <a
        href={app.addressOf({
          view: 'messages',
          narrow: privateNarrow([user_id]),
          near: undefined,
        })}
      >
        <PresenceDot presence={availability === 'away' ? 'offline' : availability} />
        <span class="user-list-name">{full_name}</span>
        {status !== undefined && <small>{status}</small>}
      </a>
      <button
        type="button"
        class="plain"
        aria-label={t.about(full_name)}
        onClick={() => {
          shownPerson.value = user_id;
        }}
      >
        <Icon name="more" />
      </button>
    </li>
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
      <ul>
        {found.slice(0, shownMax).map(({ person, availability }) => (
          <PersonEntry key={person.user_id} app={app} person={person} availability={availability} />
        ))}
      </ul>
      {found.length > shownMax && <p>{t.more(found.length - shownMax)}</p>}
    </div>
  );
}
