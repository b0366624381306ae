import process from 'node:process';

import { runServices } from '@parley/server';

import { startEvents } from './service.ts';

process.exitCode = await runServices({ events: startEvents }, process.env);
