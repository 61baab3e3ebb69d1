import { bindValues, bindQuestion } from "../../base/sql/bind.ts";
import { toCell, classifyType } from "../../base/sql/cells.ts";
import { compileQuestion, copyToParquet } from "../../base/sql/select.ts";
import { readReach } from "../report/reach.ts";
import { serveQuery } from "../../core/sandbox/serve-query.ts";

// The process of a query: started by `sql` and for user reports, never imported. A signal neither ends it nor opens a
// debugger.
process.on("SIGUSR1", () => undefined);
await serveQuery({
  toCell: toCell,
  classifyType: classifyType,
  findReach: readReach,
  bind: (prepared, values) => bindValues(prepared, bindQuestion({ sql: "", values }).values),
  copyToParquet: async (connection, question, path, limit) =>
    (await copyToParquet(connection, bindQuestion(question), path, limit)).shown,
  compile: compileQuestion,
});
