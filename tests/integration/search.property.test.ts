import { testSearchProperties } from '../support/search-properties.ts';

// The slow suite tries five times as often.
testSearchProperties(20);
