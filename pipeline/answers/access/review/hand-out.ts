import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { UsageError } from "../../../base/errors.ts";
import { listGiven } from "../../../base/home/given-file.ts";
import { chooseSource, type Settings } from "../../../base/home/settings.ts";
import { toTimestamp } from "../../../base/time/text.ts";
import { renderRows } from "../../report/formats.ts";
import { newTextResult } from "../../report/result.ts";
import { createFolder, replaceFile } from "../../report/write.ts";
import { newRunId } from "../../../core/store/ledger/record.ts";
import { readLimits } from "../../../core/store/limits.ts";
import { openPublished } from "../../../core/store/open.ts";
import type { World } from "../../../base/world.ts";
import { chooseFileNames, type Item, formatRight, formatWay } from "./item.ts";
import { keepReview, type Review } from "./stored-decisions.ts";
import { listItems, listPolicies } from "./rights.ts";

export type Sheet = { readonly owner: string; readonly name: string; readonly rows: number };

export type ReviewSheets = { readonly review: Review; readonly sheets: readonly Sheet[] };

/**
 * Writes present access into a folder, one CSV per owner, and stores the review. Throws UsageError for a folder with
 * CSV files, and if no access exists.
 */
export async function handOut(
  out: string,
  separator: string | undefined,
  settings: Settings,
  world: World,
): Promise<ReviewSheets> {
  const { name: source } = chooseSource(settings, world);
  const folder = resolve(out);
  // The files can already contain decisions.
  if (existsSync(folder) && listGiven(folder).some((name) => /\.csv$/i.test(name)))
    throw new UsageError(`${out} already contains CSV files; choose a new folder`);
  const nowMs = world.now();
  const moment = { source, on: toTimestamp(nowMs) };
  await using database = await openPublished(settings.home.published, readLimits(settings.config));
  const { connection } = database;
  const items = await listItems(connection, moment, settings.config.reviews.owners);
  if (items.length === 0)
    throw new UsageError(`no permissions of users of source ${source} are known; run ingest first`);
  const policies = await listPolicies(connection, moment);
  const review_id = newRunId(world.now(), world.random);
  const sheets = await writeSheets(folder, items, review_id, separator);
  const on = new Date(nowMs).toISOString();
  const review: Review = { version: 1, review_id, source, on, items, policies };
  await keepReview(settings.home, review);
  return { review, sheets };
}

async function writeSheets(
  folder: string,
  items: readonly Item[],
  reviewId: string,
  separator: string | undefined,
): Promise<Sheet[]> {
  const byOwner = Map.groupBy(items, ({ owner }) => owner);
  const names = chooseFileNames([...byOwner.keys()]);
  await createFolder(folder);
  for (const [owner, own] of byOwner)
    await writeSheet(join(folder, names.get(owner)!), own, reviewId, separator);
  return [...byOwner].map(([owner, own]) => ({
    owner,
    name: names.get(owner)!,
    rows: own.length,
  }));
}

const columns: readonly (readonly [string, (item: Item) => string | null])[] = [
  ["person", ({ person }) => person],
  ["right", formatRight],
  ["way", formatWay],
  ["since", ({ since }) => since],
  ["last_use", ({ lastUse }) => lastUse],
  ["given_by", ({ givenBy }) => givenBy],
  ["evidence", ({ evidence }) => evidence],
  ["decision", () => null],
  ["reason", () => null],
  ["reviewer", () => null],
  ["date", () => null],
  ["row", ({ row }) => row],
];

async function writeSheet(
  path: string,
  items: readonly Item[],
  reviewId: string,
  separator: string | undefined,
): Promise<void> {
  const rows = newTextResult(
    [...columns.map(([name]) => name), "review"],
    items.map((item) => [...columns.map(([, of]) => of(item)), reviewId]),
  );
  await replaceFile(path, ({ sink }) => renderRows("csv", rows, sink, { separator }));
}
