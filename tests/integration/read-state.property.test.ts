import { testReadState } from './read-state/property.ts';

// A number that takes little time; the slow suite runs ten times as many.
testReadState(30);
