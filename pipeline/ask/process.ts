import { extname } from "node:path";
import { fileURLToPath } from "node:url";

/** What the process of a query runs: beside this file, as TypeScript in a checkout and as JavaScript in the package. */
export const queryProcess = fileURLToPath(
  new URL(`./child${extname(import.meta.url)}`, import.meta.url),
);
