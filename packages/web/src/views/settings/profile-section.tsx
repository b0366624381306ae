import type { Person, Registered } from '../../data/state.ts';
import {
  changeOwnAccount,
  changeOwnStatus,
  removeOwnAvatar,
  setProfileValue,
  uploadOwnAvatar,
} from '../../data/settings-actions.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { Avatar } from '../parts/avatar.tsx';
import { profileValueOf } from '../people/describe-person.ts';
import type { Control, Field, FieldValue } from './fields.ts';
import { line, toggle } from './fields.ts';
import { SavedFields } from './form.tsx';
import { PictureField } from './picture-field.tsx';
import type { SectionProps } from './section.ts';

type ProfileField = Registered['custom_profile_fields'][number];

/** The options of a field that is a list of them: JSON text of objects by value. */
function optionsOf({ field_data }: ProfileField) {
  const options = JSON.parse(field_data) as Readonly<
    Record<string, { readonly text: string; readonly order: string }>
  >;
  return Object.entries(options)
    .toSorted(([, one], [, other]) => Number(one.order) - Number(other.order))
    .map(([value, { text }]) => ({ value, label: text }));
}

/** Lengths as the server has them for each type of field. */
function controlOf(field: ProfileField, people: readonly Person[]): Control {
  switch (field.type) {
    case 2:
      return { kind: 'area', maxLength: 500 };
    case 3:
      return { kind: 'choice', choices: [{ value: '', label: '' }, ...optionsOf(field)] };
    case 4:
      return { kind: 'line', type: 'date' };
    case 5:
      return { kind: 'line', type: 'url' };
    case 6:
      return { kind: 'people', people };
    default:
      return { kind: 'line', type: 'text', maxLength: 50 };
  }
}

function profileFieldOf(
  field: ProfileField,
  people: readonly Person[],
): Field<string, string | readonly number[]> {
  const { id, name, hint } = field;
  return {
    name: String(id),
    label: name,
    ...(hint === '' ? {} : { help: hint }),
    control: controlOf(field, people),
    initial: '',
  };
}

function ownValue(field: ProfileField, self: Person | undefined): FieldValue {
  const value = profileValueOf(field.id, self);
  return field.type === 6 ? (JSON.parse(value === '' ? '[]' : value) as number[]) : value;
}

const statusFields = [line('status_text', { maxLength: 60 }), toggle('away')];
const nameFields = [line('full_name', { required: true, maxLength: 100 })];

export function ProfileSection({ app }: SectionProps) {
  const { self, people, statuses, realm, rest, activePeople } = app.state;
  const { user_id, full_name, is_admin, avatar_source } = self.value;
  const person = people.value.get(user_id);
  const status = statuses.value.get(user_id);
  const { realm_name_changes_disabled, realm_avatar_changes_disabled } = realm.value;
  const fields = rest.value.custom_profile_fields;
  return (
    <>
      {person !== undefined && (is_admin || !realm_avatar_changes_disabled) && (
        <PictureField
          label={t.pictures.own}
          picture={<Avatar person={person} size={64} />}
          upload={async (file) => uploadOwnAvatar(app, { file })}
          remove={avatar_source === 'U' ? async () => removeOwnAvatar(app) : undefined}
        />
      )}
      {(is_admin || !realm_name_changes_disabled) && (
        <SavedFields
          fields={nameFields}
          values={{ full_name }}
          save={async (change) => changeOwnAccount(app, change)}
        />
      )}
      <SavedFields
        fields={statusFields}
        values={{ status_text: status?.status_text ?? '', away: status?.away ?? false }}
        save={async (change) => changeOwnStatus(app, change)}
      />
      <SavedFields
        fields={fields.map((field) => profileFieldOf(field, activePeople.value))}
        values={Object.fromEntries(fields.map((field) => [field.id, ownValue(field, person)]))}
        save={async (change) => {
          for (const [id, value] of Object.entries(change))
            await setProfileValue(app, Number(id), value ?? '');
        }}
      />
    </>
  );
}
