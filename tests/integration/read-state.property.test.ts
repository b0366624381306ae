import { testReadState } from './read-state/property.ts';

// As many as fit into a contributor's patience; the slow suite runs two thousand.
testReadState(30);
