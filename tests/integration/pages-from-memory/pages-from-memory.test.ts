import { testPagesFromMemory } from './pages-from-memory.ts';

// Before a release it makes twenty rounds.
testPagesFromMemory(3);
