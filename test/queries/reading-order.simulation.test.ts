import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fewOrAll } from "../fault/length.ts";
import { newRemote, type Remote } from "../support/remote.ts";
import type { Row } from "../support/rows.ts";
import { newPolicies, play, setAt, type Policy } from "./reading-order.ts";
import type { Held } from "./timeline/evidence.ts";

// More seeds: READING_SEEDS=1,2,3
const seeds = (process.env["READING_SEEDS"] ?? "1").split(",").map(Number);
const secondMs = 1000;
const certainKinds = ["log", "snapshot", "log and snapshot"];

/** What the log has at a moment: all changes of its second. */
const truthAt = (policy: Policy, ms: number): Held | undefined =>
  setAt(policy, Math.floor(ms / secondMs) * secondMs + secondMs - 1);

function listMoments({ changes, readings }: Policy): number[] {
  const times = [...changes, ...readings].map(({ atMs }) => Math.floor(atMs / secondMs) * secondMs);
  return [...new Set(times)].flatMap((ms) => [ms - 1, ms, ms + 2 * secondMs]);
}

// Whether anything shows what the policy holds from its creation to its deletion around a moment.
function isShown(policy: Policy, ms: number): boolean {
  const turns = policy.changes.filter(({ event }) => event !== "modify");
  const fromMs = turns.findLast(({ atMs }) => atMs <= ms)?.atMs ?? -Infinity;
  const untilMs = turns.find(({ atMs }) => atMs > ms)?.atMs ?? Infinity;
  const isWithin = ({ atMs }: { readonly atMs: number }, marginMs: number): boolean =>
    atMs >= fromMs + marginMs && atMs <= untilMs - marginMs;
  const isStated = policy.changes.some((one) => one.event === "modify" && isWithin(one, 0));
  // A reading that may lie beyond a turn shows nothing of this policy for certain.
  const minuteMs = 60_000;
  return (
    isStated ||
    policy.readings.some((one) => isWithin(one, one.isDated || policy.isFixed ? minuteMs : 1e9))
  );
}

const getTime = (value: Row[string], none: number): number =>
  value === null ? none : Date.parse(`${String(value).replace(" ", "T")}Z`);
const isAt = (row: Row, ms: number): boolean =>
  getTime(row["valid_from"], -Infinity) <= ms && ms < getTime(row["valid_to"], Infinity);
const formatText = (row: Row): string =>
  [row["operation"], row["object_id"] ?? []].flat().join(":");

describe.each(seeds)("policies that change while they are read, seed %i", (seed) => {
  const policies = newPolicies(seed, fewOrAll(60, 200));
  let remote: Remote;
  beforeAll(async () => {
    remote = await newRemote(0);
    await play(remote, policies, seed);
  }, 300_000);
  afterAll(() => remote[Symbol.asyncDispose]());

  const readRows = async (view: string): Promise<Map<string, Row[]>> => {
    const id = view === "policy_rights" ? "policy_id" : "subject_id";
    return Map.groupBy(await remote.home.rows(`select * from ${view}`), (row) => String(row[id]));
  };
  const complain = (policy: Policy, ms: number, what: string): string =>
    `policy ${policy.id}, ${new Date(ms).toISOString()}: ${what}`;

  it("cause no certain statement that is untrue, and hide no right in force", async () => {
    const all = await readRows("policy_rights");
    const complaints: string[] = [];
    let compared = 0;
    for (const policy of policies)
      for (const ms of listMoments(policy)) {
        const rows = (all.get(policy.id) ?? []).filter((row) => isAt(row, ms));
        const truth = truthAt(policy, ms) ?? [];
        compared += 1;
        for (const row of rows)
          if (certainKinds.includes(String(row["known_from"])) && !truth.includes(formatText(row)))
            complaints.push(complain(policy, ms, `${formatText(row)} is called certain`));
        const listed = rows.map(formatText);
        const hidden = isShown(policy, ms) ? truth.filter((text) => !listed.includes(text)) : [];
        if (hidden.length > 0) complaints.push(complain(policy, ms, `${hidden.join()} is hidden`));
      }
    expect(complaints.slice(0, 20)).toEqual([]);
    expect(compared).toBeGreaterThan(300);
  });

  it("have no certainty in the timeline beyond that", async () => {
    const all = await readRows("access_timeline");
    const complaints = policies.flatMap((policy) =>
      listMoments(policy).flatMap((ms) =>
        (all.get(policy.id) ?? [])
          .filter((row) => isAt(row, ms) && row["is_uncertain"] !== true)
          .filter((row) => ["logged", "seen", "inferred"].includes(String(row["evidence"])))
          .filter((row) => !(truthAt(policy, ms) ?? []).includes(formatText(row)))
          .map((row) => complain(policy, ms, `${formatText(row)} is ${String(row["evidence"])}`)),
      ),
    );
    expect(complaints.slice(0, 20)).toEqual([]);
  });

  it("exist from their creation to their deletion", async () => {
    const lives = Map.groupBy(
      await remote.home.rows("select * from object_lives where object_kind = 'policy'"),
      (row) => String(row["object_id"]),
    );
    const complaints = policies.flatMap((policy) =>
      listMoments(policy)
        .filter((ms) => {
          const isThere = (lives.get(policy.id) ?? []).some((row) => isAt(row, ms));
          return isThere !== (truthAt(policy, ms) !== undefined);
        })
        .map((ms) => complain(policy, ms, "exists or not")),
    );
    expect(complaints.slice(0, 20)).toEqual([]);
  });

  it("are not reported as drift, since the log has every change", async () => {
    const argv = [
      "report",
      "run",
      "permission_drift",
      "--param",
      "on=2026-03-09",
      "--format",
      "json",
    ];
    const { code, out, err } = await remote.home.run(argv);
    expect(code, err).toBe(0);
    const rows = (JSON.parse(out) as Row[]).filter((row) => row["difference"] !== "no snapshot");
    expect(rows).toEqual([]);
  });

  it("include readings of each order, with and without a time", async () => {
    const drawn = await remote.home.rows(
      "select distinct place, earliest_at is not null as is_dated from policy_snapshots order by all",
    );
    expect(drawn.map(({ place, is_dated }) => [place, is_dated])).toEqual([
      ["agreed", false],
      ["agreed", true],
      ["ordered", false],
      ["ordered", true],
    ]);
  });
});
