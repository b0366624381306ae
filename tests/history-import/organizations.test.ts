/** The property in brief: each run tries other organizations. */
import { testImports } from './generated/property.ts';

testImports(1, 60_000);
