import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { withHead } from "../../../../pipeline/outgoing/targets/destination.ts";
import { newHome } from "../../../support/home.ts";
import { readSettings } from "../../../../pipeline/base/home/settings.ts";
import { checkEvidence } from "../../../../pipeline/cli/doctor/evidence.ts";
import type { Finding } from "../../../../pipeline/cli/doctor/finding.ts";
import { testWorld } from "../../../support/world.ts";
import { newSignedHome, type SignedHome } from "./signed-home.ts";

const isSigned = (note: string): boolean => note.includes("\n\n— audit.example/");

/** What doctor reports of the evidence of a home. */
function checkHome({ home: { home }, config }: SignedHome): Finding[] {
  const flags = { home, config, logLevel: "error", progress: "none" } as const;
  return [...checkEvidence(readSettings(flags, testWorld()), false)];
}

const listFailures = (home: SignedHome): string[] =>
  checkHome(home).flatMap(({ level, check }) => (level === "fail" ? check : []));

describe("evidence init", () => {
  test("writes a key of mode 600 and prints the verifier key alone", async () => {
    using home = await newSignedHome(false);
    const { code, out, err } = await home.run("evidence", "init");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^audit\.example\/[0-9a-f]{16}\+[0-9a-f]{8}\+AQ?[A-Za-z0-9+/]{43}=*\n$/);
    expect(statSync(home.keyFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(home.landing, "log/key.pub"), "utf8")).toBe(out);
    await home.load();
    expect(isSigned(home.readHead())).toBe(true);
  });

  test("retains an existing key, and refuses one inside the home and a missing one", async () => {
    using home = await newSignedHome();
    const again = await home.run("evidence", "init");
    expect(again.code).toBe(2);
    expect(again.err).toMatch(/^error: evidence\.key_file .* already exists; it was not replaced/);
    using other = newHome();
    const none = await other.run(["evidence", "init"]);
    expect(none.err).toMatch(/^error: evidence\.key_file is not configured/);
    const config = other.write(
      "auditlake.json",
      JSON.stringify({ evidence: { key_file: join(other.home, "key.pem") } }),
    );
    const inside = await other.run(["--config", config, "evidence", "init"]);
    expect(inside.err).toMatch(/^error: evidence\.key_file .* is inside the home/);
    expect(inside.err.trim().split("\n")).toHaveLength(1);
  });

  test("does not change the key of a log that was signed", async () => {
    using home = await newSignedHome();
    await home.load();
    rmSync(home.keyFile);
    expect((await home.run("evidence", "init")).err).toContain("was signed with the key of");
    const { code, err } = await home.load();
    expect(code).toBe(6);
    expect(err).toMatch(/is not signed: evidence\.key_file .* does not exist/);
  });
});

