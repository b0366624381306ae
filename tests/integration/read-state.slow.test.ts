import { testReadState } from './read-state/property.ts';

testReadState(2_000);
