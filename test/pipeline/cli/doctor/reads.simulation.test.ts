import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readFindings } from "../../../../pipeline/cli/doctor/reads.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import type { Manifest } from "../../../../pipeline/core/landing/manifests.ts";
import { openPublished } from "../../../../pipeline/core/store/open.ts";
import { checks, newScene } from "./scene.ts";

// A user who may write below landing may change what a rebuild would make; the ledger has the original.

const scene = newScene();
const folder = (): string => join(scene.home(), "landing", "reads");
const names = (): string[] => readdirSync(folder()).sort();
const manifest = (name: string): Manifest =>
  JSON.parse(readFileSync(join(folder(), name), "utf8")) as Manifest;
const write = (name: string, content: object): void =>
  writeFileSync(join(folder(), name), JSON.stringify(content));

it("doctor --deep reports every manifest that differs from the ledger", async () => {
  const env = await scene.start();
  await scene.read(env);
  const files = names().filter((name) => manifest(name).pages.length > 0);
  const [name = "", other = ""] = files;
  const original = manifest(name);
  {
    const limits = { memoryLimit: "500MB", threads: 2 };
    await using database = await openPublished(resolveHome(scene.home()).published, limits);
    const all = names().map(manifest);
    const find = async (manifests: readonly Manifest[], isAtWork = false): Promise<string> => {
      const landed = { manifests, known: new Set(["pruned"]), isAtWork };
      const findings = await readFindings(database.connection, landed);
      return findings.map(({ level, text }) => `${level} ${text}`).join("\n");
    };
    expect(await find(all)).toBe("");
    for (const [key, edit] of edits(original, manifest(other))) {
      const changed = all.map((one) =>
        one.read_id === original.read_id ? { ...one, ...edit } : one,
      );
      const printed = `fail 1 manifest differ from the ledger: ${original.read_id} in ${key};`;
      expect(await find(changed)).toContain(printed);
    }
    const extra = { ...original, read_id: "extra" };
    expect(await find([...all, extra], true)).toBe("");
    const extras = Array.from({ length: 6 }, (_, n) => ({ ...original, read_id: `extra${n}` }));
    const five = "extra0; extra1; extra2; extra3; extra4";
    expect(await find([...all, ...extras.slice(0, 5)])).toContain(`: ${five}; if a run`);
    expect(await find([...all, ...extras])).toContain(`: ${five}; and more; if a run`);
  }
  write(name, { ...original, source: "other" });
  const gone = manifest(other).read_id;
  rmSync(join(folder(), other));
  const id = "20200101T000000Z-00000000-20200101T000000Z";
  write(`${id}.json`, { ...original, read_id: id });
  const outcome = await scene.auditlake(["doctor", "--no-reports", "--deep"], env);
  const text = checks(outcome)["manifests"]!.split(" / ");
  expect([outcome.code, text.map((line) => line.split(" ")[0])]).toEqual([
    1,
    ["fail", "fail", "warn"],
  ]);
  expect(text.map((line, i) => line.includes([original.read_id, gone, id][i]!))).toEqual([
    true,
    true,
    true,
  ]);
});

function edits(original: Manifest, other: Manifest): [string, Partial<Manifest>][] {
  const later = (text: string | null): string => String(text).replace(/^\d{4}/, "2020");
  return [
    ["source", { source: "other" }],
    ["run_id", { run_id: "20200101T000000Z-00000000" }],
    ["window_start", { window_start: later(original.window_start) }],
    ["window_end", { window_end: null }],
    ["read_at", { read_at: later(original.read_at) }],
    ["server_time", { server_time: null }],
    ["pages", { pages: [] }],
    ["pages", { pages: [...original.pages, ...other.pages] }],
    ["pages", { pages: original.pages.map((page) => ({ ...page, bytes: page.bytes + 1 })) }],
  ];
}
