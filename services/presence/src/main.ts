import process from 'node:process';

import { runServices } from '@parley/server';

import { startPresence } from './service.ts';

process.exitCode = await runServices({ presence: startPresence }, process.env);
