import { bind, statementOf } from "../../base/sql/bind.ts";
import { cellOf, kindOf } from "../../base/sql/cells.ts";
import { compileQuestion, copyToParquet } from "../../base/sql/select.ts";
import { reachOf } from "../report/reach.ts";
import { serveQuery } from "../../core/sandbox/serve-query.ts";

// The process of a query: started by `sql` and for user reports, never imported. A signal neither ends it nor opens a
// debugger.
process.on("SIGUSR1", () => undefined);
await serveQuery({
  cellOf,
  kindOf,
  reachOf,
  bind: (prepared, values) => bind(prepared, statementOf({ sql: "", values }).values),
  copyToParquet: async (connection, question, path, limit) =>
    (await copyToParquet(connection, statementOf(question), path, limit)).shown,
  compile: compileQuestion,
});
