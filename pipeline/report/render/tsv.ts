import { delimited } from "./delimited.ts";

/** Tab-separated, line feeds, quoted as in CSV, a header line. */
export const renderTsv = delimited("\t", "\n");
