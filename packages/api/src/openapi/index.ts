export { answerCheckOf } from './answer-check.ts';
export { AnswerSchemas } from './answer-schema.ts';
export type { AnswerCheck } from './answer-schema.ts';
export { closedSchema } from './closed-schema.ts';
export { errorCodesOf, findRefusalFault, sharedStatusesOf } from './declared-refusals.ts';
export type { ImpliedErrorCode } from './declared-refusals.ts';
export {
  errorSchemaOf,
  methodNotAllowedError,
  plainError,
  rateLimitError,
  refusalSchema,
} from './error-schemas.ts';
export type { FieldsOfCode, SharedRefusalFields } from './error-schemas.ts';
export { NamedSchemas } from './named-schemas.ts';
export type { Json } from './named-schemas.ts';
export {
  jsonContent,
  oneOfThese,
  rateLimitHeaders,
  sharedHeaders,
  sharedResponses,
  sharedStatuses,
} from './openapi-components.ts';
export { openApiDocument } from './openapi.ts';
export type { OpenApiInfo } from './openapi.ts';
