export { DataFolder } from './data-folder.ts';
export { LaunchFault } from './launch-fault.ts';
export { Launch } from './launch.ts';
export { nodeOptionsOf } from './node-options.ts';
export { parseOptions } from './options.ts';
export { Supervisor } from './supervisor.ts';
