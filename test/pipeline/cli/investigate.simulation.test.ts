import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { homeWithWarehouse, type TestHome } from "../../support/home.ts";
import { readingTexts } from "../../support/command.ts";
import { type Line, testPlanted } from "./investigate/planted.ts";

testPlanted(7);

describe("investigate on a small log", () => {
  let home: TestHome;
  const at = (minutes: number): number => Date.UTC(2026, 4, 4, 12) / 1000 + minutes * 60;
  beforeAll(async () => {
    home = await homeWithWarehouse();
    const users = (email: string) =>
      home.write(
        "users.json",
        JSON.stringify({
          users: [
            { id: 5, email, name: "Ann Olsen" },
            { id: 6, email: "bo@example.com" },
          ],
        }),
      );
    const events = [
      { time: at(0), event_name: "sign_in", user_id: 5, ip_address: "10.0.0.1" },
      {
        time: at(29),
        event_name: "job_issue",
        user_id: 5,
        resource_id: "77",
        resource_name: "crm.77",
        query_text: "select 1",
      },
      { time: at(59), event_name: "query_run", user_id: 5, resource_name: "weekly" },
      { time: at(60), event_name: "sign_in", user_id: 6, ip_address: "10.0.0.2" },
    ];
    await home.load(events);
    for (const email of ["ann.before@example.com", "ann@example.com"]) {
      const file = home.write("more.ndjson", `${JSON.stringify({ ...events[0], id: email })}\n`);
      expect(await home.run(["import", file, "--users", users(email)])).toMatchObject({ code: 0 });
    }
  });
  afterAll(() => home[Symbol.dispose]());

  const now = { now: () => Date.UTC(2026, 4, 5) };
  const ask = (...argv: string[]) => home.run(["investigate", ...argv], now);

  test.each(["5", "ANN@example.com", "ann.before@example.com", "olsen"])(
    "finds a user by %s",
    async (text) => {
      const { code, out, err } = await ask("--user", text, "--format", "csv");
      expect(code, err).toBe(0);
      expect(
        out
          .split("\r\n")
          .slice(1)
          .map((line) => line.split(",").slice(1, 4).join(" ")),
      ).toEqual([
        "1 event sign_in",
        "1 event sign_in",
        "1 event sign_in",
        "1 job job_issue",
        "2 event query_run",
        "",
      ]);
      expect(err).toContain("ann.before@example.com");
    },
  );

  test.each([
    [["--user", "5"], "user 5 (also ann@example.com, ann.before@example.com, ann olsen)"],
    [["--user", "6"], "user 6 (also bo@example.com)"],
    [["--address", "10.0.0.1"], "address 10.0.0.1"],
  ])("prints first the other names of %j", async (argv, line) => {
    expect((await ask(...argv)).err.split("\n")[0]).toBe(line);
  });

  const report = (name: string, param: string) =>
    home.run(["report", "run", name, "--param", param, "--format", "ndjson"], now);

  test.each(["5", "ANN@example.com", "ann.before@example.com", "olsen"])(
    "finds the user %s in reports by the same names",
    async (text) => {
      const { code, out, err } = await report("user_timeline", `user=${text}`);
      expect(code, err).toBe(0);
      expect(out).toBe((await ask("--user", text, "--format", "ndjson")).out);
    },
  );

  test.each([
    ["user_timeline", "user=ann@exampel.com", /similar: "ann@example.com"/, 2],
    ["user_timeline", "user= ", /parameter user is empty; expected an id or a name/, 2],
    ["address_timeline", "address=10.0.0.9", /no address "10.0.0.9"/, 2],
    // Only the range knows these: a time without events is no fault.
    ["resource_timeline", "resource=crn", /resource_timeline: no resource .*similar: "crm"/, 0],
    ["job_timeline", "job=none", /job_timeline: no job "none"/, 0],
    ["table_readers", "table=nowhere", /names a table "nowhere"/, 0],
  ])("refuses %s with %s as unknown", async (name, param, message, expected) => {
    const { code, out, err } = await report(name, param);
    expect(err).toMatch(message);
    expect([code, out]).toEqual([expected, ""]);
  });

  test("--at is the middle of --window", async () => {
    const { out, err } = await ask(
      "--user",
      "5",
      "--at",
      "2026-05-04T12:30",
      "--window",
      "4m",
      "--format",
      "ndjson",
    );
    expect(err).toContain("since 2026-05-04T12:28:00Z until 2026-05-04T12:32:00Z");
    expect(
      out
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as Line)["query_text"]),
    ).toEqual(["select 1"]);
  });

  test("shows a job from when it was issued", async () => {
    const later = { now: () => Date.UTC(2026, 6, 1) };
    const { code, out, err } = await home.run(
      ["investigate", "--job", "crm.77", "--format", "json"],
      later,
    );
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ entry: "job", database_name: "crm", session: 1 }]);
    expect(err).toContain("since 2026-05-04T12:29:00Z");
  });

  test("shows five tables of a job by name, and the number of the others", async () => {
    using own = await homeWithWarehouse();
    const [first, ...joined] = ["z.a", "b", "b", "c", "d", "e", "f"];
    const text = `insert into Total select 1 from ${first} join ${joined.join(" join ")}`;
    const job = { event_name: "job_issue", resource_id: "9", resource_name: "crm.9" };
    const events = own.write(
      "job.ndjson",
      JSON.stringify({ ...job, time: at(0), query_text: text }),
    );
    expect(await own.run(["import", events], { env: readingTexts })).toMatchObject({ code: 0 });
    const { out } = await own.run(["investigate", "--job", "9", "--format", "json"]);
    expect(JSON.parse(out)).toMatchObject([
      { tables_read: "crm.b, crm.c, crm.d, crm.e, crm.f and 1 more", tables_written: "crm.total" },
    ]);
  });

  test("writes everything to a file", async () => {
    const path = join(home.folder, "ann.csv");
    const { code, err } = await ask("--resource", "CRM", "--out", path);
    expect(code, err).toBe(0);
    expect(readFileSync(path, "utf8")).toMatch(
      /^event_time,session,entry,.*\r\n2026-05-04T12:29:00Z,1,job,/,
    );
  });

  test.each([
    [[], /found none; expected one of --user, --address, --resource and --job/],
    [["--user", "5", "--job", "77"], /found --user and --job; expected one/],
    [
      ["--user", "ann@exampel.com"],
      /no user "ann@exampel.com" in the data; similar: "ann@example.com"/,
    ],
    [["--address", "10.0.0.9"], /no address "10.0.0.9" in the data; similar: "10.0.0.1"/],
    [["--address", "10.0.0"], /"10.0.0" matches 2 addresses: "10.0.0.1", "10.0.0.2"/],
    [["--resource", "month"], /no resource "month" in the data$/m],
    [["--job", "78"], /no job "78" in the data; similar: "77"/],
    [["--user", "5", "--window", "2h"], /add --at/],
    [["--user", "5", "--at", "soon"], /"soon" is not a time/],
    [["--user", "5", "--at", "now", "--window", "long"], /--window "long": expected a duration/],
    [["--user", "5", "--at", "now", "--since", "1d"], /expected one or the other/],
    [["--user", "5", "--since", "1d", "--until", "2d"], /is not before until/],
    [["--user", "5", "--days", "many"], /parameter days: "many" is not a whole number/],
  ])("refuses %j", async (argv, message) => {
    const { code, out, err } = await ask(...argv);
    expect(err).toMatch(message);
    expect([code, out]).toEqual([2, ""]);
  });
});
