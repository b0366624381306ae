export { nodeOptionsOf } from './node-options.ts';
