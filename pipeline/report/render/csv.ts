import { delimited } from "./delimited.ts";

/** CSV as RFC 4180 has it: commas, CRLF, a header line. */
export const renderCsv = delimited(",", "\r\n");
