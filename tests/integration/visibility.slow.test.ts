import { testVisibility } from '../support/visibility-property.ts';

testVisibility(100);
