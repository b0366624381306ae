import { runService } from '@parley/http';

import { startGateway } from './service.ts';

await runService('gateway', process.env, startGateway);
