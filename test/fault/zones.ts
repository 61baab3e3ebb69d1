import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "../support/load.ts";
import { runSuite, testFiles } from "./suite.ts";
import type { Figure } from "./figure.ts";

const zones = ["UTC", "Asia/Kolkata", "America/St_Johns"] as const;
const script = fileURLToPath(new URL("zones/reports.ts", import.meta.url));
const golden = fileURLToPath(new URL("../../fixtures/golden/", import.meta.url));

/**
 * The reports have the same bytes in each time zone. The long form also runs the whole suite in the zones that are
 * not UTC, which the canary's run covers. With fewer zones only reports about a subject run:
 * test/queries/golden.test.ts compares all of them as CSV in another zone.
 */
export const zonesFigure: Figure = {
  name: "zones",
  unit: "runs (all reports in each zone, then the whole suite in each but UTC)",
  asked: "byte-equal reports under UTC, Asia/Kolkata, America/St_Johns",
  long: 2 * zones.length - 1,
  short: zones.length,
  run: async (count, seed, report) => {
    const { path, remove } = temporaryFolder();
    const isFew = count < zones.length;
    const failures: string[] = [];
    let compared = 0;
    try {
      for (let place = 0; place < count; place++) {
        // The seed of a run is its number: 1 to 3 the reports in each zone, 4 and 5 the suite.
        const number = (seed - 1 + place) % (2 * zones.length - 1);
        const isSuite = number >= zones.length;
        const zone = zones[isSuite ? number - zones.length + 1 : number]!;
        const found = isSuite ? await trySuite(zone) : await tryReports(zone, path, isFew);
        compared += found.compared;
        failures.push(...found.complaints.map((text) => `seed ${number + 1}: ${zone}: ${text}`));
        report(`${zone}: ${isSuite ? "the suite" : "the reports"}`);
      }
      return { done: count, failures, note: `${compared.toLocaleString("en-US")} files compared` };
    } finally {
      remove();
    }
  },
};

type Found = { readonly compared: number; readonly complaints: readonly string[] };

async function trySuite(zone: string): Promise<Found> {
  const { code, out } = await runSuite(testFiles(), { TZ: zone });
  const failed = out.split("\n").filter((line) => line.includes("FAIL"));
  return { compared: 0, complaints: code === 0 ? [] : ["the suite fails", ...failed.slice(0, 20)] };
}

async function tryReports(zone: string, folder: string, isFew: boolean): Promise<Found> {
  const [here, there] = [join(folder, "UTC"), join(folder, zone.replace("/", "-"))];
  for (const [place, name] of [
    [here, "UTC"],
    [there, zone],
  ] as const)
    if (!existsSync(place)) await writeReports(place, name, isFew);
  const files = readFiles(join(here, "reports"));
  const complaints = files
    .filter((file) => !isEqual(join(here, "reports", file), join(there, "reports", file)))
    .map((file) => `${file} differs from the one under UTC`);
  const written = isFew ? join(there, "reports", "csv") : golden;
  const csv = readdirSync(written).filter((name) => name.endsWith(".csv"));
  for (const name of csv)
    if (!isEqual(join(golden, name), join(there, "reports", "csv", name)))
      complaints.push(`${name} differs from the golden one`);
  return { compared: files.length + csv.length, complaints };
}

async function writeReports(folder: string, zone: string, isFew: boolean): Promise<void> {
  const env = { ...process.env, TZ: zone, LC_ALL: zone === "UTC" ? "C" : "hi_IN.UTF-8" };
  await promisify(execFile)(process.execPath, [script, folder, ...(isFew ? ["few"] : [])], { env });
}

function readFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

function isEqual(a: string, b: string): boolean {
  try {
    return readFileSync(a).equals(readFileSync(b));
  } catch {
    return false;
  }
}
