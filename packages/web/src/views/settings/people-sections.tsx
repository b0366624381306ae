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
import { texts } from '../../texts.ts';
import { Avatar } from '../parts/avatar.tsx';
import { addressOfPerson, describeKind, roleOf } from '../people/describe-person.ts';
import { ActionButton } from './action-button.tsx';
import { Disclosure } from './disclosure.tsx';
import { area, choice, line, people } from './fields.ts';
import { SavedFields } from './form.tsx';
import { ListSection } from './list-section.tsx';
import type { SectionProps } from './section.ts';

const roles = {
  administrator: { is_admin: true, is_guest: false },
  member: { is_admin: false, is_guest: false },
  guest: { is_admin: false, is_guest: true },
};

const personFields = [
  line('full_name', { required: true, maxLength: 100 }),
  choice<'role', keyof typeof roles>('role', [
    { value: 'member', label: texts.people.member },
    { value: 'administrator', label: texts.people.administrator },
    { value: 'guest', label: texts.people.guest },
  ]),
];

const newPersonFields = [
  line('full_name', { required: true, maxLength: 100 }),
  line('email', { type: 'email', required: true }),
  line('password', { type: 'password', required: true, autoComplete: 'new-password' }),
];

function PersonEditor({ app, person }: { readonly app: App; readonly person: Person }) {
  const { user_id, full_name } = person;
  return (
    <>
      <SavedFields
        fields={personFields}
        values={{ full_name, role: roleOf(person) }}
        save={async ({ role, ...change }) =>
          changePerson(app, { user_id, ...change, ...(role === undefined ? {} : roles[role]) })
        }
      />
      <ActionButton
        label={t.deactivate}
        about={full_name}
        warning={t.warnings.deactivatePerson}
        run={async () => deactivatePerson(app, { user_id })}
      />
    </>
  );
}

function personActions(app: App, person: Person) {
  const { user_id, full_name, isActive } = person;
  return isActive ? (
    <Disclosure
      label={t.edit}
      about={full_name}
      content={() => <PersonEditor app={app} person={person} />}
    />
  ) : (
    <ActionButton
      label={t.reactivate}
      about={full_name}
      run={async () => reactivatePerson(app, { user_id })}
    />
  );
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
      rows={everybody.map((person) => ({
        key: person.user_id,
        picture: <Avatar person={person} size={32} />,
        title: person.full_name,
        detail: `${describeKind(person, app.state)} · ${addressOfPerson(person)}`,
        actions: personActions(app, person),
      }))}
      fields={newPersonFields}
      add={async (person) => createPerson(app, person)}
    />
  );
}

function groupFields(everybody: readonly Person[]) {
  return [
    line('name', { required: true, maxLength: 100 }),
    area('description', 1024),
    people('members', everybody),
  ];
}

function GroupEditor({ app, group }: { readonly app: App; readonly group: UserGroup }) {
  const group_id = group.id;
  const changeMembers = async (members: readonly number[]): Promise<void> => {
    const [before, after] = [new Set(group.members), new Set(members)];
    await changeGroupMembers(app, {
      group_id,
      add: [...after.difference(before)],
      delete: [...before.difference(after)],
    });
  };
  return (
    <>
      <SavedFields
        fields={groupFields(app.state.activePeople.value)}
        values={group}
        save={async ({ members, ...change }) =>
          members === undefined ? changeGroup(app, { group_id, ...change }) : changeMembers(members)
        }
      />
      <ActionButton
        label={t.remove}
        about={group.name}
        warning={t.warnings.removeGroup}
        run={async () => deleteGroup(app, { group_id })}
      />
    </>
  );
}

export function GroupsSection({ app }: SectionProps) {
  const { self, realm, activePeople } = app.state;
  const mayChange =
    self.value.is_admin || (!self.value.is_guest && realm.value.realm_user_group_edit_policy === 1);
  return (
    <ListSection
      name="groups"
      rows={realm.value.realm_user_groups.map((group) => ({
        key: group.id,
        title: group.name,
        detail: `${t.memberCount(group.members.length)} · ${group.description}`,
        actions: mayChange && (
          <Disclosure
            label={t.edit}
            about={group.name}
            content={() => <GroupEditor app={app} group={group} />}
          />
        ),
      }))}
      fields={groupFields(activePeople.value)}
      add={mayChange ? async (group) => createGroup(app, group) : undefined}
    />
  );
}
