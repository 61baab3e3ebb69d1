import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { childEnv } from "../../../support/child-env.ts";
import { failureLine } from "../../../support/failure.ts";
import type { Outcome } from "../../../support/command.ts";
import { heard } from "../../../support/heard.ts";
import { programPath } from "../../../support/killed.ts";
import { watchOutput } from "../../../support/output.ts";
import { newDesk, type Desk } from "./desk.ts";

let desk: Desk;
let id: string;
let a: string;
let b: string;
let c: string;
beforeEach(async () => {
  desk = await newDesk();
  [a, b, c] = desk.databases
    .map(Number)
    .sort((x, y) => x - y)
    .map(String) as [string, string, string];
  id = await desk.newPolicy({
    Databases: [{ operation: "download" }, { operation: "query", ids: `${a},${b}` }],
  });
});
afterEach(() => desk[Symbol.asyncDispose]());

const set = (...argv: string[]): Promise<Outcome> => desk.policy(["set", id, ...argv]);
const edit = (grants: string[], revokes: string[]): Promise<Outcome> =>
  set(
    ...grants.flatMap((text) => ["--grant", text]),
    ...revokes.flatMap((text) => ["--revoke", text]),
    "--yes",
  );
const patches = (): number => desk.requests().filter((line) => line.startsWith("PATCH")).length;

describe("policy set", () => {
  it("adds and revokes single permissions and leaves the others unchanged", async () => {
    const { code, out, err } = await edit(
      [`query:${c}`, `edit:${a}`, "manage"],
      [`query:${a}`, "download"],
    );
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toBe(
      [
        "- Databases  download",
        `- Databases  query     ${a}`,
        `+ Databases  edit      ${a}`,
        "+ Databases  manage",
        `+ Databases  query     ${c}`,
        `policy ${id} at default: 3 permissions added, 2 removed, 1 unchanged`,
        "warning: manage grants every operation on every database",
        `policy ${id} is set and verified`,
        "",
      ].join("\n"),
    );
    expect(desk.setOf(id)).toEqual({
      Databases: [
        { operation: "manage" },
        { operation: "query", ids: `${b},${c}` },
        { operation: "edit", ids: a },
      ],
    });
  });

  it("accepts a single id without an array in a file", async () => {
    const text = `{"Databases":[{"operation":"query","ids":${a}}]}`;
    const file = desk.remote.home.write("set.json", text);
    expect(await set("--file", file, "--yes")).toMatchObject({ code: 0 });
    expect(desk.setOf(id)).toEqual({ Databases: [{ operation: "query", ids: a }] });
  });

  it("sends nothing if nothing would change", async () => {
    const file = desk.remote.home.write(
      "set.json",
      JSON.stringify({
        Databases: [{ operation: "query", ids: `${b},${a}` }, { operation: "download" }],
      }),
    );
    for (const argv of [
      ["--file", file],
      ["--grant", `query:${a}`],
      ["--revoke", `query:${c}`, "--revoke", "edit"],
      ["--grant", "download"],
    ])
      expect(await set(...argv)).toEqual({
        code: 0,
        out: "",
        err: `policy ${id}: nothing to change, nothing was sent\n`,
      });
    expect(patches()).toBe(0);
  });

  it("shows what would change under --dry-run and stops", async () => {
    const { code, out, err } = await set("--grant", `edit:${c}`, "--dry-run");
    expect({ code, out }).toEqual({ code: 0, out: `+ Databases  edit  ${c}\n` });
    expect(err).toMatch(/1 permission added, 0 removed, 3 unchanged\ndry run: nothing was sent\n$/);
    expect(patches()).toBe(0);
  });

  it("prints nothing under --quiet except its question, or the change under --dry-run", async () => {
    const quiet = (...argv: string[]): Promise<Outcome> =>
      set("--revoke", "download", "--quiet", ...argv);
    const line = "- Databases  download\n";
    expect(await quiet("--dry-run")).toEqual({ code: 0, out: line, err: "" });
    expect(await quiet()).toMatchObject({ code: 2, out: "", err: expect.stringContaining(line) });
    expect(await quiet("--yes")).toEqual({ code: 0, out: "", err: "" });
  });

  it("sets the policy although its standard output is closed", async () => {
    desk.remote.clock.nowMs = Date.now();
    const argv = ["--home", desk.remote.home.home, "policy", "set", id, "--revoke", "query"];
    const child = spawn(
      "bash",
      ["-c", `set -o pipefail; "$0" "$@" | true`, process.execPath, programPath, ...argv, "--yes"],
      { env: childEnv(desk.remote.env()), stdio: ["ignore", 1, "pipe"] },
    );
    watchOutput(child);
    let printed = "";
    child.stderr!.on("data", (part: Buffer) => (printed += String(part)));
    expect((await once(child, "close"))[0]).toBe(0);
    expect(printed).toMatch(/- Databases  query .*\npolicy .* is set and verified\n$/s);
    expect(desk.setOf(id)).toEqual({ Databases: [{ operation: "download" }] });
  });
});

