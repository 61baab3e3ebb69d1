import {
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newRandom, type Random } from "../../../../fixtures/random.ts";
import { fewOrAll } from "../../../fault/length.ts";
import { failureLine } from "../../../support/failure.ts";
import { onePublication } from "./one-publication.ts";
import { readFiles, readVersions } from "./reader.ts";
import { eventsAtHome, eventsInLake } from "./scene.ts";

// Files of a lake are lost or damaged in random ways. A full check finds each, and a full publish restores the
// database's content in the lake. What the log of a table has lost is never treated as empty.

const scene = onePublication();

type Harm = (path: string, random: Random, others: readonly string[]) => void;

const harms: Readonly<Record<string, Harm>> = {
  lost: (path) => rmSync(path),
  emptied: (path) => truncateSync(path, 0),
  shorter: (path, random) => truncateSync(path, random.int(1, readFileSync(path).length - 1)),
  "with another bit": (path, random) => {
    const bytes = readFileSync(path);
    bytes[random.int(0, bytes.length - 1)]! ^= 1 << random.int(0, 7);
    writeFileSync(path, bytes);
  },
  longer: (path, random) => writeFileSync(path, "x".repeat(random.int(1, 9)), { flag: "a" }),
  "another file": (path, random, others) => copyFileSync(random.pick(others), path),
};

type Harmed = { readonly path: string; readonly how: string };

function harm(paths: readonly string[], random: Random): Harmed[] {
  const left = [...paths];
  return Array.from({ length: random.int(1, 3) }, () => {
    const [path] = left.splice(random.int(0, left.length - 1), 1);
    const how = random.pick(Object.keys(harms));
    const others = left.filter((other) => !readFileSync(other).equals(readFileSync(path!)));
    harms[how]!(path!, random, others);
    return { path: path!, how };
  });
}

function dataFiles(root: string): string[] {
  return Object.entries(readVersions(root)).flatMap(([table, version]) =>
    readFiles(root, table, version).map((file) => join(root, table, file)),
  );
}

function logFiles(root: string): string[] {
  const logs = Object.keys(readVersions(root)).flatMap((table) => {
    const log = join(root, table, "_delta_log");
    return readdirSync(log).map((name) => join(log, name));
  });
  return [...logs, join(root, "lake.json")];
}

const seeds = fewOrAll(
  [1],
  Array.from({ length: 60 }, (_, i) => i + 1),
);

describe("damaged files of a lake", () => {
  it.each(seeds)("are found, and rewritten by a full publish, seed %i", async (seed) => {
    const { home } = scene;
    const random = newRandom(seed, "damage");
    const all = harm(dataFiles(home.root), random);
    const said = all.map(({ path, how }) => `${path.slice(home.root.length)} ${how}`).join(", ");
    const { code, out } = await home.lake("verify");
    expect(code, said).toBe(1);
    for (const { path } of all) expect(out, said).toContain(path.split("/").at(-1)!);
    const published = await home.lake("publish", "--full");
    expect(published.code, `${said}: ${published.err}`).toBe(0);
    expect(await home.lake("verify"), said).toMatchObject({ code: 0 });
    expect(await eventsInLake(home.root), said).toEqual(await eventsAtHome(home));
  });

  it.each(seeds)(
    "of logs are reported in one line or do not affect the result, seed %i",
    async (seed) => {
      const { home } = scene;
      const random = newRandom(seed, "log");
      const all = harm(logFiles(home.root), random);
      const said = all.map(({ path, how }) => `${path.slice(home.root.length)} ${how}`).join(", ");
      await home.load([{ time: 1_772_400_000 + seed, id: `late-${seed}`, event_name: "sign_in" }]);
      const published = await home.lake("publish", "--full");
      if (published.code !== 0) {
        failureLine(published, published.code, []);
        return;
      }
      expect(await home.lake("verify"), said).toMatchObject({ code: 0 });
      expect(await eventsInLake(home.root), said).toEqual(await eventsAtHome(home));
    },
  );
});
