import { testPagesFromMemory } from './pages-from-memory.ts';

testPagesFromMemory(20);
