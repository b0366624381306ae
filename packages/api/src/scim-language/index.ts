export { attributeName, invalidFilter, parseFilter } from './filter.ts';
export type { Comparison, Filter } from './filter.ts';
export * from './json-object.ts';
export { matches } from './match.ts';
export { parsePatch } from './patch.ts';
export type { PatchOperation, PatchPath } from './patch.ts';
export * from './schemas.ts';
export type { FilterValue } from './tokens.ts';
