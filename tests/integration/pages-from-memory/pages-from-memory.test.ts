import { testPagesFromMemory } from './pages-from-memory.ts';

// The slow suite makes twenty rounds.
testPagesFromMemory(3);