describe("the confirmation of policy set", () => {
  const terminal = (text: string): PassThrough & { isTTY: boolean } => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end(text);
    return stdin;
  };
  const ask = (text: string): Promise<Outcome> =>
    desk.policy(["set", id, "--revoke", "download"], { stdin: terminal(text) });

  it.each(["y\n", "YES\n"])("accepts %j", async (text) => {
    const { code, err } = await ask(text);
    expect(code).toBe(0);
    expect(err).toContain("Set these permissions? [y/N] ");
    expect(patches()).toBe(1);
  });

  it.each(["", "\n", "n\n", "yet\n"])("refuses %j", async (text) => {
    const { code, err } = await ask(text);
    expect(code).toBe(1);
    expect(err).toMatch(/error: not confirmed; nothing was sent\n$/);
    expect(patches()).toBe(0);
  });

  it("refuses Ctrl-C", async () => {
    const controller = new AbortController();
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const { stream: stderr, text } = heard();
    const { signal } = controller;
    const done = desk.policy(["set", id, "--revoke", "download"], { stdin, stderr, signal });
    await expect.poll(text).toContain("Set these permissions? [y/N] ");
    controller.abort();
    expect((await done).code).toBe(130);
    expect(patches()).toBe(0);
  });

  it("needs --yes without a terminal", async () => {
    const { code, err } = await set("--revoke", "download");
    expect(code).toBe(2);
    expect(err).toMatch(
      /error: nothing was sent: confirmation needs a terminal; add --yes to set it\n$/,
    );
    expect(patches()).toBe(0);
  });
});

