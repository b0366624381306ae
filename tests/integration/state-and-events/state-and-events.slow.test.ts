import { testStateAndEvents } from './state-and-events.ts';

testStateAndEvents({ rounds: 100, leastOfTable: 10, timeoutMs: 600_000 });
