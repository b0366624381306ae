import { testVisibility } from '../support/visibility-property.ts';

// The slow suite tries ten times as many.
testVisibility(10);
