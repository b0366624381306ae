import { testReadState } from './read-state/property.ts';

testReadState(300);
