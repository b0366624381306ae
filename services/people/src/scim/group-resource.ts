/** User groups as resources of SCIM (RFC 7643, 4.2; decision 0052). */
import { limits } from '@parley/api';
import { scimRefusal } from '@parley/api/scim';
import type { ProvisionedGroup, MembersChange } from '@parley/people';
import { attributeName, invalidFilter, membersOf, schemas } from '@parley/api/scim-language';
import type { Filter, PatchOperation } from '@parley/api/scim-language';
import type { ScimGroup, ScimMember } from '@parley/store/scim';

import type { ScimResource } from './answers.ts';
import { externalIdOf } from './user-resource.ts';

/**
 * @param members undefined if the client does not want them
 * @param base the address of SCIM at this server
 */
export function groupResource(
  { id, name, externalId }: ScimGroup,
  members: readonly ScimMember[] | undefined,
  base: string,
): ScimResource {
  return {
    schemas: [schemas.group],
    id: String(id),
    ...(externalId !== null && { externalId }),
    displayName: name,
    ...(members !== undefined && {
      members: members.map((member) => ({
        value: String(member.id),
        $ref: `${base}/Users/${member.id}`,
        display: member.fullName,
        type: 'User',
      })),
    }),
    meta: { resourceType: 'Group', location: `${base}/Groups/${id}` },
  };
}

const userId = /^[1-9]\d{0,9}$/;

/** The largest possible id. */
const idMax = 2_147_483_647;

/** @returns undefined for a text that is no id */
function idOf(value: unknown): number | undefined {
  const id = typeof value === 'string' && userId.test(value) ? Number(value) : 0;
  return id > 0 && id <= idMax ? id : undefined;
}

/** The ids in the members of one request, counted. */
class MemberReader {
  #left: number = limits.scimMembersMax;

  /** @throws ApiError `invalidValue` for what is no list of members, and for too many */
  read(value: unknown): number[] {
    const list: unknown[] = Array.isArray(value) ? value : [value];
    this.#left -= list.length;
    if (this.#left < 0)
      throw scimRefusal(
        400,
        `A request may name at most ${limits.scimMembersMax} members.`,
        'tooMany',
      );
    return list.map((given) => {
      const members = membersOf(given);
      const type = members?.get('type') ?? 'User';
      if (typeof type !== 'string' || type.toLowerCase() !== 'user')
        throw scimRefusal(400, 'Members are Users: groups are not nested.', 'invalidValue');
      const id = idOf(members?.get('value'));
      if (id === undefined)
        throw scimRefusal(400, 'A member is not named by the id of a User.', 'invalidValue');
      return id;
    });
  }
}

function nameOf(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw scimRefusal(400, 'displayName is not a text with content.', 'invalidValue');
  return value;
}

/**
 * Reads the body of a POST or PUT.
 *
 * @throws ApiError `invalidSyntax`, `invalidValue`, `tooMany`
 */
export function readGroup(body: unknown): ProvisionedGroup & { readonly name: string } {
  const given = membersOf(body);
  if (given === undefined) throw scimRefusal(400, 'The body is no object.', 'invalidSyntax');
  const members = given.get('members') ?? undefined;
  const externalId = given.get('externalid');
  return {
    name: nameOf(given.get('displayname')),
    externalId: externalId === undefined ? undefined : externalIdOf(externalId),
    members:
      members === undefined
        ? undefined
        : {
            isReplaced: true,
            added: new Set(new MemberReader().read(members)),
            removed: new Set(),
          },
  };
}

/** @throws ApiError `invalidFilter` for members that are named otherwise than by their value */
function namedBy(filter: Filter): number[] {
  if (filter.kind === 'or') return filter.parts.flatMap(namedBy);
  const isNamed =
    filter.kind === 'comparison' && filter.attribute === 'value' && filter.operator === 'eq';
  if (!isNamed) throw invalidFilter('Members are chosen by their value alone.');
  const id = idOf(filter.value);
  return id === undefined ? [] : [id];
}

/** What operations say so far, without knowing who is in the group. */
class Wish {
  name: string | undefined;
  externalId: string | null | undefined;
  readonly #added = new Set<number>();
  readonly #removed = new Set<number>();
  #isReplaced = false;

  add(id: number): void {
    this.#removed.delete(id);
    this.#added.add(id);
  }

  remove(id: number): void {
    this.#added.delete(id);
    this.#removed.add(id);
  }

  removeAll(): void {
    this.#isReplaced = true;
    this.#added.clear();
    this.#removed.clear();
  }

  get members(): MembersChange {
    return { isReplaced: this.#isReplaced, added: this.#added, removed: this.#removed };
  }
}

function setMembers(wish: Wish, reader: MemberReader, operation: PatchOperation): void {
  const { op, path, value } = operation;
  if (path?.filter !== undefined) {
    if (op !== 'remove')
      throw scimRefusal(400, 'Chosen members can only be removed.', 'mutability');
    for (const id of namedBy(path.filter)) wish.remove(id);
  } else if (op === 'remove') {
    if (value === undefined || value === null) wish.removeAll();
    else for (const id of reader.read(value)) wish.remove(id);
  } else {
    if (op === 'replace') wish.removeAll();
    for (const id of reader.read(value ?? [])) wish.add(id);
  }
}

function apply(wish: Wish, reader: MemberReader, operation: PatchOperation): void {
  const { op, path, value } = operation;
  if (path === undefined) {
    for (const [name, member] of membersOf(value) ?? []) {
      const attributePath = { attribute: attributeName(name), filter: undefined };
      apply(wish, reader, { op, path: attributePath, value: member });
    }
  } else if (path.attribute === 'members') setMembers(wish, reader, operation);
  else if (path.attribute === 'displayname') {
    if (op === 'remove') throw scimRefusal(400, 'displayName cannot be removed.', 'mutability');
    wish.name = nameOf(value);
  } else if (path.attribute.startsWith('members.'))
    throw scimRefusal(400, 'Members are added and removed, not changed.', 'mutability');
  else if (path.attribute === 'externalid')
    wish.externalId = op === 'remove' ? null : externalIdOf(value);
}

/**
 * Reads the operations of a PATCH, in their order.
 *
 * @throws ApiError `invalidValue`, `invalidFilter`, `mutability`, `tooMany`
 */
export function readGroupChange(operations: readonly PatchOperation[]): ProvisionedGroup {
  const wish = new Wish();
  const reader = new MemberReader();
  for (const operation of operations) apply(wish, reader, operation);
  const { name, externalId, members } = wish;
  return { name, externalId, members };
}
