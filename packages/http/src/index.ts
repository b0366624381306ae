export * from './endpoint.ts';
export type { FromSchema, JsonSchema } from './json-schema.ts';
export * from './parameters.ts';
