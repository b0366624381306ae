export * from './cluster.ts';
export * from './redis-prefix.ts';
export * from './service-process.ts';
export * from './stores.ts';
export * from './test-database.ts';
export * from './wait-until.ts';
