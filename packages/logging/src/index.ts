export * from './create-logger.ts';
export * from './redaction.ts';
