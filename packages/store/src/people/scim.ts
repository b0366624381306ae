/** What programs see that keep accounts and groups by SCIM (decision 0052). */
export {
  deleteScimToken,
  findScimTokens,
  insertScimToken,
  listScimTokens,
  lockScimTokenCount,
} from './scim-tokens.ts';
export type { ScimToken, ScimTokenInUse } from './scim-tokens.ts';
export type { ScimSearch } from './scim-filters.ts';
export {
  findDeletedByScim,
  findScimUser,
  findScimUsers,
  searchScimUsers,
  setScimFacts,
} from './scim-users.ts';
export type { ScimUser } from './scim-users.ts';
export {
  countGroupMembers,
  findScimGroup,
  listScimMembers,
  searchScimGroups,
  setGroupExternalId,
} from './scim-groups.ts';
export type { ScimGroup, ScimMember } from './scim-groups.ts';
