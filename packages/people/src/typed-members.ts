/**
 * Objects taken member by member. `Object.entries` and `Object.fromEntries` forget which value belongs to which name; these functions
 * keep it, so that an event with a name and a value is checked by the compiler.
 */

/** The objects here come from declared parameters and hold no other members than their type says. */
function namesOf<Members extends object>(members: Members): (keyof Members)[] {
  return Object.keys(members) as (keyof Members)[];
}

/** @returns the members that are not undefined */
export function givenMembers<Members extends object>(members: {
  readonly [Name in keyof Members]?: Members[Name] | undefined;
}): Partial<Members> {
  const given: Partial<Members> = {};
  for (const name of namesOf(members)) {
    const value = members[name];
    if (value !== undefined) given[name] = value;
  }
  return given;
}

/** @returns the members that differ from the stored ones */
export function changedMembers<Members extends object>(
  wanted: Partial<Members>,
  stored: Readonly<Members>,
): Partial<Members> {
  const changed: Partial<Members> = {};
  for (const name of namesOf(wanted)) {
    if (wanted[name] !== stored[name]) changed[name] = wanted[name];
  }
  return changed;
}

/** @returns what `make` makes of each member that is there, in their order */
export function mapMembers<Members extends object, Made>(
  members: Partial<Members>,
  make: <Name extends keyof Members>(name: Name, value: Members[Name]) => Made,
): Made[] {
  return namesOf(members).flatMap((name) => {
    const value = members[name];
    return value === undefined ? [] : [make(name, value)];
  });
}
