import { cellOf, kindOf } from "../../report/cells.ts";
import { serveQuery } from "../../warehouse/sandbox-child.ts";

// What the process of a query runs: started by `sql`, never imported.
await serveQuery({ cellOf, kindOf });
