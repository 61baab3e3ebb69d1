import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { takeLock } from "../../../../pipeline/base/home/lock.ts";
import { denials, type FindingsHome, newFindingsHome } from "./scene.ts";

let original: FindingsHome;
let home: FindingsHome;
let id: string;
beforeAll(async () => {
  original = await newFindingsHome();
  await original.import([...denials(17), ...denials(18)]);
  id = (await original.ids())["user 17"]!;
});
beforeEach(async () => void (home = await newFindingsHome(undefined, {}, original)));
afterEach(() => home[Symbol.dispose]());
afterAll(() => original[Symbol.dispose]());

const readState = async (): Promise<unknown> => {
  const sql = `select state, closed_as, suppressed_by is not null as is_suppressed from findings where finding_id = '${id}'`;
  return (await home.rows(sql))[0];
};
const open = { state: "open", closed_as: null, is_suppressed: false };

test("findings are acknowledged, reopened, closed and noted, and show prints the history", async () => {
  expect(await home.findings(["acknowledge", id.slice(0, 6), id, "--reason", "on it"])).toEqual({
    code: 0,
    out: "",
    err: "acknowledge: 1 finding\n",
  });
  expect(await readState()).toEqual({ ...open, state: "acknowledged" });
  const later = (minutes: number) => ({ now: () => Date.UTC(2026, 2, 4, 0, minutes) });
  await home.findings(["reopen", id], later(1));
  expect(await readState()).toEqual(open);
  await home.findings(["note", id, "asked \u001b[31m\nthe team"], later(2));
  expect(await readState()).toEqual(open);
  await home.findings(["close", id, "--as", "benign", "--reason", "load test"], later(3));
  expect(await readState()).toEqual({ ...open, state: "closed", closed_as: "benign" });
  const { out } = await home.findings(["show", id]);
  const lines = out.split("\n").map((line) => line.replace(/ by \w+/, " by someone"));
  expect(lines.slice(lines.indexOf("History") + 1)).toEqual([
    "  2026-03-04 00:00:00  raised",
    "  2026-03-04 00:00:00  acknowledge by someone: on it",
    "  2026-03-04 00:01:00  reopen by someone",
    "  2026-03-04 00:02:00  note by someone: asked \\u001b[31m\\u000athe team",
    "  2026-03-04 00:03:00  close as benign by someone: load test",
    "",
  ]);
});

test("a suppression is listed with what it covers, and hides its findings", async () => {
  const where = ["--where", "user_id=17", "source=default"];
  const until = ["--until", "2026-03-31T12:00:00Z", "--reason", "migration"];
  await home.findings(["suppress", "repeated_denials", ...where, ...until]);
  expect(await readState()).toEqual({ ...open, is_suppressed: true });
  const listed = await home.findings(["suppressions", "--format", "json"]);
  expect(JSON.parse(listed.out)).toMatchObject([
    {
      detection: "repeated_denials",
      conditions: '{"user_id":"17","source":"default"}',
      suppressed_until: "2026-03-31 12:00:00",
      findings: 1,
      reason: "migration",
    },
  ]);
  expect((await home.findings(["--format", "csv"])).out).not.toContain(id);
  expect((await home.findings(["--state", "suppressed", "--format", "csv"])).out).toContain(id);
});

test("a lifted suppression opens its findings again, and stays listed with its author and reason", async () => {
  const until = ["--until", "30d", "--reason", "migration"];
  await home.findings(["suppress", "repeated_denials", "--where", "user_id=17", ...until]);
  const list = async (): Promise<Record<string, unknown>[]> => {
    const { out } = await home.findings(["suppressions", "--format", "json"]);
    return JSON.parse(out) as Record<string, unknown>[];
  };
  const [{ suppression_id: suppression, state } = {}] = await list();
  expect(state).toBe("active");
  const lift = ["unsuppress", String(suppression), "--reason", "wrong user"];
  expect(await home.findings(lift)).toEqual({
    code: 0,
    out: "",
    err: expect.stringMatching(/^1 new finding: 1 medium; .*\nlifted; it covered 1 finding\n$/),
  });
  expect(await readState()).toEqual(open);
  expect(await list()).toMatchObject([
    { state: "lifted", findings: 0, reason: "migration", lifted_reason: "wrong user" },
  ]);
  const again = await home.findings(lift);
  expect(again.code).toBe(2);
  expect(again.err).toMatch(/lifted the suppression .* at 2026-03-04 00:00:00 UTC/);
  const unknown = await home.findings(["unsuppress", "none", "--reason", "x"]);
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('"none"')]);
});

test("a suppression is reported in the seven days before its end", async () => {
  const until = ["--until", "2026-03-31T12:00:00Z", "--reason", "migration"];
  await home.findings(["suppress", "repeated_denials", "--where", "user_id=17", ...until]);
  const read = async (day: string): Promise<string> =>
    (await home.findings([], { now: () => Date.parse(day) })).err;
  expect(await read("2026-03-24T11:59:59Z")).not.toContain("suppression");
  expect(await read("2026-03-24T12:00:00Z")).toContain(
    "a suppression of repeated_denials ends 2026-03-31 12:00:00; ",
  );
  expect(await read("2026-03-31T12:00:00Z")).not.toContain("suppression");
});

test("a decision while another run holds the lock is stored, and the next run applies it", async () => {
  {
    using _lock = takeLock(join(home.home, "run.lock"), "ingest", Date.now());
    const { code, err } = await home.findings(["acknowledge", id]);
    expect({ code, first: err.split("\n")[0] }).toEqual({
      code: 0,
      first: "recorded; findings show it when the active run has ended",
    });
    expect(await readState()).toEqual(open);
  }
  await home.import(denials(19));
  expect(await readState()).toEqual({ ...open, state: "acknowledged" });
});
