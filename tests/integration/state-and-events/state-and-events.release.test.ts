import { testStateAndEvents } from './state-and-events.ts';

testStateAndEvents({ rounds: 60, leastOfTable: 5, timeoutMs: 600_000, ownProcesses: true });
