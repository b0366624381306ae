import process from 'node:process';

import { runService } from '@parley/server';

import { startEvents } from './service.ts';

await runService('events', process.env, startEvents);
