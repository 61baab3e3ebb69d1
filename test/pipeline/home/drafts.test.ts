import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newHome, type TestHome } from "../../support/home.ts";
// What a process that was killed with SIGKILL while it wrote output leaves beside the files it was to become.

const head = "-- title: How many?\n-- grain: one row per number\n";
const short = `${head}select r.i as n from range(3) as r(i)\n`;

let home: TestHome;
let common: string[];
beforeAll(async () => {
  home = newHome();
  await home.load([{ time: 1, event_name: "sign_in" }]);
  const targets = { lake: { type: "file", folder: "lake", format: "ndjson" } };
  common = ["--config", home.write("auditlake.json", JSON.stringify({ targets })), "--quiet"];
});
afterAll(() => home[Symbol.dispose]());

const queries = (): string => join(home.folder, "queries");
function age(path: string, hours: number): void {
  const seconds = Date.now() / 1000 - hours * 3600;
  if (statSync(path).isDirectory())
    for (const name of readdirSync(path)) age(join(path, name), hours);
  utimesSync(path, seconds, seconds);
}

describe("output", () => {
  let folder: string;
  beforeEach(() => {
    folder = join(home.folder, "others");
    mkdirSync(folder, { recursive: true });
    home.write("queries/count.sql", short);
  });
  const dead = 2 ** 22 + 1;
  const writes = async (): Promise<void> => {
    const argv = [...common, "report", "run", "count", "--queries", queries()];
    const { code } = await home.run([...argv, "--out", join(folder, "count.csv")]);
    expect(code).toBe(0);
  };

  it("leaves old files of other names and of living processes alone", async () => {
    const kept = [
      `.auditlake-${process.pid}-7.tmp`,
      ".auditlake-x-0.tmp",
      `auditlake-${dead}-0.tmp`,
      `.auditlake-${dead}-0.tmp.csv`,
      "notes.tmp",
    ];
    for (const name of kept) {
      writeFileSync(join(folder, name), "theirs");
      age(join(folder, name), 100);
    }
    await writes();
    expect(kept.filter((name) => !existsSync(join(folder, name)))).toEqual([]);
  });

  it("takes away what a process that is gone left a day ago, and no sooner", async () => {
    const draft = join(folder, `.auditlake-${dead}-0.tmp`);
    writeFileSync(draft, "n\r\n0\r\n");
    await writes();
    expect(existsSync(draft)).toBe(true);
    age(draft, 25);
    await writes();
    expect(existsSync(draft)).toBe(false);
  });

  it("keeps an old draft of which something was changed of late", async () => {
    const draft = join(folder, `.auditlake-${dead}-1.tmp`);
    mkdirSync(draft);
    writeFileSync(join(draft, "part.csv"), "a\r\n");
    age(draft, 100);
    writeFileSync(join(draft, "part.csv"), "a\r\nb\r\n");
    await writes();
    expect(existsSync(join(draft, "part.csv"))).toBe(true);
    age(draft, 100);
    await writes();
    expect(existsSync(draft)).toBe(false);
  });

  it("follows no link out of the folder", async () => {
    const elsewhere = home.write("elsewhere/precious.txt", "kept");
    const link = join(folder, `.auditlake-${dead}-2.tmp`);
    symlinkSync(join(elsewhere, ".."), link);
    await writes();
    expect(readFileSync(elsewhere, "utf8")).toBe("kept");
  });
});
