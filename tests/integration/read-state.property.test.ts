import { testReadState } from './read-state/property.ts';

// A number that takes little time; before a release there are ten times as many.
testReadState(8);
