import pg from "pg";
import { plainTime } from "./sql.ts";

/** How values arrive from the database. Revisions and counts are bigint in SQL and stay far below 2^53. */
export const parsers = new pg.TypeOverrides();
parsers.setTypeParser(pg.types.builtins.INT8, Number);
parsers.setTypeParser(pg.types.builtins.TIMESTAMPTZ, plainTime);
