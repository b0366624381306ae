import type { App } from '../../data/app.ts';
import type { Person } from '../../data/state.ts';
import { Avatar } from '../parts/avatar.tsx';
import { fieldTypes, idsIn, optionsOf, profileValueOf } from '../people/profile-fields.ts';
import type { ProfileField } from '../people/profile-fields.ts';
import type { Field } from './fields.ts';
import { nameField, peopleChoices } from './fields.ts';
import { PictureField, SavedFields } from './form.tsx';
import type { SectionProps } from './section.ts';

/** What a field is filled in with; lengths as the server has them for each type. */
function controlOf(
  field: ProfileField,
  people: readonly Person[],
): Pick<Field, 'kind' | 'attributes' | 'choices'> {
  switch (field.type) {
    case fieldTypes.longText:
      return { kind: 'textarea', attributes: { maxLength: 500 } };
    case fieldTypes.choice:
      return { kind: 'select', choices: [['', ''], ...optionsOf(field)] };
    case fieldTypes.date:
      return { kind: 'input', attributes: { type: 'date' } };
    case fieldTypes.link:
      return { kind: 'input', attributes: { type: 'url', maxLength: 2000 } };
    case fieldTypes.people:
      return { kind: 'picker', choices: peopleChoices(people) };
    default:
      return { kind: 'input', attributes: { maxLength: 50 } };
  }
}

/** @param value as the server has it */
function profileFieldOf(
  field: ProfileField,
  value: string,
  people: readonly Person[],
): Field<string, string | readonly number[]> {
  const { id, type, name, hint } = field;
  return {
    name: String(id),
    label: name,
    help: hint === '' ? undefined : hint,
    initial: type === fieldTypes.people ? idsIn(value) : value,
    ...controlOf(field, people),
  };
}

/** An empty value takes a field out of the profile. */
async function saveProfile(
  app: App,
  change: Readonly<Record<string, string | readonly number[] | undefined>>,
): Promise<void> {
  for (const [name, value = ''] of Object.entries(change)) {
    const id = Number(name);
    await (value.length === 0
      ? app.request('DELETE /users/me/profile_data', { data: [id] })
      : app.request('PATCH /users/me/profile_data', { data: [{ id, value }] }));
  }
}

export function ProfileSection({ app }: SectionProps) {
  const { self, people, realm, rest, activePeople } = app.state;
  const { user_id, full_name, is_admin, avatar_source } = self.value;
  const { realm_name_changes_disabled, realm_avatar_changes_disabled } = realm.value;
  const person = people.value.get(user_id);
  return (
    <>
      {(is_admin || !realm_avatar_changes_disabled) && (
        <PictureField
          name="picture"
          picture={<Avatar person={self.value} size={64} />}
          upload={(file) => app.request('POST /users/me/avatar', { file })}
          remove={avatar_source === 'U' && (() => app.request('DELETE /users/me/avatar'))}
        />
      )}
      {(is_admin || !realm_name_changes_disabled) && (
        <SavedFields
          fields={[nameField]}
          values={{ full_name }}
          save={(change) => app.request('PATCH /settings', change)}
        />
      )}
      <SavedFields
        fields={rest.value.custom_profile_fields.map((field) =>
          profileFieldOf(field, profileValueOf(field.id, person), activePeople.value),
        )}
        save={async (change) => saveProfile(app, change)}
      />
    </>
  );
}
