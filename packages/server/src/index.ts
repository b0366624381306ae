export { undeclaredAnswer } from './answer-record.ts';
export { productName } from './client-name.ts';
export { awaitStore } from './await-store.ts';
export { connectStores, openPool } from './connect-stores.ts';
export type { Stores } from './connect-stores.ts';
export { refusalFor, writeRefusal } from './error-handler.ts';
export { everyHandlerOf } from './every-handler-of.ts';
export type { FormFile } from './form-files.ts';
export { decodeForm } from './form-text.ts';
export { GatheredRuns } from './gathered-runs.ts';
export type { GracefulServer, ListenOptions, RequestHandler } from './graceful-server.ts';
export { HeldBodies, senderOf } from './held-bodies.ts';
export type { HeldBody } from './held-bodies.ts';
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
export { RateLimiter } from './rate-limit.ts';
export type { RateLimiterOptions } from './rate-limit.ts';
export type { ReadinessCheck } from './internal-app.ts';
export { keepLease } from './keep-lease.ts';
export type { ServiceMetrics } from './metrics.ts';
export { multipartOverheadMaxBytes } from './receive-file.ts';
export type { FileOptions, ReceiveFile, ReceivedFile } from './receive-file.ts';
export { ReceivedBytes } from './received-bytes.ts';
export { decodeBody } from './request-body.ts';
export { runServices } from './run-services.ts';
export { serveApi } from './serve-api.ts';
export type { ServedApi } from './serve-api.ts';
export { startService } from './service-frame.ts';
export type {
  RunningService,
  ServiceAddress,
  ServiceFrame,
  StartService,
} from './service-frame.ts';
export { ServiceProcess, parleyVersion } from './service-process.ts';
export type { LocalNodes } from './service-process.ts';
export { isStoreFailure } from './store-failures.ts';
export { registerStoreMetrics } from './store-metrics.ts';
export { takeTurn } from './take-turn.ts';
export { faultLogger } from './tolerated-faults.ts';
export { startMaintenance } from './maintenance.ts';
export type { MaintenanceTask } from './maintenance.ts';
export { Turns } from './turns.ts';
export { noStoreHeaders, passageHeaders, writeJson, writeWhole } from './write-answer.ts';
