/** The property at length. */
import { testImports } from './generated/property.ts';

testImports(25, 600_000);
