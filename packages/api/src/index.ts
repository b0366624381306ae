export * from './account-changes.ts';
export * from './bots.ts';
export * from './error-catalogue.ts';
export * from './errors.ts';
export * from './fold.ts';
export * from './identity.ts';
export * from './limits.ts';
export * from './declare/api-path.ts';
export * from './declare/decode-parameters.ts';
export * from './declare/endpoint-example.ts';
export {
  declareEndpoint,
  headersTakenBy,
  isEventStream,
  rawResponsesOf,
  takesJson,
  takesTurns,
} from './declare/endpoint.ts';
export type {
  AfterLoss,
  AnswerOf,
  DeclaredSuccess,
  DecodedParameters,
  Endpoint,
  EndpointAccess,
  EndpointDeclaration,
  EndpointFacts,
  EndpointMethod,
  RawResponse,
  Refusal,
  ServiceName,
} from './declare/endpoint.ts';
export * from './declare/json-schema.ts';
export { findJsonBody, parseJson } from './declare/json-text.ts';
export type { JsonValue, NulHandling } from './declare/json-text.ts';
export {
  booleanParameter,
  customParameter,
  integerListParameter,
  integerParameter,
  jsonBody,
  jsonBodyName,
  jsonOrTextParameter,
  jsonParameter,
  numberParameter,
  pathInteger,
  pathText,
  textListParameter,
  textParameter,
} from './declare/parameters.ts';
export type {
  BooleanOptions,
  ConvertedNumberOptions,
  CustomOptions,
  JsonBodyOptions,
  JsonOptions,
  JsonOrTextOptions,
  ListOptions,
  NumberOptions,
  Parameter,
  ParameterOptions,
  PathOptions,
  Presence,
  TextOptions,
} from './declare/parameters.ts';
export { parsePath } from './declare/path.ts';
export type { Segment } from './declare/path.ts';
export * from './declare/routes.ts';
export * from './declare/validate.ts';
export * from './hang-up-signal.ts';
export * from './narrow-terms.ts';
