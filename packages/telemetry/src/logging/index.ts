export { createLogger, requestLogger, subjectLogger } from './create-logger.ts';
export type { Logger } from './create-logger.ts';
