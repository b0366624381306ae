import '../../styles/people.css';
import type { ComponentChildren } from 'preact';

import type { App } from '../../data/app.ts';
import { privateNarrow } from '../../data/narrow.ts';
import type { Person, Registered, State } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Dialog } from '../parts/dialog.tsx';
import {
  addressOfPerson,
  describeKind,
  describePresence,
  nameOfPerson,
  profileValueOf,
} from './describe-person.ts';
import { shownPerson } from './shown-person.ts';

const t = texts.people;

function localTime(timezone: string): string | undefined {
  if (timezone === '') return undefined;
  return new Date().toLocaleTimeString([], {
    timeZone: timezone,
    weekday: 'short',
    hour: 'numeric',
    minute: '2-digit',
  });
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

function profileContent(
  { type, field_data }: Registered['custom_profile_fields'][number],
  value: string,
  state: State,
): ComponentChildren {
  if (type === 3) {
    const options = JSON.parse(field_data) as Readonly<Record<string, { readonly text: string }>>;
    return options[value]?.text ?? value;
  }
  if (type === 6)
    return (JSON.parse(value) as readonly number[]).map((id) => nameOfPerson(id, state)).join(', ');
  if (type === 5 && isWebAddress(value))
    return (
      <a href={value} target="_blank" rel="noreferrer">
        {value}
      </a>
    );
  return value;
}

function facts(person: Person, state: State): readonly (readonly [string, ComponentChildren])[] {
  const time = localTime(person.timezone);
  return [
    [t.address, addressOfPerson(person)],
    ...(time === undefined ? [] : [[t.localTime, time] as const]),
    ...state.rest.value.custom_profile_fields.flatMap((field) => {
      const value = profileValueOf(field.id, person);
      return value === '' ? [] : [[field.name, profileContent(field, value, state)] as const];
    }),
  ];
}

function Card({ app, person }: { readonly app: App; readonly person: Person }) {
  const { user_id, full_name } = person;
  const status = app.state.statuses.value.get(user_id)?.status_text;
  const write = (): void => {
    shownPerson.value = undefined;
    app.navigate({ view: 'messages', narrow: privateNarrow([user_id]), near: undefined });
    app.composing.value = { type: 'private', userIds: [user_id] };
  };
  return (
    <Dialog
      title={full_name}
      onClose={() => {
        shownPerson.value = undefined;
      }}
    >
      <div class="person-card">
        <Avatar person={person} size={64} />
        <div>
          <p>{describeKind(person, app.state)}</p>
          {person.isActive && !person.is_bot && <p>{describePresence(person, app.state)}</p>}
          {status !== undefined && <p>{status}</p>}
        </div>
        <dl>
          {facts(person, app.state).map(([label, content]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{content}</dd>
            </div>
          ))}
        </dl>
        {person.isActive && (
          <p class="form-end">
            <button type="button" class="primary" onClick={write}>
              {t.message}
            </button>
          </p>
        )}
      </div>
    </Dialog>
  );
}

/** The card of the person that `shownPerson` names. */
export function PersonDialog({ app }: { readonly app: App }) {
  const id = shownPerson.value;
  const person = id === undefined ? undefined : app.state.people.value.get(id);
  return person === undefined ? null : <Card key={id} app={app} person={person} />;
}
