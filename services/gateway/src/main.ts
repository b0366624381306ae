import { runService } from '@parley/server';

import { startGateway } from './service.ts';

await runService('gateway', process.env, startGateway);
