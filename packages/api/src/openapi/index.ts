export * from './answer-check.ts';
export * from './answer-schema.ts';
export * from './closed-schema.ts';
export * from './declared-refusals.ts';
export * from './error-schemas.ts';
export * from './named-schemas.ts';
export * from './openapi-components.ts';
export * from './openapi.ts';
