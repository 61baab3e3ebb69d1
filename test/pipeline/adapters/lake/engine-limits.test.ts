import { describe, expect, it } from "vitest";
import { failureLine } from "../../../support/failure.ts";
import { type Asked, fakeEngine, statementsIn } from "./fake-engine.ts";

const engine = fakeEngine();

const columns = [{ name: "text", type: "varchar" }];
const rows = (text: string) => ({ columns, data: [[text]] });
const ends = (): Asked[] => engine.asked.filter(({ method }) => method === "DELETE");
const getSession = (): string => String(statementsIn(engine).at(-1)!.headers["x-trino-session"]);

function sql(configured: object, argv: readonly string[] = [], world: object = {}) {
  const all = ["sql", "--engine", "trino", "select 1", "--format", "ndjson", ...argv];
  return engine.home.run([...engine.configured(configured), ...all], world);
}

describe("the bytes of an answer", () => {
  // Each letter is two bytes, and one of the units that a string counts by.
  it.each([
    [400_000, 0],
    [600_000, 1],
  ])(
    "are counted while they arrive: %i letters of two bytes with a limit of 1 MB end with %i",
    async (letters, code) => {
      engine.replies = [
        { nextUri: engine.at(1) },
        { ...rows("ä".repeat(letters)), nextUri: engine.at(2) },
        {},
      ];
      const outcome = await sql({ max_bytes: 1_000_000 });
      expect(outcome.code).toBe(code);
      if (code === 0) expect(outcome.out.length).toBeGreaterThan(letters);
      else
        expect(failureLine(outcome, 1, ["ä"])).toMatch(
          /the engine's answer has more than 1 MB; request fewer rows, or raise engines\.trino\.max_bytes/,
        );
      expect(ends().map(({ path }) => path)).toEqual(
        code === 0 ? [] : ["/v1/statement/executing/2"],
      );
    },
  );

  it("include all parts", async () => {
    const part = rows("x".repeat(300_000));
    engine.replies = [1, 2, 3, 4, 5].map((step) => ({ ...part, nextUri: engine.at(step) }));
    expect((await sql({ max_bytes: 1_000_000 })).code).toBe(1);
    expect(ends().map(({ path }) => path)).toEqual(["/v1/statement/executing/4"]);
  });
});

describe("a query", () => {
  const asked = ["sql", "select 1", "--format", "csv"];
  const report = ["report", "run", "denials_by_day", "--format", "csv"];
  it.each([
    [report, {}, "600s"],
    [report, { timeout: "90s" }, "90s"],
    [asked, {}, "60s"],
    [[...asked, "--timeout", "30s"], { timeout: "90s" }, "30s"],
  ])("may run on the engine for its time limit: %j %j", async (argv, configured, time) => {
    engine.replies = [rows("x")];
    const all = [...engine.configured(configured), ...argv, "--engine", "trino"];
    expect((await engine.home.run(all)).code).toBe(0);
    expect(getSession()).toContain(`query_max_run_time=${time},`);
  });

  it("is cancelled on the engine by an interrupt, and by a reader that stops after the first part", async () => {
    const interrupt = new AbortController();
    engine.replies = [
      { nextUri: engine.at(1) },
      { nextUri: engine.at(2) },
      { nextUri: engine.at(3) },
    ];
    engine.heard = ({ path }) => path.endsWith("/2") && interrupt.abort();
    const { code, out } = await sql({}, [], { signal: interrupt.signal });
    expect([code, out]).toEqual([130, ""]);
    expect(ends().map(({ path }) => path)).toEqual(["/v1/statement/executing/3"]);
    engine.replies = [{ columns, data: [["a"], ["b"], ["c"]], nextUri: engine.at(1) }];
    expect((await sql({}, ["--max-rows", "2"])).code).toBe(6);
    expect(ends().at(-1)!.path).toBe("/v1/statement/executing/1");
  });
});

describe("a password", () => {
  const configured = { user: "auditor", password_env: "ENGINE_PASSWORD" };
  const secret = "s3cr:t ünï";
  const env = { ENGINE_PASSWORD: secret };

  it("is sent with each request of a query, and omitted if not configured", async () => {
    engine.replies = [{ nextUri: engine.at(1) }, rows("x")];
    expect((await sql(configured, [], { env })).code).toBe(0);
    const basic = `Basic ${Buffer.from(`auditor:${secret}`).toString("base64")}`;
    const headers = engine.asked
      .filter(({ path }) => path !== "/v1/info")
      .map((each) => each.headers);
    expect(headers.map(({ authorization }) => authorization)).toEqual([basic, basic]);
    expect(headers.map((each) => each["x-trino-user"])).toEqual(["auditor", "auditor"]);
    expect((await sql({})).code).toBe(0);
    expect(engine.asked.at(-1)!.headers.authorization).toBeUndefined();
  });

  it("that is not set, or is refused, is reported in one line without it", async () => {
    expect(failureLine(await sql(configured, [], { env: {} }), 2, [])).toMatch(
      /no password for the engine: ENGINE_PASSWORD is not set; set it/,
    );
    engine.status = 401;
    engine.replies = [{}];
    expect(failureLine(await sql(configured, [], { env }), 1, [secret])).toMatch(
      /refuses user auditor \(401\); check engines\.trino\.user and password_env/,
    );
  });
});
