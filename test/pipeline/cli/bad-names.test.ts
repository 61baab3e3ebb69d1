import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failureLine } from "../../support/failure.ts";
import { formatLines, newHome, type TestHome } from "../../support/home.ts";
import type { Outcome } from "../../support/command.ts";
import { testKey } from "../../support/key.ts";

// A name from the command line or the environment may lead out of a folder, or to a property that every object has.

const inherited = Object.getOwnPropertyNames(Object.prototype);
const bad = [
  ...inherited,
  "../../evil",
  "..",
  ".",
  "/etc/passwd",
  "a/b",
  "a\\b",
  "",
  " ",
  "a b",
  "a\nb",
  "a\u0000b",
  "\u001b[31mred",
  "\u202egnp",
  "é",
  "-a",
  "a".repeat(65),
  "x'; drop table events; --",
];
const verbs = [
  ["ingest"],
  ["import", "FILE"],
  ["status"],
  ["users"],
  ["catalog", "coverage"],
  ["policy", "get", "1"],
  ["prune", "--before", "1d", "--dry-run"],
  ["publish"],
  ["rebuild"],
  ["sql", "select 1"],
  ["report", "run", "denials_by_actor"],
];

let home: TestHome;
let config: string;
let argvOf: (verb: readonly string[]) => string[];
beforeAll(async () => {
  home = newHome();
  expect((await home.load([{ time: 1, event_name: "job_kill" }])).code).toBe(0);
  const file = home.write("a.ndjson", formatLines([{ time: 1, event_name: "job_kill" }]));
  const target = { type: "webhook", url: "https://a.example", secret: "__SAVED__" };
  const targets = Object.fromEntries(
    ["constructor", "__proto__", "missing"].map((authentication, i) => [
      `t${i}`,
      { ...target, authentication },
    ]),
  );
  config = home.write("auditlake.json", JSON.stringify({ targets }));
  argvOf = (verb) => ["--config", config, ...verb.map((word) => (word === "FILE" ? file : word))];
});
afterAll(() => home[Symbol.dispose]());

const refuse = (outcome: Outcome): string => {
  const line = failureLine(outcome, 2, [testKey]);
  expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  return line;
};

describe("a source named", () => {
  it.each(bad)("%j is refused by every verb", async (name) => {
    for (const verb of verbs)
      expect(refuse(await home.run([`--source=${name}`, ...argvOf(verb)]))).toContain("--source ");
    const env = { AUDITLAKE_SOURCE: name };
    expect(refuse(await home.run(argvOf(["ingest"]), { env }))).toContain("AUDITLAKE_SOURCE ");
    const doctor = await home.run([`--source=${name}`, ...argvOf(["doctor"])]);
    expect([doctor.code, doctor.out]).toEqual([2, expect.stringMatching(/^fail .*--source /m)]);
  });

  it("with an invalid name leaves no file anywhere", () => {
    expect(readdirSync(home.folder).sort()).toEqual(
      ["a.ndjson", "auditlake.json", "home", "records-1.ndjson"].sort(),
    );
    expect(existsSync(join(home.folder, "evil"))).toBe(false);
  });

  it.each(["prod", "a.b-c_d", "9", "Constructor", "a".repeat(64)])("%s is valid", async (name) => {
    const { code, err } = await home.run(["--source", name, ...argvOf(["import", "FILE"])]);
    expect([code, err]).toEqual([0, err]);
  });
});

describe("a property that every object has", () => {
  it.each(["constructor", "__proto__", "toString"])(
    "is not a target, activation, job, report or parameter: %s",
    async (name) => {
      const run = async (...verb: string[]): Promise<string> =>
        refuse(await home.run(argvOf(verb)));
      expect(await run("export", "denials_by_actor", "--to", name)).toMatch(/not configured/);
      expect(await run("activate", name)).toMatch(/not configured/);
      expect(await run("schedule", "run", name)).toMatch(/job|command|argument/);
      expect(await run("report", "run", name)).toMatch(/no report is called/);
      expect(await run("report", "run", "denials_by_actor", "--param", `${name}=1`)).toMatch(
        /unknown parameter/,
      );
      expect(await run("catalog", "show", name)).toContain(name);
    },
  );

  it.each(inherited)("is not a name in the configuration: %s", async (name) => {
    const sources = `{"sources":{${JSON.stringify(name)}:{}}}`;
    const path = home.write("named.json", sources);
    expect(refuse(await home.run(["--config", path, "publish"]))).toMatch(/named\.json/);
  });

  it("is not an authentication", async () => {
    for (const target of ["t0", "t1", "t2"])
      expect(
        refuse(await home.run(argvOf(["export", "denials_by_actor", "--to", target]))),
      ).toMatch(/authentication \S+ is not configured/);
  });
});
