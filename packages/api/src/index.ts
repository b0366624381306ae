export {
  accountChangesHeaderName,
  accountChangesText,
  parseAccountChanges,
} from './account-changes.ts';
export type { ChangedAccounts } from './account-changes.ts';
export { botTypes, serviceInterfaces } from './bots.ts';
export type { BotType } from './bots.ts';
export { errorCatalogue, errorsWithoutCode } from './error-catalogue.ts';
export type { ErrorCode, ErrorForm } from './error-catalogue.ts';
export {
  ApiError,
  argumentIsNotJson,
  badEventQueueId,
  badImage,
  badNarrow,
  badRequest,
  basicAuthenticationRequired,
  bodyTooLarge,
  cannotDeactivateLastUser,
  checkLength,
  crossOriginSession,
  devEnvironmentOff,
  duplicateHeader,
  idempotencyKeyReused,
  insufficientPermission,
  internalServerError,
  invalidApiKey,
  invalidJson,
  invitationFailed,
  keyOrSessionRequired,
  methodNotAllowed,
  missingHttpEventHeader,
  mustBeAdministrator,
  notAllowedForGuests,
  notAuthenticated,
  notForBots,
  notForIncomingWebhookBots,
  notFound,
  outcomeUnknown,
  rateLimitExceeded,
  requestConfusingVariable,
  requestVariableInvalid,
  requestVariableMissing,
  scimTokenRequired,
  serviceUnavailable,
  streamDoesNotExist,
  streamsDoNotExist,
  tooManyBots,
  tooManyEventQueues,
  tooManyEventQueuesOfOwner,
  listIsFull,
  listTextsAreFull,
  madeTooMuch,
  tooManyNewStreams,
  unauthorizedPrincipal,
  unexpectedWebhookEventType,
  uploadQuotaExceeded,
  uploadTooLarge,
  valueTooLong,
  withoutChallenge,
  withoutCode,
} from './errors.ts';
export { foldName } from './fold.ts';
export {
  changeWithinHeaderName,
  endpointHeaderName,
  identityHeaderName,
  ownerIdOf,
  realmId,
  requestIdHeaderName,
  roles,
  scimCaller,
} from './identity.ts';
export type { Caller, Role } from './identity.ts';
export { limits } from './limits.ts';
export { apiPathPrefix } from './declare/api-path.ts';
export { decodeParameters, findRawText } from './declare/decode-parameters.ts';
export type { FormValues, RawParameters } from './declare/decode-parameters.ts';
export { ExampleVariable, exampleVariables } from './declare/endpoint-example.ts';
export type {
  EndpointExample,
  ExampleCaller,
  ExampleValue,
  ExampleVariableName,
} from './declare/endpoint-example.ts';
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
export type { JsonSchema } from './declare/json-schema.ts';
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
export { Route, RouteTable } from './declare/routes.ts';
export type { RouteMatch } from './declare/routes.ts';
export { makeCheck } from './declare/validate.ts';
export type { HangUpSignal } from './hang-up-signal.ts';
export { distinctTerms } from './narrow-terms.ts';
