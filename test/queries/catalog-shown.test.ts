import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { makeCompany } from "../../fixtures/company.ts";
import { emitColumnDenial } from "../../fixtures/habits/denials.ts";
import { newRandom } from "../../fixtures/random.ts";
import type { AuditRecord } from "../../fixtures/record.ts";
import { emitDocumented } from "../../fixtures/traffic/documented.ts";
import { makeEstate } from "../../fixtures/traffic/estate.ts";
import { makeRota } from "../../fixtures/traffic/rota.ts";
import { chooseStaff, newScene } from "../../fixtures/traffic/scene.ts";
import { findReports, type Report } from "../../pipeline/base/report/find.ts";
import { buildQuestion } from "../../pipeline/base/report/params.ts";
import { askOn } from "../../pipeline/core/detect/hits.ts";
import type { Entry } from "../../schemas/catalog.ts";
import { catalog } from "../../schemas/generated/catalog.ts";
import { openDetectionHome } from "../support/detection-home.ts";

// Every event of the catalog, once, each by a person of its own: a detection or a report about it shows the person, or
// the list beside this test has the reason why none does. An entry of the list that is shown by now can go.

type Lists = {
  /** Reports about all events, which say nothing of a single one. */
  readonly general: readonly string[];
  /** Names by the reason why no detection and no other report shows them. */
  readonly unshown: Readonly<Record<string, readonly string[]>>;
};

const lists = JSON.parse(readFileSync("test/queries/catalog-shown.json", "utf8")) as Lists;
const dayStart = Date.UTC(2026, 2, 4) / 1000;

function playEntry(entry: Entry, number: number): AuditRecord {
  const company = makeCompany(1);
  const setting = { company, estate: makeEstate(1), rota: makeRota(company) };
  const scene = newScene(setting, newRandom(1, entry.event + String(number)), dayStart);
  const moment = { ...chooseStaff(scene), time: dayStart + number * 60 };
  const record =
    entry.denialKind === "column_visibility_denial"
      ? emitColumnDenial(scene, entry, moment, "postal_code")
      : emitDocumented(scene, entry, moment);
  const user_id = getPerson(number);
  return { ...record, id: `entry-${number}`, user_id, user_email: `p${user_id}@example.com` };
}

const getPerson = (number: number): number => 7_000_000 + number;

type Home = Awaited<ReturnType<typeof openDetectionHome>>;

/** The persons that a report shows. */
async function findShown(report: Report, { connection }: Home): Promise<Set<number>> {
  const { values } = buildQuestion(
    report,
    new Map([
      ["since", "2026-03-01"],
      ["until", "2026-03-10"],
    ]),
    dayStart * 1000,
  );
  const { batches } = await askOn(connection)(undefined as never, { sql: report.sql, values });
  const shown = new Set<number>();
  for await (const batch of batches)
    for (const row of batch)
      for (const cell of row)
        for (const [found] of String(cell).matchAll(/\b7000\d{3}\b|(?<=\bp)7000\d{3}(?=@)/g))
          shown.add(Number(found));
  return shown;
}

const isRunnable = ({ params }: Report): boolean =>
  params.every(
    (param) => param.defaultText !== undefined || ["since", "until"].includes(param.name),
  );

test("every event of the catalog appears in a detection, in a report about it, or in the list", async () => {
  await using home = await openDetectionHome({}, []);
  await home.load(catalog.entries.map(playEntry));
  const reports = findReports().reports.filter(
    (report) => isRunnable(report) && !lists.general.includes(report.name),
  );
  const shown = new Set<number>();
  for (const report of reports)
    for (const person of await findShown(report, home)) shown.add(person);
  const listed = new Set(Object.values(lists.unshown).flat());
  const missing = catalog.entries.filter(
    ({ event }, number) => !shown.has(getPerson(number)) && !listed.has(event),
  );
  expect(missing.map(({ event }) => event)).toEqual([]);
}, 120_000);

test("the list names events of the catalog and reports that exist, each once", () => {
  const names = Object.values(lists.unshown).flat();
  expect(new Set(names).size).toBe(names.length);
  const events = new Set(catalog.entries.map(({ event }) => event));
  expect(names.filter((name) => !events.has(name))).toEqual([]);
  const reports = new Set(findReports().reports.map(({ name }) => name));
  expect(lists.general.filter((name) => !reports.has(name))).toEqual([]);
});
