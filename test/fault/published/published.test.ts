import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newRandom } from "../../../fixtures/random.ts";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import type { Change } from "../../../pipeline/core/store/publish.ts";
import { newCompileCache } from "../../support/compile-cache.ts";
import { newHome, type TestHome } from "../../support/home.ts";
import { fewOrAll } from "../length.ts";
import { publishHome } from "./publish.ts";

// Two published files alternate, and the older one is patched with the changed blocks. In any case readers find a
// complete file, of this or of the previous publication, and the next publication is a copy of the warehouse.

const child = fileURLToPath(new URL("child.ts", import.meta.url));
const env = { ...process.env, NODE_COMPILE_CACHE: newCompileCache() };
const versions: Buffer[] = [];
let home: TestHome;
let trials = 0;

beforeAll(async () => {
  home = newHome();
  for (const [i, count] of [3000, 400, 400, 400].entries()) {
    expect((await home.load(records(i, count))).code).toBe(0);
    versions.push(readFileSync(join(home.home, "warehouse.duckdb")));
  }
});
afterAll(() => home[Symbol.dispose]());

// Texts that do not compress, so that rows fill blocks of their own.
function records(batch: number, count: number): object[] {
  return Array.from({ length: count }, (_, i) => ({
    time: 1_767_225_600 + batch * 86_400 + i,
    event_name: "sign_in",
    id: `${batch}-${i}`,
    query_text: createHash("sha512").update(`${batch} ${i}`).digest("base64").repeat(4),
  }));
}

type Files = ReturnType<typeof resolveHome> & { older: string };

/** A home that has published the first two versions by turns, with the third to be published. */
function turn(): Files {
  const paths = resolveHome(join(home.folder, `trial-${(trials += 1)}`));
  mkdirSync(paths.root);
  put(paths.draft, 0, 1000);
  const files = { ...paths, older: `${paths.published}.older-${statSync(paths.draft).ino}` };
  renameSync(paths.draft, files.older);
  put(files.published, 1, 2000);
  put(files.warehouse, 2, 3000);
  return files;
}

function put(path: string, version: number, seconds: number): void {
  writeFileSync(path, versions[version]!);
  chmodSync(path, 0o440);
  utimesSync(path, seconds, seconds);
}

function publish(
  files: Files,
  step = 0,
  seed = 0,
  change: Change = "grown",
): { code: number | null; steps: number } {
  const argv = [child, files.root, String(step || 1e6), String(seed), change];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", env });
  if (status === 1) throw new Error(stderr);
  return { code: status, steps: Number.parseInt(stdout, 10) };
}

/** A third of the steps in the short form, of which each run of CI has others. */
function drawSteps(steps: number): number[] {
  const random = newRandom(Number(process.env["FAULT_SEED"] ?? 1), "steps");
  const all = Array.from({ length: steps }, (_, i) => i + 1);
  return fewOrAll(
    all.filter(() => random.chance(1 / 3)),
    all,
  );
}

function expectWhole(files: Files, allowed: readonly number[]): void {
  const found = readFileSync(files.published);
  expect(allowed.some((version) => versions[version]!.equals(found))).toBe(true);
}

/** The run after: it publishes what is there, then one version more, by blocks again. */
async function expectRepaired(files: Files): Promise<void> {
  await publishHome(files.root, "grown");
  expectWhole(files, [2]);
  rmSync(files.warehouse);
  put(files.warehouse, 3, 4000);
  await publishHome(files.root, "grown");
  expectWhole(files, [3]);
  expect(existsSync(files.draft)).toBe(false);
  rmSync(files.root, { recursive: true });
}

test.each(["grown", "noted"] as const)(
  "the older file is reused as the next one (%s)",
  async (change) => {
    const files = turn();
    const [older, published] = [statSync(files.older).ino, statSync(files.published).ino];
    const { code, steps } = publish(files, 0, 0, change);
    expect(code).toBe(0);
    expect(statSync(files.published).ino).toBe(older);
    expect(statSync(`${files.published}.older-${published}`).ino).toBe(published);
    expect(statSync(files.published).mode & 0o777).toBe(0o440);
    expect(steps).toBeLessThan(versions[2]!.length / 262_144);
    expectWhole(files, [2]);
    await expectRepaired(files);
  },
);

