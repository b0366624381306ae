export { attributeName, invalidFilter, parseFilter } from './filter.ts';
export type { Comparison, Filter } from './filter.ts';
export { membersOf } from './json-object.ts';
export { matches } from './match.ts';
export { parsePatch } from './patch.ts';
export type { PatchOperation, PatchPath } from './patch.ts';
export {
  resourceTypes,
  schemaResources,
  schemas,
  scimBaseOf,
  serviceProviderConfig,
} from './schemas.ts';
export type { FilterValue } from './tokens.ts';
