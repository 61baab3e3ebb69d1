import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { failureLine } from "../../../support/failure.ts";
import type { Outcome } from "../../../support/command.ts";
import { fakeEngine, statementsIn } from "./fake-engine.ts";

const engine = fakeEngine();

describe("a user report", () => {
  const report = (name: string, select: string, ...argv: string[]): Promise<Outcome> => {
    const folder = `own-${name}`;
    const header = `-- title: ${name}?\n-- family: own\n-- grain: one row\n`;
    engine.home.write(`${folder}/${name}.sql`, `${header}${select}\n`);
    const queries = ["--queries", join(engine.home.folder, folder)];
    return engine.home.run([...engine.configured(), "report", "run", name, ...queries, ...argv]);
  };
  const onEngine = ["--engine", "trino", "--format", "csv"];
  const one = { columns: [{ name: "x", type: "bigint" }], data: [[1]] };

  it("that the engine refuses is reported as not portable", async () => {
    const message = "line 3:8: Function 'arg_max' not registered";
    engine.replies = [{ error: { errorName: "FUNCTION_NOT_FOUND", message } }];
    const refused = await report(
      "first",
      "select arg_max(id, event_time) as x from events",
      ...onEngine,
    );
    expect(failureLine(refused, 1, [])).toMatch(
      /: not portable to the engine: .* FUNCTION_NOT_FOUND: line 3:8: Function 'arg_max' not registered; use standard SQL \(docs\/scale\.md\)/,
    );
  });

  it("that would return other rows is not run, one that may is reported, and a portable one is not", async () => {
    engine.replies = [one];
    const other = await report("rate", "select count(*) / 3.0 as x from events", ...onEngine);
    expect(failureLine(other, 2, [])).toMatch(
      /: not portable to the engine, which would return different rows: it has a division with a decimal literal.*; rewrite it, or remove --engine/,
    );
    expect(statementsIn(engine)).toEqual([]);
    const maybe = await report(
      "best",
      "select greatest(min(size), 1) as x from events",
      ...onEngine,
    );
    expect([maybe.code, maybe.out]).toEqual([0, "x\r\n1\r\n"]);
    expect(maybe.err).toMatch(
      /^warning: report best may return different rows on the engine: it has least or greatest, which .*$/m,
    );
    const same = await report("all", "select count(*) as x from events", ...onEngine);
    expect([same.code, same.out, same.err.includes("warning")]).toEqual([0, "x\r\n1\r\n", false]);
    // Here each of them runs unchanged.
    expect(
      (await report("rate", "select count(*) / 3.0 as x from events", "--format", "csv")).code,
    ).toBe(0);
  });
});
