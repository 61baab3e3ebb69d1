import { expect, test } from "vitest";
import { randomOf, type Random } from "../../fixtures/random.ts";
import { linesOf, newHome, type Row, type TestHome } from "../support/home.ts";
import { momentOf } from "./access-compared.ts";

// Policies of which the log lacks changes and snapshots are taken now and then: what is told of each moment, against
// the newest evidence of that moment, found by a search through all of it. More seeds: TIMELINE_SEEDS=1,2,3
const seeds = (process.env["TIMELINE_SEEDS"] ?? "1,2").split(",").map(Number);
const startMs = Date.UTC(2026, 2, 2);
const policies = 40;

type Held = readonly string[];
/** What is known of a policy's set from a moment on; `before` is what a change found. */
type Evidence = {
  readonly atMs: number;
  readonly kind: "log" | "snapshot";
  readonly set: Held;
  readonly before?: Held;
  /** A snapshot found no policy, a change deletes it. */
  readonly isGone?: boolean;
};

const operations = ["manage", "download", "query:1", "query:2", "edit:1"];

function setOf(random: Random): Held {
  return operations.filter(() => random.chance(0.4));
}

function historyOf(random: Random): Evidence[] {
  let set = setOf(random);
  let isGone = false;
  let atMs = startMs;
  return Array.from({ length: random.int(1, 14) }, (): Evidence[] => {
    atMs += random.int(1, 3600) * 1000;
    if (random.chance(0.4)) return [{ atMs: atMs + 500, kind: "snapshot", set, isGone }];
    const before = set;
    // What is deleted may come back, under the same id.
    isGone = !isGone && random.chance(0.1);
    set = isGone ? [] : setOf(random);
    // The log lacks some changes.
    if (random.chance(0.3)) return [];
    // A deletion does not say what it found.
    return [{ atMs, kind: "log", set, before: isGone ? [] : before, isGone }];
  }).flat();
}

const bodyOf = (set: Held): string =>
  JSON.stringify({
    Databases: set.map((text) => {
      const [operation, ids] = text.split(":");
      return ids === undefined ? { operation } : { operation, ids };
    }),
  });

function recordOf(id: string, { atMs, set, before, isGone }: Evidence, n: number): object {
  const common = { id: `${id}-${n}`, time: atMs / 1000, resource_id: id };
  if (isGone) return { ...common, event_name: "permission_policy_delete" };
  const values = { old_value: bodyOf(before ?? []), new_value: bodyOf(set) };
  return { ...common, event_name: "permission_policy_modify", ...values };
}

async function load(home: TestHome, all: ReadonlyMap<string, readonly Evidence[]>): Promise<void> {
  const records = [...all].flatMap(([id, own]) =>
    own.flatMap((one, n) => (one.kind === "log" ? [recordOf(id, one, n)] : [])),
  );
  expect(
    await home.run(["import", home.write("log.ndjson", linesOf(records as never))]),
  ).toMatchObject({ code: 0 });
  const readings = [...all].flatMap(([id, own]) =>
    own.flatMap((one) => (one.kind === "snapshot" ? [{ id, one }] : [])),
  );
  for (const [n, { id, one }] of readings.toSorted((a, b) => a.one.atMs - b.one.atMs).entries()) {
    const read_at = new Date(one.atMs).toISOString();
    const body = one.isGone === true ? null : bodyOf(one.set);
    const snapshot_id = `s${String(n).padStart(4, "0")}`;
    const content = { version: 1, snapshot_id, source: "default" };
    home.write(
      `home/landing/policies/${snapshot_id}.json`,
      JSON.stringify({ ...content, policies: [{ policy_id: id, read_at, body }] }),
    );
  }
  expect(await home.run(["rebuild"])).toMatchObject({ code: 0 });
}

/** What holds at a moment, and what is contradicted. */
function toldAt(own: readonly Evidence[], atMs: number): { sure: Held; contradicted: Held } {
  const newest = own.findLast((one) => one.atMs <= atMs);
  const next = own.find((one) => one.atMs > atMs);
  if (newest === undefined) return { sure: next?.before ?? next?.set ?? [], contradicted: [] };
  if (newest.kind === "snapshot" || next?.kind !== "snapshot")
    return { sure: newest.set, contradicted: [] };
  const contradicted = operations.filter(
    (text) => newest.set.includes(text) !== next.set.includes(text),
  );
  return { sure: newest.set.filter((text) => !contradicted.includes(text)), contradicted };
}

function heldAt(rows: readonly Row[], atMs: number): ReturnType<typeof toldAt> {
  const held = rows.filter(
    (row) =>
      (momentOf(row["valid_from"]) ?? -Infinity) <= atMs &&
      atMs < (momentOf(row["valid_to"]) ?? Infinity),
  );
  const texts = (is: boolean): string[] =>
    held
      .filter((row) => (row["known_from"] === "contradicted") === is)
      .map((row) => [row["operation"], row["object_id"] ?? []].flat().join(":"))
      .sort((a, b) => operations.indexOf(a) - operations.indexOf(b));
  return { sure: texts(false), contradicted: texts(true) };
}

test.each(seeds)("the newest evidence counts, seed %i", { timeout: 120_000 }, async (seed) => {
  using home = newHome();
  const random = randomOf(seed, "evidence");
  const ids = Array.from({ length: policies }, (_, i) => String(100 + i));
  const all = new Map(ids.map((id) => [id, historyOf(random)]));
  await load(home, all);
  const rows = await home.rows("select * from policy_rights");
  const byPolicy = Map.groupBy(rows, (row) => String(row["policy_id"]));
  for (const [id, own] of all) {
    const moments = own.flatMap(({ atMs }) => [atMs - 1, atMs, atMs + 250]);
    for (const atMs of moments) {
      const when = `seed ${seed}, policy ${id}, ${new Date(atMs).toISOString()}`;
      expect(heldAt(byPolicy.get(id) ?? [], atMs), when).toEqual(toldAt(own, atMs));
    }
  }
  const known = new Set(rows.map((row) => row["known_from"]));
  expect([...known].sort()).toEqual(["contradicted", "log", "log and snapshot", "snapshot"]);
  const kinds = await home.rows("select distinct evidence from access_timeline order by all");
  expect(kinds.map((row) => row["evidence"])).toEqual([
    "contradicted",
    "inferred",
    "logged",
    "seen",
  ]);
});
