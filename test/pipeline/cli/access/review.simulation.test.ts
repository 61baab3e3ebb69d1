import { expect, test } from "vitest";
import { newRandom } from "../../../../fixtures/random.ts";
import type { Outcome } from "../../../support/command.ts";
import type { Row } from "../../../support/rows.ts";
import { decide, heldBy, readLines, newCompany, type Company, type Line } from "./company.ts";

// A review of the demo's company, from the export to the events that prove what was done.

function listRows({ code, out, err }: Outcome): Row[] {
  expect(code, err).toBe(0);
  return out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

const formatText = ({ person, right, way }: Line): string => JSON.stringify([person, right, way]);
// The emulated service keeps the flag of who owns the account to itself.
const isOwner = ({ right }: Line): boolean => right === "account owner of the account";
const readAll = (folder: string): Line[] => [...readLines(folder).values()].flat();

// Each right of a policy is revoked for all, kept for all, revoked for some, or not decided on for one.
function randomWords(lines: readonly Line[], seed: number): (line: Line) => string {
  const random = newRandom(seed, "decisions");
  const words = new Map<string, string>();
  const groups = Map.groupBy(lines, (line) =>
    line["way"]!.startsWith("policy") ? `${line["way"]} ${line["right"]}` : formatText(line),
  );
  for (const group of groups.values()) {
    const way = random.pick(["keep", "keep", "keep", "revoke", "some", "open"]);
    for (const line of group) {
      const some = random.chance(0.2) ? "revoke" : "keep";
      words.set(line["row"]!, way === "some" ? some : way === "open" ? "" : way);
    }
    if (way === "open" && group.length > 1) words.set(group[0]!["row"]!, "revoke");
  }
  return (line) => (isOwner(line) ? "keep" : words.get(line["row"]!)!);
}

async function carryOut(company: Company, folder: string, lines: readonly Line[]): Promise<Row[]> {
  const plan = listRows(await company.run("apply", folder, "--yes", "--format", "ndjson"));
  for (const step of plan.filter(({ how }) => how === "by hand")) await company.byHand(step, lines);
  return plan;
}

test("a review of the demo company goes from export to proof, and no other right is lost", async () => {
  const seed = 1;
  await using company = await newCompany(seed);
  const folder = await company.exported();
  const lines = readAll(folder);
  const before = heldBy(company);
  expect(
    lines
      .filter((line) => !isOwner(line))
      .map(formatText)
      .sort(),
  ).toEqual(before);
  const wordOf = randomWords(lines, seed);
  decide(folder, wordOf);
  company.desk.requests();
  const dry = listRows(await company.run("apply", folder, "--dry-run", "--format", "ndjson"));
  expect(company.desk.requests().filter((line) => !line.startsWith("GET"))).toEqual([]);
  expect(heldBy(company)).toEqual(before);
  const plan = await carryOut(company, folder, lines);
  expect(plan).toEqual(dry);
  const of = (how: string): Set<string> =>
    new Set(
      plan.filter((row) => row["how"] === how).flatMap(({ rows }) => String(rows).split(" ")),
    );
  const waits = of("waits");
  expect(waits.size).toBeGreaterThan(0);
  // What the plan said that it takes along.
  const along = new Set(
    plan.flatMap(({ note, person, operation }) => {
      if (!String(note).startsWith("also removes")) return [];
      const id = String(operation).split("/").at(-1);
      return lines
        .filter((line) => line["person"] === person && line["way"]!.endsWith(`(${id})`))
        .map((line) => line["row"]!);
    }),
  );
  const expected = lines
    .filter((line) => !isOwner(line) && !along.has(line["row"]!))
    .filter((line) => wordOf(line) !== "revoke" || waits.has(line["row"]!))
    .map(formatText);
  expect(heldBy(company)).toEqual(expected.sort());
  await company.ingest();
  expect(await company.run("status", "some/folder")).toMatchObject({
    code: 2,
    err: expect.stringMatching(
      /expected a review id \(not a folder\), or nothing for the newest review; the latest are \d/,
    ),
  });
  const status = await company.run("status", "--strict", "--format", "ndjson");
  const states = listRows({ ...status, code: 0 });
  expect(status.code).toBe(3);
  expect(states.length).toBe(lines.filter((line) => wordOf(line) === "revoke").length);
  for (const { row, state, proven_by } of states) {
    const wanted = of("sent").has(String(row))
      ? "sent"
      : waits.has(String(row))
        ? "open"
        : "done by hand";
    // A step for others may have taken along what waits.
    if (along.has(String(row))) continue;
    expect({ row, state, isProven: proven_by !== null }).toEqual({
      row,
      state: wanted,
      isProven: wanted !== "open",
    });
  }
  // A repeat: nothing is left to send, and no step is left to do.
  company.desk.requests();
  const again = listRows(await company.run("apply", folder, "--yes", "--format", "ndjson"));
  expect(new Set(again.map(({ how }) => how))).toEqual(new Set(["done", "waits"]));
  expect(company.desk.requests().filter((line) => !line.startsWith("GET"))).toEqual([]);
}, 60_000);
