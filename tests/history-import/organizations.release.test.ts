/** The property at length. */
import { testImports } from './generated/property.ts';

testImports(10, 600_000);
