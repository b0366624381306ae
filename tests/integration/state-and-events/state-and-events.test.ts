import { testStateAndEvents } from './state-and-events.ts';

// The slow suite makes sixty rounds.
testStateAndEvents({ rounds: 8, leastOfTable: 0, timeoutMs: 240_000 });
