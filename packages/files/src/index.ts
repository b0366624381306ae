export { FileStoreFault } from './file-store.ts';
export type { ByteRange, FileStore, StoredFile } from './file-store.ts';
export { openFileStore } from './open-file-store.ts';
