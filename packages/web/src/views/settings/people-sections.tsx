/** Sections about accounts and groups. */
import type { App } from '../../data/app.ts';
import {
  changeGroup,
  changeGroupMembers,
  changePerson,
  createGroup,
  createPerson,
  deactivatePerson,
  deleteGroup,
  reactivatePerson,
} from '../../data/people-actions.ts';
import type { Person, UserGroup } from '../../data/state.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { Avatar } from '../parts/avatar.tsx';
import { addressOfPerson, describeKind, roleOf } from '../people/describe-person.ts';
import { removal } from './action-button.tsx';
import { area, line, listed, peopleChoices, several } from './fields.ts';
import { SavedFields } from './form.tsx';
import { ListSection } from './list-section.tsx';
import type { Row } from './rows.tsx';
import type { SectionProps } from './section.ts';

const roles = {
  administrator: { is_admin: true, is_guest: false },
  member: { is_admin: false, is_guest: false },
  guest: { is_admin: false, is_guest: true },
};

const nameField = line('full_name', { required: true, maxLength: 100 });
const personFields = [nameField, listed('role')];
const newPersonFields = [
  nameField,
  line('email', { type: 'email', required: true }),
  line('password', { type: 'password', required: true, autoComplete: 'new-password' }),
];

function personRow(app: App, person: Person): Row {
  const { user_id, full_name, isActive } = person;
  const values = { full_name, role: roleOf(person) };
  const editor = () => (
    <SavedFields
      fields={personFields}
      values={values}
      save={async ({ role, ...change }) =>
        changePerson(app, { user_id, ...change, ...(role && roles[role]) })
      }
    />
  );
  return {
    key: user_id,
    picture: <Avatar person={person} size={32} />,
    title: full_name,
    detail: `${describeKind(person, app.state)} · ${addressOfPerson(person)}`,
    ...(isActive && { edit: editor }),
    actions: [
      isActive
        ? {
            label: t.deactivate,
            run: async () => deactivatePerson(app, { user_id }),
            warning: t.warnings.deactivatePerson,
          }
        : { label: t.reactivate, run: async () => reactivatePerson(app, { user_id }) },
    ],
  };
}

export function PeopleSection({ app }: SectionProps) {
  const everybody = [...app.state.people.value.values()]
    .filter(({ is_bot }) => !is_bot)
    .toSorted(
      (one, other) =>
        Number(other.isActive) - Number(one.isActive) ||
        one.full_name.localeCompare(other.full_name),
    );
  return (
    <ListSection
      name="people"
      rows={everybody.map((person) => personRow(app, person))}
      fields={newPersonFields}
      add={async (person) => createPerson(app, person)}
    />
  );
}

function groupFields(app: App) {
  return [
    line('name', { required: true, maxLength: 100 }),
    area('description', 1024),
    several('members', peopleChoices(app.state.activePeople.value)),
  ];
}

function GroupEditor({ app, group }: { readonly app: App; readonly group: UserGroup }) {
  const { id: group_id, name, description } = group;
  // Deactivated people stay members.
  const active = new Set(app.state.activePeople.value.map(({ user_id }) => user_id));
  const before = active.intersection(new Set(group.members));
  return (
    <SavedFields
      fields={groupFields(app)}
      values={{ name, description, members: [...before] }}
      save={async ({ members, ...change }) => {
        if (members === undefined) return changeGroup(app, { group_id, ...change });
        const after = new Set(members);
        return changeGroupMembers(app, {
          group_id,
          add: [...after.difference(before)],
          delete: [...before.difference(after)],
        });
      }}
    />
  );
}

export function GroupsSection({ app }: SectionProps) {
  const { self, realm } = app.state;
  const { is_admin, is_guest } = self.value;
  const mayChange = is_admin || (!is_guest && realm.value.realm_user_group_edit_policy === 1);
  return (
    <ListSection
      name="groups"
      rows={realm.value.realm_user_groups.map((group) => ({
        key: group.id,
        title: group.name,
        detail: `${t.memberCount(group.members.length)} · ${group.description}`,
        ...(mayChange && {
          edit: () => <GroupEditor app={app} group={group} />,
          actions: [
            removal(async () => deleteGroup(app, { group_id: group.id }), t.warnings.removeGroup),
          ],
        }),
      }))}
      fields={groupFields(app)}
      add={async (group) => createGroup(app, group)}
      mayAdd={mayChange}
    />
  );
}
