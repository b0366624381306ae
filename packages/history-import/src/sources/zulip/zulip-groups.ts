/** User groups of the reference server's export, in which releases from 5 on also keep roles and the settings of who may do what. */
import { limits } from '@parley/api';

import type { Ledger } from '../../ledger.ts';
import { UniqueNames, cleanName, cutTo } from '../../reading/names.ts';
import type { GroupRecord } from '../../records.ts';
import type { ZulipPeople } from './zulip-people.ts';
import { eachRow } from './zulip-tables.ts';
import type { PlacedRow, RealmTables } from './zulip-tables.ts';

const groupsTable = 'zerver_usergroup';
const namedTable = 'zerver_namedusergroup';
const membersTable = 'zerver_usergroupmembership';
const subgroupsTable = 'zerver_groupgroupmembership';

const idOf = ({ row }: PlacedRow): number | undefined =>
  row.findInteger('usergroup_ptr') ?? row.findInteger('id');

/** From release 9 on names are in a table of their own; groups without one are settings of who may do something. */
function namedRows({ rows }: RealmTables): {
  readonly table: typeof groupsTable | typeof namedTable;
  readonly named: readonly PlacedRow[];
} {
  return rows[namedTable].length > 0
    ? { table: namedTable, named: rows[namedTable] }
    : { table: groupsTable, named: rows[groupsTable] };
}

/** The roles that groups of the old server itself stand for. */
const rolePattern = /^@?role:(\w+)$/;

/** @returns the role that a group stands for, such as `administrators`, by the group's id */
export function roleGroups(tables: RealmTables): ReadonlyMap<number, string> {
  return new Map(
    namedRows(tables).named.flatMap((placed) => {
      const id = idOf(placed);
      const role = rolePattern.exec(placed.row.findText('name') ?? '')?.[1];
      const isSystem = placed.row.isTrue('is_system_group');
      return id === undefined || role === undefined || !isSystem ? [] : [[id, role] as const];
    }),
  );
}

/** @returns the people of each group, without those of the groups in it */
function readMembers(
  { rows }: RealmTables,
  people: ZulipPeople,
  roles: ReadonlyMap<number, string>,
  ledger: Ledger,
): Map<number, Set<number>> {
  const members = new Map<number, Set<number>>();
  eachRow(membersTable, rows[membersTable], ledger, ({ row, place }) => {
    const person = people.indexOf(row.integer('user_profile'));
    if (person === undefined)
      return ledger.skipped(membersTable, 'its person is not in the archive', place);
    const group = row.integer('user_group');
    members.set(group, (members.get(group) ?? new Set()).add(person));
    return roles.has(group)
      ? ledger.merged(membersTable, 'the person has the role', place)
      : ledger.imported(membersTable);
  });
  return members;
}

function readSubgroups({ rows }: RealmTables, ledger: Ledger): Map<number, number[]> {
  const subgroups = new Map<number, number[]>();
  eachRow(subgroupsTable, rows[subgroupsTable], ledger, ({ row }) => {
    const group = row.integer('supergroup');
    subgroups.set(group, [...(subgroups.get(group) ?? []), row.integer('subgroup')]);
    ledger.imported(subgroupsTable);
  });
  return subgroups;
}

/** @returns a group and all groups in it, which may be in one another by a fault of the archive */
function withSubgroups(group: number, subgroups: ReadonlyMap<number, readonly number[]>): number[] {
  const found = new Set([group]);
  for (const each of found) for (const inner of subgroups.get(each) ?? []) found.add(inner);
  return [...found];
}

/** Groups have no groups in them here, so people of those are members. */
export function readZulipGroups(
  tables: RealmTables,
  people: ZulipPeople,
  ledger: Ledger,
): GroupRecord[] {
  const { table, named } = namedRows(tables);
  const roles = roleGroups(tables);
  const members = readMembers(tables, people, roles, ledger);
  const subgroups = readSubgroups(tables, ledger);
  const names = new UniqueNames(limits.groupNameMaxCodePoints);
  const groups: GroupRecord[] = [];
  eachRow(table, named, ledger, (placed) => {
    const { row, place } = placed;
    const id = idOf(placed) ?? -1;
    if (row.isTrue('is_system_group')) return ledger.skipped(table, 'it stands for a role', place);
    if (row.isTrue('deactivated')) return ledger.skipped(table, 'it is deactivated', place);
    const listed = row.integers('members').flatMap((oldId) => people.indexOf(oldId) ?? []);
    const written = row.text('name');
    const plain = cleanName(written, limits.groupNameMaxCodePoints);
    if (plain === '') return ledger.skipped(table, 'it has no name', place);
    const name = names.take(plain);
    ledger.named('user group', written, name);
    const inner = withSubgroups(id, subgroups).flatMap((group) => [...(members.get(group) ?? [])]);
    groups.push({
      place,
      name,
      description: cutTo(row.findText('description') ?? '', limits.groupDescriptionMaxCodePoints),
      members: [...new Set([...listed, ...inner])],
    });
    return ledger.imported(table);
  });
  if (table === namedTable) {
    const ids = new Set(named.map(idOf));
    for (const placed of tables.rows[groupsTable])
      if (ids.has(idOf(placed)))
        ledger.merged(groupsTable, 'its name is in another table', placed.place);
      else ledger.skipped(groupsTable, 'it is who may do something', placed.place);
  }
  return groups;
}