test.each(["changed", "rewritten"] as const)(
  "no older file keeps pruned rows (%s)",
  async (change) => {
    const files = turn();
    const older = statSync(files.older).ino;
    expect(publish(files, 0, 0, change).code).toBe(0);
    expect(statSync(files.published).ino).not.toBe(older);
    expect(readdirSync(files.root).filter((name) => name.includes(".older-"))).toEqual([]);
    expectWhole(files, [2]);
    await expectRepaired(files);
  },
);

describe("a publication that ends at any step", () => {
  test("by a kill leaves a complete file, and the next one copies the warehouse", async () => {
    const { steps } = publish(turn());
    expect(steps).toBeGreaterThan(8);
    for (const step of drawSteps(steps)) {
      const files = turn();
      expect(publish(files, step).code).toBe(null);
      expectWhole(files, [1, 2]);
      await expectRepaired(files);
    }
  });

  test.each([11, 12])("by a power cut leaves a complete file, too (seed %i)", async (seed) => {
    const { steps } = publish(turn());
    for (const step of drawSteps(steps)) {
      const files = turn();
      expect(publish(files, step, seed * 1000 + step).code).toBe(null);
      expectWhole(files, [1, 2]);
      await expectRepaired(files);
    }
  });
});

describe("a full copy is published", () => {
  const changed: Readonly<Record<string, (files: Files) => void>> = {
    "where there is no older file": ({ older }) => rmSync(older),
    "where a kill left both names on one file": ({ older, published }) => {
      rmSync(older);
      linkSync(published, `${published}.older-${statSync(published).ino}`);
    },
    "where the older file is cut off": ({ older }) => damage(older, () => truncateSync(older, 1e6)),
    "where the older file is of another database": ({ older }) =>
      damage(older, () => writeFileSync(older, Buffer.alloc(versions[0]!.length, 7))),
    "where the older file is a folder": ({ older }) => {
      rmSync(older);
      mkdirSync(older);
    },
    "where another program wrote to the older file": ({ older }) =>
      damage(older, () => {
        const bytes = Buffer.from(versions[0]!);
        bytes.fill(0x55, bytes.length >> 1, (bytes.length >> 1) + 64);
        writeFileSync(older, bytes);
        utimesSync(older, 5000, 5000);
      }),
    "where the home was restored from a copy": ({ older, root }) => {
      cpSync(older, join(root, "copy"), { preserveTimestamps: true });
      renameSync(join(root, "copy"), older);
    },
    "where a program copies the older file": ({ older }) => {
      openFiles.push(openSync(older, "r"));
    },
    "where a draft of a killed run is left": ({ draft }) => copyFileSync(child, draft),
  };

  const openFiles: number[] = [];
  afterAll(() => openFiles.forEach((file) => closeSync(file)));

  function damage(path: string, by: () => void): void {
    chmodSync(path, 0o600);
    by();
  }

  test.each(Object.entries(changed))("%s", async (what, change) => {
    const files = turn();
    const { ino } = statSync(files.older);
    change(files);
    expect(publish(files).code).toBe(0);
    if (!what.includes("draft")) expect(statSync(files.published).ino).not.toBe(ino);
    expectWhole(files, [2]);
    await expectRepaired(files);
  });
});

test("a reader keeps the file that it opened through two publications", async () => {
  const files = turn();
  const instance = await DuckDBInstance.create(files.older, { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  expect(publish(files).code).toBe(0);
  expectWhole(files, [2]);
  const held = statSync(files.published).ino;
  const reader = await DuckDBInstance.create(files.published, { access_mode: "READ_ONLY" });
  await expectRepaired(files);
  for (const each of [connection, await reader.connect()]) {
    const read = await each.runAndReadAll("select count(distinct query_text) from event_rows");
    expect(Number(read.getRows()[0]![0])).toBe(each === connection ? 3000 : 3800);
  }
  expect(held).toBeGreaterThan(0);
  instance.closeSync();
  reader.closeSync();
});
