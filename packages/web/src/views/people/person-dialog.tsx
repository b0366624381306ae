import { Fragment } from 'preact';
import type { ComponentChildren } from 'preact';

import type { App } from '../../data/app.ts';
import { privateNarrow } from '../../data/narrow.ts';
import type { State } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { namesOf } from '../parts/names.ts';
import { addressOfPerson, describeKind, describePresence } from './describe-person.ts';
import { addressIn, fieldTypes, idsIn, optionsOf, profileValueOf } from './profile-fields.ts';
import type { ProfileField } from './profile-fields.ts';
import { shownPerson } from './shown-person.ts';

const t = texts.people;

function localTime(timezone: string): string {
  if (timezone === '') return '';
  return new Date().toLocaleTimeString([], {
    timeZone: timezone,
    weekday: 'short',
    hour: 'numeric',
    minute: '2-digit',
  });
}

function profileContent(field: ProfileField, value: string, state: State): ComponentChildren {
  if (field.type === fieldTypes.people) return namesOf(state, idsIn(value));
  const address = addressIn(field, value, state);
  if (address !== undefined)
    return (
      <a href={address} target="_blank" rel="noreferrer">
        {value}
      </a>
    );
  return new Map(optionsOf(field)).get(value) ?? value;
}

/** Who the person is that `shownPerson` names, and the way to write to that person. */
export function PersonDialog({ app, app: { state } }: { readonly app: App }) {
  const id = shownPerson.value;
  const person = id === undefined ? undefined : state.people.value.get(id);
  if (person === undefined) return null;
  const { user_id, full_name } = person;
  const close = (): void => {
    shownPerson.value = undefined;
  };
  const write = (): void => {
    close();
    app.navigate({ view: 'messages', narrow: privateNarrow([user_id]) });
    app.composing.value = { type: 'private', userIds: [user_id] };
  };
  const facts: readonly (readonly [label: string, content: ComponentChildren])[] = [
    [t.address, addressOfPerson(person)],
    [t.localTime, localTime(person.timezone)],
    ...state.rest.value.custom_profile_fields.map((field) => {
      const value = profileValueOf(field.id, person);
      return [field.name, value && profileContent(field, value, state)] as const;
    }),
  ];
  return (
    <Dialog title={full_name} onClose={close}>
      <div class="person-card row">
        <Avatar person={person} size={64} />
        <div>
          <p>{describeKind(person, state)}</p>
          {person.isActive && !person.is_bot && <p>{describePresence(person, state)}</p>}
          <p>{state.statuses.value.get(user_id)?.status_text}</p>
        </div>
        <dl>
          {facts
            .filter(([, content]) => content !== '')
            .map(([label, content]) => (
              <Fragment key={label}>
                <dt>{label}</dt>
                <dd>{content}</dd>
              </Fragment>
            ))}
        </dl>
      </div>
      {person.isActive && (
        <button type="button" class="primary" onClick={write}>
          {t.message}
        </button>
      )}
    </Dialog>
  );
}