describe("the evidence log", () => {
  test("has a leaf of the program and of each landed file, and without a key a head of three lines", async () => {
    using home = newHome();
    for (const time of [1, 2]) await home.load([{ event_name: "x.y", time: 1_764_000_000 + time }]);
    const landing = join(home.home, "landing");
    const lines = readFileSync(join(landing, "log/entries.ndjson"), "utf8").trimEnd().split("\n");
    const leaves = lines.map((line) => JSON.parse(line) as { kind: string; index: number });
    expect(leaves.map(({ kind }) => kind)).toEqual(["program", "read", "read"]);
    expect(leaves.map(({ index }) => index)).toEqual([0, 1, 2]);
    const { out } = await home.run(["evidence", "head"]);
    expect(out).toBe(readFileSync(join(landing, "log/head"), "utf8"));
    expect(out.split("\n")).toHaveLength(4);
    expect(await home.rows("select leaf_index from window_reads order by 1")).toEqual([
      { leaf_index: "1" },
      { leaf_index: "2" },
    ]);
  });

  test("cuts a truncated last line, and adds a missing leaf of a landed file", async () => {
    using home = await newSignedHome();
    await home.load();
    appendFileSync(join(home.landing, "log/entries.ndjson"), '{"v":1,"index":2,"ki');
    const read = readdirSync(join(home.landing, "reads"))[0]!;
    cpSync(join(home.landing, "reads", read), join(home.landing, "reads/stray.json"));
    expect((await home.run("status")).out).toContain("1 landed file without an entry in the log");
    await home.run("publish");
    const lines = home.readLog();
    expect(lines.at(-1)).toMatch(/^\{"v":1,"index":2,"kind":"read","path":"reads\/stray\.json"/);
  });

  test("adds the landed files of an older home in the order of their reads", async () => {
    using home = await newSignedHome();
    for (let i = 0; i < 3; i++) await home.load();
    const before = home.readLog();
    rmSync(join(home.landing, "log"), { recursive: true });
    rmSync(home.heads, { recursive: true });
    mkdirSync(home.heads);
    await home.run("publish");
    const after = home.readLog();
    expect(after.slice(0, 3).every((line) => line.endsWith(',"later":true}'))).toBe(true);
    const hashes = (lines: readonly string[]): unknown[] =>
      lines.flatMap((line) => (JSON.parse(line) as { sha256?: string }).sha256 ?? []);
    expect(hashes(after)).toEqual(hashes(before));
  });

  test("does not stop an import if it cannot be written", async () => {
    using home = await newSignedHome();
    await home.load();
    rmSync(join(home.landing, "log/entries.ndjson"));
    mkdirSync(join(home.landing, "log/entries.ndjson"));
    const { code, err } = await home.load();
    expect(code).toBe(6);
    expect(err).toMatch(
      /^error: the evidence log is not up to date \(.*\); data is loaded nevertheless$/m,
    );
    expect(await home.home.count("select count(*) from events")).toBe(2);
    expect((await home.run("status")).out).toMatch(/warning: cannot be read: /);
    expect(listFailures(home)).toEqual(["evidence", "signing"]);
  });
});

test("is skipped with a warning in a home without a readable id", async () => {
  using home = await newSignedHome();
  await home.load();
  writeFileSync(join(home.landing, "log/home.json"), "{}");
  const { code, err } = await home.load();
  expect(code).toBe(6);
  expect(err).toMatch(/^error: the evidence log is not up to date \(.* has no id of this home/m);
  expect(await home.home.count("select count(*) from events")).toBe(2);
});

describe("a signed head", () => {
  test("is sent out with each run, and never replaced by another one", async () => {
    using home = await newSignedHome();
    await home.load();
    const size = home.readLog().length;
    expect(readFileSync(join(home.heads, `${size}.checkpoint`), "utf8")).toBe(home.readHead());
    const next = join(home.heads, `${size + 1}.checkpoint`);
    const other = home.readHead().replace(/^\d+$/m, String(size + 1));
    writeFileSync(next, other);
    const { code, err } = await home.load();
    expect(code).toBe(6);
    expect(err).toMatch(/^error: the head of the evidence log is not signed: the first/m);
    expect(readFileSync(next, "utf8")).toBe(other);
  });

  test("is not signed in a restored home until that is adopted", async () => {
    using home = await newSignedHome();
    await home.load();
    cpSync(home.home.home, `${home.home.home}-old`, { recursive: true });
    for (let i = 0; i < 3; i++) await home.load();
    const signed = home.readHead();
    rmSync(home.home.home, { recursive: true });
    cpSync(`${home.home.home}-old`, home.home.home, { recursive: true });
    chmodSync(home.home.home, 0o700);
    const { code, err } = await home.load();
    expect(code).toBe(6);
    expect(err).toContain("it was restored, cloned or truncated");
    expect(isSigned(home.readHead())).toBe(false);
    const adopted = await home.run("evidence", "adopt");
    expect(adopted.out).toMatch(/^audit\.example\//);
    expect(adopted.err).toContain("choose a separate folder for this home");
    expect(home.readHead().split("\n")[0]).not.toBe(signed.split("\n")[0]);
  });

  test("is not updated after entries were cut or changed", async () => {
    using home = await newSignedHome();
    for (let i = 0; i < 3; i++) await home.load();
    const [before, lines] = [home.readHead(), home.readLog()];
    const path = join(home.landing, "log/entries.ndjson");
    const cases = [lines.slice(0, 2), lines.with(1, lines[1]!.replace('"at":"2', '"at":"3'))];
    for (const changed of cases) {
      writeFileSync(path, changed.map((line) => `${line}\n`).join(""));
      const { code, err } = await home.load();
      expect(code).toBe(6);
      expect(err).toMatch(
        /^error: the evidence log was modified, so its head remains unchanged: /m,
      );
      expect(home.readHead()).toBe(before);
      expect(listFailures(home)).toEqual(["evidence", "signing"]);
    }
  });

  test("is not signed with a key that others may read, or a different key", async () => {
    using home = await newSignedHome();
    await home.load();
    chmodSync(home.keyFile, 0o644);
    const readable = await home.load();
    expect(readable.code).toBe(6);
    expect(readable.err).toMatch(/has mode 644, expected 600: others may read it/);
    expect(readable.err.match(/evidence\.key_file/g)).toHaveLength(1);
    chmodSync(home.keyFile, 0o600);
    await home.load();
    expect(isSigned(home.readHead())).toBe(true);
    using other = await newSignedHome();
    cpSync(other.keyFile, home.keyFile);
    expect((await home.load()).err).toContain("differs from landing/log/key.pub");
  });
});

test("is checked by doctor, which reports what prevents the next signature", async () => {
  using home = await newSignedHome();
  await home.load();
  const entries = join(home.landing, "log/entries.ndjson");
  const copies = [home.keyFile, entries].map((path) => [path, readFileSync(path)] as const);
  const cases: readonly [() => void, RegExp][] = [
    [() => undefined, /^ok: key of audit\.example\/\w+; heads go to /],
    [() => rmSync(home.keyFile), /^fail: .* does not exist; .*evidence init/],
    [() => chmodSync(home.keyFile, 0o644), /^fail: .* has mode 644, expected 600/],
    [() => writeFileSync(home.keyFile, "x", { mode: 0o600 }), /^fail: .* cannot be read/],
    [() => writeFileSync(entries, ""), /^fail: .* it was restored, cloned or truncated/],
    [() => rmSync(home.heads, { recursive: true }), /^fail: .* is not a folder; mount it/],
  ];
  for (const [change, expected] of cases) {
    change();
    const found = checkHome(home).filter(({ check }) => check === "signing");
    expect(found.map(({ level, text }) => `${level}: ${text}`)).toEqual([
      expect.stringMatching(expected),
    ]);
    for (const [path, content] of copies) {
      rmSync(path, { force: true });
      writeFileSync(path, content, { mode: 0o600 });
    }
  }
});

test("is part of a summary, a message and the daily report", async () => {
  using home = await newSignedHome();
  await home.load();
  const head = home.readHead();
  const summary = join(home.home.folder, "summary.json");
  const question = ["report", "run", "events_by_day", "--since", "2025-01-01"];
  const found = await home.run(...question, "--fail-on-rows", "--summary", summary);
  expect(found.code).toBe(3);
  expect(JSON.parse(readFileSync(summary, "utf8"))).toMatchObject({ evidence_head: head });
  expect(withHead({ title: "t", text: "one" }, head).text).toBe(`one\n\n${head.trimEnd()}`);
  const pages = join(home.home.folder, "pages");
  expect((await home.run("page", "--out", pages)).code).toBe(0);
  const page = readFileSync(join(pages, readdirSync(pages)[0]!), "utf8");
  const inLine = head.trimEnd().replaceAll(/\n+/g, " · ").replaceAll("+", "&#43;");
  expect(page.replaceAll("+", "&#43;")).toContain(inLine);
});

describe("evidence consistency and proof", () => {
  test("exit with 3 for a fork and for an older head that is larger", async () => {
    using home = await newSignedHome();
    for (let i = 0; i < 2; i++) await home.load();
    const names = readdirSync(home.heads).toSorted(
      (a, b) => Number.parseInt(a) - Number.parseInt(b),
    );
    const [old, newest] = [names[0]!, names.at(-1)!].map((name) => join(home.heads, name));
    expect((await home.run("evidence", "consistency", old!, newest!)).code).toBe(0);
    expect((await home.run("evidence", "consistency", newest!, old!)).code).toBe(3);
    const lines = readFileSync(old!, "utf8").split("\n");
    const fork = home.home.write("fork", lines.with(2, `${"A".repeat(43)}=`).join("\n"));
    expect((await home.run("evidence", "consistency", fork, newest!)).code).toBe(3);
    const other = home.home.write("other", lines.with(0, "other.example/1").join("\n"));
    const stranger = await home.run("evidence", "consistency", other, newest!);
    expect(stranger).toMatchObject({ code: 1, out: "" });
    expect(stranger.err).toContain("expected two heads of one log");
    expect((await home.run("evidence", "proof", "no-such-read")).code).toBe(1);
    expect((await home.run("evidence", "proof", "99")).err).toContain("has no entry 99");
  });
});
