/** Sections about accounts and groups. */
import type { App } from '../../data/app.ts';
import { isPermitted } from '../../data/policies.ts';
import type { Person, UserGroup } from '../../data/state.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { Avatar } from '../parts/avatar.tsx';
import {
  addressOfPerson,
  describeKind,
  describePresence,
  roleOf,
} from '../people/describe-person.ts';
import { ActionButton, reactivation, removal } from './action-button.tsx';
import {
  area,
  differenceOf,
  line,
  listed,
  nameField,
  newPasswordField,
  peopleChoices,
  several,
} from './fields.ts';
import { SavedFields } from './form.tsx';
import type { Row } from './rows.tsx';
import { ListSection } from './rows.tsx';
import type { SectionProps } from './section.ts';

const personFields = [nameField, listed('role')];
const newPersonFields = [
  nameField,
  line('email', { type: 'email', required: true }),
  newPasswordField,
];

/** Drawn for those who are shown: when everybody was seen takes long to write. */
function PersonDetail({ app: { state }, person }: { readonly app: App; readonly person: Person }) {
  return [
    describeKind(person, state),
    addressOfPerson(person),
    person.isActive && describePresence(person, state),
  ]
    .filter(Boolean)
    .join(' · ');
}

function personRow(app: App, person: Person): Row {
  const { user_id, full_name, isActive } = person;
  const email = addressOfPerson(person);
  const editor = () => (
    <>
      <SavedFields
        fields={personFields}
        values={{ full_name, role: roleOf(person) }}
        save={({ role, ...change }) =>
          app.request('PATCH /users/{user_id}', {
            user_id,
            ...change,
            ...(role && { is_admin: role === 'administrator', is_guest: role === 'guest' }),
          })
        }
      />
      <ActionButton
        label={t.resetPassword.label}
        about={full_name}
        run={() => app.request('POST /password_reset', { email })}
        doneText={t.resetPassword.done(email)}
      />
    </>
  );
  return {
    key: user_id,
    picture: <Avatar person={person} size={32} />,
    title: full_name,
    detail: <PersonDetail app={app} person={person} />,
    edit: isActive && editor,
    actions: [
      isActive && {
        label: t.deactivate,
        run: () => app.request('DELETE /users/{user_id}', { user_id }),
        warning: t.warnings.deactivatePerson,
      },
      !isActive && reactivation(app, user_id),
    ],
  };
}

function groupFields(app: App) {
  return [
    line('name', { required: true, maxLength: 100 }),
    area('description', 1024),
    several('members', peopleChoices(app.state.activePeople.value)),
  ];
}

function groupRow(app: App, group: UserGroup, mayChange: boolean): Row {
  const { id: group_id, name, description, members } = group;
  // Deactivated people stay members.
  const active = new Set(app.state.activePeople.value.map(({ user_id }) => user_id));
  const before = new Set(members).intersection(active);
  const changeMembers = (chosen: readonly number[]) => {
    const { add, remove } = differenceOf(before, chosen);
    return app.request('POST /user_groups/{group_id}/members', { group_id, add, delete: remove });
  };
  const editor = () => (
    <SavedFields
      fields={groupFields(app)}
      values={{ name, description, members: [...before] }}
      save={async (change) =>
        change.members === undefined
          ? app.request('PATCH /user_groups/{group_id}', { group_id, ...change })
          : changeMembers(change.members)
      }
    />
  );
  const remove = () => app.request('DELETE /user_groups/{group_id}', { group_id });
  return {
    key: group_id,
    title: name,
    detail: `${t.memberCount(members.length)} · ${description}`,
    edit: mayChange && editor,
    actions: [mayChange && removal(remove, t.warnings.removeGroup)],
  };
}

export function PeopleSection({ app }: SectionProps) {
  return (
    <ListSection
      name="people"
      rows={[...app.state.people.value.values()]
        .filter(({ is_bot }) => !is_bot)
        .toSorted(
          (one, other) =>
            Number(other.isActive) - Number(one.isActive) ||
            one.full_name.localeCompare(other.full_name),
        )
        .map((person) => personRow(app, person))}
      fields={newPersonFields}
      add={(person) => app.request('POST /users', person)}
    />
  );
}

export function GroupsSection({ app }: SectionProps) {
  const { realm_user_groups, realm_user_group_edit_policy } = app.state.realm.value;
  const mayChange = isPermitted(app.state, realm_user_group_edit_policy);
  return (
    <ListSection
      name="groups"
      rows={realm_user_groups.map((group) => groupRow(app, group, mayChange))}
      fields={groupFields(app)}
      add={(group) => app.request('POST /user_groups/create', group)}
      mayAdd={mayChange}
    />
  );
}
