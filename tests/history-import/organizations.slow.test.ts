/** A number that takes little time; before a release there are five times as many. */
import { testImports } from './generated/property.ts';

testImports(2, 300_000);
