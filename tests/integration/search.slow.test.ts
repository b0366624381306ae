import { testSearchProperties } from '../support/search-properties.ts';

testSearchProperties(100);
