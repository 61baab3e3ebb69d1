import type { Delivery } from "../../../pipeline/outgoing/targets/destination.ts";
import type { Report } from "../../../pipeline/base/report/find.ts";
import { exportReport } from "../../../pipeline/outgoing/exports/deliver-report.ts";
import { testWorld } from "../../support/world.ts";
import { newGround, type Ground } from "./bed.ts";
import type { Destination, Step } from "./plan.ts";
import { publish } from "./tables.ts";
import { trouble } from "./trouble.ts";

/** A home with an export, its destination, and troubles between the two. */
export type ExportBed = Ground & {
  readonly run: (step: Step, dueMs: number | undefined) => Promise<Delivery | Error>;
};

const sql = "select id, content, phone_number from people order by id";

const report: Report = {
  name: "new",
  family: "own",
  title: "People",
  grain: "one row per person",
  params: [],
  chart: undefined,
  lines: 0,
  sql,
  file: "people.sql",
  isBuiltIn: true,
};

/** Begins with an empty home and an empty destination. */
export async function newExportBed(kind: Destination, batch: number): Promise<ExportBed> {
  const made = await newGround(kind, batch, (place) => ({ targets: { there: place.settings } }));
  const { settings, place, between, print } = made;
  const run: ExportBed["run"] = async (step, dueMs) => {
    await publish(settings.home.published, step.source);
    const ended = trouble(place, step, between);
    const order = { report, given: new Map(), to: "there", confirmed: true, isNew: false };
    const asked = { ...order, ...step.again, dueMs, print };
    const all: Delivery[] = [];
    const fault = await exportReport(asked, settings, testWorld(), (each) => void all.push(each))
      .then(() => undefined)
      .catch((error: unknown) => error as Error);
    return ended() ?? fault ?? all.at(-1)!;
  };
  return { ...made, run };
}