describe("invalid input sends nothing", () => {
  it.each([
    [["--grant", "audit:1"], /unknown operation audit/],
    [["--grant", "Query:1"], /operation "Query" is not a lower-case word/],
    [["--grant", "manage:1"], /ids on manage; .*; .* unknown, --allow-undocumented/],
    [["--grant", "query"], /query without ids; .*--allow-undocumented/],
    [["--grant", "query:1, 2"], /--grant "query:1, 2": ids contains spaces/],
    [["--grant", "query:1,,2"], /ids has an empty item/],
    [["--grant", "query:"], /ids is empty/],
    [
      ["--grant", "query:1,finance"],
      /"finance" is not a database id; auditlake access who finance/,
    ],
    [["--revoke", "edit:finance"], /"finance" is not a database id/],
    [["--revoke", "qurey:1"], /--revoke qurey: no such operation; expected one of manage/],
    [["--revoke", "query:1,"], /ids has an empty item/],
    [["--grant", "edit:1", "--revoke", "edit:1"], /edit:1 is both granted and revoked/],
    [["--revoke", "download:1"], /the policy has download without ids/],
    [["--revoke", "download", "--revoke", "query"], /Databases is empty; .*--allow-undocumented/],
    [[], /expected either --file .* or --grant and --revoke/],
    [["--file", "/nowhere/set.json", "--grant", "manage"], /expected either --file .* or --grant/],
    [
      ["--file", "/nowhere/set.json"],
      /cannot read the permission set \/nowhere\/set\.json: there is no such file/,
    ],
  ] as const)("%j", async (argv, message) => {
    expect(failureLine(await set(...argv, "--yes"), 2, [])).toMatch(message);
    expect(patches()).toBe(0);
  });

  it.each([
    [
      '{"Databases":[{"operation":"query","ids":"1"},{"operation":"query","ids":"2"}]}',
      /a second entry for query/,
    ],
    ['{"Databases":[{"operation":"manage","ids":"1"}]}', /Databases\[0\]: ids on manage/],
    ['{"Databases":[{"operation":"edit"}]}', /Databases\[0\]: edit without ids/],
    ['{"Databases":[{"operation":"QUERY","ids":"1"}]}', /not a lower-case word/],
    ['{"Databases":[{"operation":"query","ids":"1 ,2"}]}', /ids contains spaces/],
    ['{"Databases":[],"Jobs":[]}', /Jobs beside Databases; .* \(and 1 more\)/],
    ["[]", /not a JSON object/],
    ["{", /is not JSON; expected \{"Databases"/],
    [Buffer.from([0x7b, 0xff]), /set\.json is not UTF-8 text/],
  ] as const)("a file of %j", async (text, message) => {
    const file = desk.remote.home.write("set.json", text as string);
    expect(failureLine(await set("--file", file, "--yes"), 2, [])).toMatch(message);
    expect(desk.requests()).toEqual([]);
  });

  it("a policy that does not exist, a caller who may not", async () => {
    const none = await desk.policy(["set", "404", "--grant", "manage", "--yes"]);
    expect(failureLine(none, 1, [])).toMatch(/policy 404 does not exist/);
    const analyst = desk.access.users().find((user) => !user.administrator)!;
    const env = { ...desk.remote.env(), AUDITLAKE_API_KEY: desk.access.findKey(analyst.email) };
    const denied = await desk.policy(["set", id, "--grant", "manage", "--yes"], { env });
    expect(failureLine(denied, 4, [env.AUDITLAKE_API_KEY])).toMatch(/403 .*refused the key/);
    expect(patches()).toBe(0);
  });
});

describe("content that the reference does not show", () => {
  const further = { Jobs: [{ operation: "run", name: "daily" }] };
  beforeEach(() => desk.setElsewhere(id, { ...desk.setOf(id), ...further }));

  it("is sent, as it was read, only with the flag", async () => {
    const line = failureLine(await set("--revoke", "download", "--yes"), 2, []);
    expect(line).toMatch(/the resulting set: Jobs beside Databases; .*--allow-undocumented/);
    expect(patches()).toBe(0);
    expect(await set("--revoke", "download", "--yes", "--allow-undocumented")).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^- Databases  download\n/),
    });
    expect(desk.setOf(id)).toEqual({
      ...further,
      Databases: [{ operation: "query", ids: `${a},${b}` }],
    });
  });

  it("is shown as revoked by a file without it, and a service that retains it is reported", async () => {
    const text = JSON.stringify({ Databases: [{ operation: "query", ids: a }] });
    const file = desk.remote.home.write("set.json", text);
    const { code, err } = await set("--file", file, "--yes");
    expect(code).toBe(6);
    expect(err).toContain('- Jobs       run       "daily"\n');
    expect(err).toMatch(
      /warning: policy \d+ was set, but the service retains .*: Jobs; to remove them/,
    );
    expect(desk.setOf(id)).toEqual({ ...further, Databases: [{ operation: "query", ids: a }] });
  });
});

describe("a service that treats the body as the complete set of every kind", () => {
  it("drops what a file omits", async () => {
    await using other = await newDesk({ unnamedKinds: "dropped" });
    const policy = await other.newPolicy({
      Jobs: [{ operation: "run" }],
      Databases: [{ operation: "manage" }],
    });
    const file = other.remote.home.write("set.json", '{"Databases":[{"operation":"download"}]}');
    expect(await other.policy(["set", policy, "--file", file, "--yes"])).toMatchObject({ code: 0 });
    expect(other.setOf(policy)).toEqual({ Databases: [{ operation: "download" }] });
  });
});
