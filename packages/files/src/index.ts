export { decideContentType, extensionOf, headBytes, servingHeaders } from './content-type.ts';
export { cleanFileName, cutFileName, newPathId } from './file-path.ts';
export { FileStoreFault } from './file-store.ts';
export type { ByteRange, FileStore, StoredFile } from './file-store.ts';
export { openFileStore } from './open-file-store.ts';
