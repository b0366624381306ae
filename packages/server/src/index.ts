export { undeclaredAnswer } from './answer-record.ts';
export { productName } from './client-name.ts';
export * from './await-store.ts';
export * from './connect-stores.ts';
export { refusalFor, writeRefusal } from './error-handler.ts';
export * from './every-handler-of.ts';
export type { FormFile } from './form-files.ts';
export { decodeForm } from './form-text.ts';
export * from './gathered-runs.ts';
export type { GracefulServer, ListenOptions, RequestHandler } from './graceful-server.ts';
export * from './held-bodies.ts';
export {
  LaterAnswer,
  Preserialized,
  RawAnswer,
  StreamedAnswer,
  implement,
  noContent,
  partlyShared,
  preserialized,
  rawAnswer,
} from './implement.ts';
export type {
  EndpointAnswer,
  EndpointRequest,
  HandlerAnswer,
  Implementation,
  MaybePromise,
  RequestFacts,
  Settle,
  StreamWriter,
  UntypedRequest,
} from './implement.ts';
export * from './rate-limit.ts';
export type { ReadinessCheck } from './internal-app.ts';
export * from './keep-lease.ts';
export type { ServiceMetrics } from './metrics.ts';
export { multipartOverheadMaxBytes } from './receive-file.ts';
export type { FileOptions, ReceiveFile, ReceivedFile } from './receive-file.ts';
export * from './received-bytes.ts';
export { decodeBody } from './request-body.ts';
export { runServices } from './run-services.ts';
export * from './serve-api.ts';
export * from './service-frame.ts';
export { ServiceProcess, parleyVersion } from './service-process.ts';
export type { LocalNodes } from './service-process.ts';
export { isStoreFailure } from './store-failures.ts';
export * from './store-metrics.ts';
export * from './take-turn.ts';
export * from './tolerated-faults.ts';
export * from './maintenance.ts';
export * from './turns.ts';
export { noStoreHeaders, passageHeaders, writeJson, writeWhole } from './write-answer.ts';
