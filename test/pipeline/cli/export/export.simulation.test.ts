import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesBelow } from "../../adapters/destinations/file/setting.ts";
import { failureLine } from "../../../support/failure.ts";
import { homeWithWarehouse } from "../../../support/home.ts";
import { newSetting, number, phones } from "./setting.ts";

const numbers = (...wanted: number[]): string[] => wanted.map(number);

describe("export", () => {
  it("delivers a report to a folder, hive-partitioned by day, and replaces it when repeated", async () => {
    const { run, home } = await newSetting();
    for (let n = 0; n < 2; n++) {
      const { code, out, err } = await run(["happened", "--to", "lake"]);
      expect({ code, out }).toEqual({ code: 0, out: "" });
      expect(err).toContain("since 2025-11-19T00:00:00Z until 2025-11-22T00:00:00Z\n");
      expect(err).toContain("note: the log of default ends at 2025-11-21T01:53:20Z\n");
      expect(err).toContain("happened to lake: 2 rows delivered\n");
    }
    const name = "happened-20251119T000000Z-20251122T000000Z.ndjson";
    const out = join(home.folder, "out");
    expect(filesBelow(out)).toEqual([`date=2025-11-20/${name}`, `date=2025-11-21/${name}`]);
    expect(readFileSync(join(out, "date=2025-11-20", name), "utf8")).toBe(
      '{"event_time":"2025-11-20T00:53:20Z","event_name":"job_kill","user_id":1}\n',
    );
  });

  it("maps the outputs of the target on the way to a webhook", async () => {
    const { run, receiver } = await newSetting();
    const { code, err } = await run(["happened", "--to", "hook", "--since", "2025-11-21"]);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(receiver.rows()).toEqual([{ event_name: "job_kill", user: 2, segment: "happened" }]);
    expect(receiver.arrived()[0]?.delivery).toMatch(
      /^happened-20251121T000000Z-20251122T000000Z-at-\d{8}T\d{9}Z$/,
    );
  });

  it("sends messages, reports skipped ones, and exits with 6", async () => {
    const { run, home, service } = await newSetting();
    home.write("queries/phones.sql", phones(2, true));
    const { code, err } = await run(["phones", "--to", "chat", "--quiet"]);
    expect(code).toBe(6);
    expect(err).toBe(
      "warning: skipped 1 row with no valid phone number with its country code: 1\n",
    );
    expect(service.arrived().map(({ to }) => to)).toEqual(numbers(2, 1));
  });

  it("of the same range is sent again after it ended", async () => {
    const { run, service } = await newSetting();
    const argv = ["phones", "--to", "chat", "--since", "2025-11-20"];
    expect((await run(argv)).code).toBe(0);
    expect((await run(argv)).code).toBe(0);
    expect(service.arrived()).toHaveLength(10);
  });

  it("prints, logs and stores no secret", async () => {
    const { run, home, service, receiver } = await newSetting();
    const printed = [
      await run(["phones", "--to", "chat", "--log-level", "debug"]),
      await run(["happened", "--to", "hook", "--log-level", "debug"]),
      await run(["targets"]),
      await run(["phones", "--to", "chat"], { env: { CHAT: '{"access_token":"SECRET-wrong"}' } }),
    ];
    const kept = filesBelow(join(home.home, "outbox")).map((name) =>
      readFileSync(join(home.home, "outbox", name), "latin1"),
    );
    const all = [...printed.map(({ out, err }) => out + err), ...kept].join("\n");
    expect(all).toContain('"msg":"answered 20');
    for (const secret of [service.token, receiver.secret, "SECRET-wrong", "CANARY-path"])
      expect(all).not.toContain(secret);
  });
});

