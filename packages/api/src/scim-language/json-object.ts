/**
 * The members of a JSON object by their names in lower case, because names of SCIM ignore letter case (RFC 7643, 2.1). A map has no names of
 * its own, whatever a request calls its members.
 *
 * @returns undefined for anything else
 */
export function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]));
}
