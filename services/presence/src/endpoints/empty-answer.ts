import type { JsonSchema } from '@parley/http';

/** An answer that says nothing beside that it is done. */
export const emptyAnswer: JsonSchema = { type: 'object', properties: {} };