describe("export --dry-run", () => {
  it.each([
    ["phones", "chat", "would deliver a text to 5 numbers; nothing was sent"],
    ["happened", "hook", "would deliver 2 rows in 1 request to http://127.0.0.1"],
    ["happened", "lake", "would deliver 2 rows as ndjson for 2 days below"],
  ])("%s to %s: %s", async (report, target, expected) => {
    const { run, home, service, receiver } = await newSetting();
    const { code, out, err } = await run([report, "--to", target, "--dry-run"]);
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toContain(expected);
    expect([...service.calls, ...receiver.calls]).toEqual([]);
    expect(existsSync(join(home.home, "outbox"))).toBe(false);
    expect(existsSync(join(home.folder, "out"))).toBe(false);
  });

  it("names the columns as they would be sent", async () => {
    const { run } = await newSetting();
    const { err } = await run(["happened", "--to", "hook", "--dry-run"]);
    expect(err).toContain("columns: event_name, user, segment\n");
  });

  it("of a report without a range names none, and warns where nothing is loaded yet", async () => {
    using home = await homeWithWarehouse();
    await home.run(["publish"]);
    home.write("queries/one.sql", "-- title: One\n-- grain: one row\nselect 1 as one");
    const lake = { type: "file", folder: "out", format: "ndjson" };
    const config = home.write("auditlake.json", JSON.stringify({ targets: { lake } }));
    const argv = ["--config", config, "export", "one", "--to", "lake", "--dry-run"];
    const { err } = await home.run(argv, { env: { AUDITLAKE_QUERIES: `${home.folder}/queries` } });
    expect(err.split("\n")).toEqual([
      expect.stringMatching(
        /^warning: the database has no events yet, so an empty result proves nothing; /,
      ),
      "columns: one",
      expect.stringMatching(/^dry run: would deliver 1 row as ndjson /),
      "",
    ]);
  });

  it("reports a missing credential and a missing column", async () => {
    const { run } = await newSetting();
    const dry = ["--dry-run"];
    const without = await run(["phones", "--to", "chat", ...dry], {
      env: { AUDITLAKE_QUERIES: "" },
    });
    expect(without.code).toBe(2);
    const incomplete = await run(["happened", "--to", "chat", ...dry]);
    expect(failureLine(incomplete, 2, [])).toMatch(/the result has no column phone_number/);
  });
});

describe("an invalid export exits with 2 and sends nothing", () => {
  it.each([
    [
      ["happened"],
      /no target; expected --to with a target, or --result with its keys; known: chat, hook, lake$/,
    ],
    [["happened", "--to", "crm"], /target crm is not configured; known: chat, hook, lake; /],
    [["happend", "--to", "lake"], /did you mean happened\?/],
    [["happened", "--to", "lake", "--param", "x=1"], /unknown parameter "x"; happened takes since/],
    [["happened", "--to", "lake", "--since", "2026-01-01"], /ends before it starts/],
    [["phones", "--to", "chat", "--resend-uncertain"], /^error: nothing is uncertain/],
    [["happened", "--to", "chat"], /the result has no column phone_number/],
  ])("%j", async (argv, expected) => {
    const { run, service, receiver } = await newSetting();
    expect(failureLine(await run(argv), 2, [])).toMatch(expected);
    expect([...service.calls, ...receiver.calls]).toEqual([]);
  });

  it("for a stored authentication without the key", async () => {
    const { run } = await newSetting();
    const outcome = await run(["phones", "--to", "chat"], {
      env: { CHAT: '{"token":"CANARY"}', AUDITLAKE_QUERIES: "" },
    });
    expect(outcome.err).not.toContain("CANARY");
    expect(outcome.code).toBe(2);
  });
});

it("export targets lists them without secrets, with missing credentials", async () => {
  const { run } = await newSetting();
  const { out } = await run(["targets", "--format", "csv"], {
    env: { CHAT: '{"access_token":"CANARY-token"}' },
  });
  const rows = out.trimEnd().split("\r\n");
  expect(rows[0]).toBe("target,type,goes_to,credentials");
  expect(rows[1]).toMatch(/^chat,messaging_business,"http:\/\/127.0.0.1:\d+",chat$/);
  expect(rows[2]).toMatch(/^hook,webhook,"http:\/\/127.0.0.1:\d+",missing$/);
  expect(rows[3]).toMatch(/^lake,file,".*\/out","none needed"$/);
});
