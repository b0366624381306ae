export * from './content-type.ts';
export * from './file-path.ts';
export { FileStoreFault } from './file-store.ts';
export type { ByteRange, FileStore, StoredFile } from './file-store.ts';
export * from './open-file-store.ts';
