import { html, type Markup } from "../../../base/html/markup.ts";
import { countText, formatBytes } from "../../../base/terminal/amounts.ts";
import { formatDay, fromTimestamp } from "../../../base/time/text.ts";
import { toWallMs } from "../../../base/time/wall.ts";
import { drawSparkline } from "../../chart/sparkline.ts";
import { formatWeekdayName } from "../day-names.ts";
import { buildBlockQuestion, type PageContext, readRows } from "../context.ts";
import type { OpenFinding } from "../open-findings.ts";
import type { Block } from "../page-file.ts";
import { buildTiles, type Tile } from "../tiles.ts";

/** Writes a block `tiles`: each number of the last whole day, or week, with its usual value. */
export async function writeTiles(
  block: Block,
  findings: readonly OpenFinding[],
  context: PageContext,
): Promise<Markup> {
  const tiles = await readTiles(block, context);
  const write = (tile: Tile): Markup => {
    const days = listFindingDays(tile.name, findings, context.display.zone);
    const marked = tile.days.flatMap((day, i) => (days.has(day) ? [i] : []));
    return writeTile(tile, marked, block, context);
  };
  return html`<div class="grid g6">${tiles.map(write)}</div>`;
}

export async function readTiles(block: Block, context: PageContext): Promise<Tile[]> {
  const { report } = block.asked!;
  const question = buildBlockQuestion(block.asked!, context, "now");
  return await context.answer(report, question, async (answer) => {
    const { rows } = await readRows(answer);
    return buildTiles(answer.columns, rows, context.days, block.compare);
  });
}

const reportsOfTiles: Readonly<Record<string, string>> = {
  failed_sign_ins: "denials_list",
  other_denials: "denials_list",
  rights_granted: "permission_changes_list",
  manage_granted: "permission_changes_list",
  downloaded_bytes: "result_downloads",
  new_addresses: "new_addresses",
};

// Findings about rights occur on most days, so only critical ones count.
const findingsOfTiles: Readonly<Record<string, (finding: OpenFinding) => boolean>> = {
  failed_sign_ins: isAbout(/"(?:failures|accounts|blocked)"/),
  other_denials: isAbout(/"(?:denials|columns)"/),
  rights_granted: isCriticalGrant,
  manage_granted: isCriticalGrant,
  downloaded_bytes: isAbout(/"(?:bytes|megabytes)"/),
};

function isAbout(measures: RegExp): (finding: OpenFinding) => boolean {
  return (finding) => measures.test(finding.measures);
}

function isCriticalGrant({ severity, detection }: OpenFinding): boolean {
  return severity === "critical" && detection.includes("grant");
}

// The days on which open findings about what a tile counts have their hits.
function listFindingDays(
  name: string,
  findings: readonly OpenFinding[],
  zone: string,
): ReadonlySet<string> {
  const isOfTile = findingsOfTiles[name];
  const own = isOfTile === undefined ? [] : findings.filter(isOfTile);
  return new Set(own.map(({ lastAt }) => formatDay(toWallMs(zone, fromTimestamp(lastAt)))));
}

function writeTile(
  tile: Tile,
  marked: readonly number[],
  { compare, asked }: Block,
  { days }: PageContext,
): Markup {
  const { lastWhole } = days;
  const report = reportsOfTiles[tile.name] ?? asked!.report.name;
  const length = compare === "weeks" ? 7 : 1;
  const from = new Date(days.wholeUntilMs - length * 86_400_000).toISOString();
  const range = new URLSearchParams({
    since: from,
    until: new Date(days.wholeUntilMs).toISOString(),
  });
  const [value, unit] = formatTileValue(tile);
  return html`<a class="card tile" href="/reports/${report}?${range.toString()}">
    <div class="k">${tile.title}</div>
    <div class="v">${value}${unit === "" ? null : html` <small>${unit}</small>`}</div>
    <div class="d">${writeVerdict(tile, lastWhole, compare)}</div>
    <div class="mt8">
      ${drawSparkline({
        label: `${tile.title}, ${tile.days.length} days`,
        values: tile.amounts,
        compared: tile.days.indexOf(lastWhole),
        length,
        marked,
        ...(tile.unit === "bytes" ? { scale: "log" as const } : {}),
      })}
    </div>
  </a>`;
}

export function formatTileValue({ value, unit }: Tile): [value: string, unit: string] {
  if (unit !== "bytes") return [countText(value), ""];
  const [amount = "", size = ""] = formatBytes(value).split(" ");
  return [amount, size];
}

function writeVerdict(tile: Tile, day: string, compare: Block["compare"]): Markup {
  const { verdict } = tile;
  if (verdict === undefined) {
    const missing = describeMissing(tile, day, compare);
    return html`<span title="${missing}">${missing}</span>`;
  }
  const signs = {
    above: html`<b class="up">▲ above</b>`,
    below: html`<b class="dn">▼ below</b>`,
    usual: html`<b class="eq">usual</b>`,
  };
  return html`${signs[verdict]} ${formatTileRange(tile)}`;
}

/** Why a tile has no comparison. */
export function describeMissing({ earlier }: Tile, day: string, compare: Block["compare"]): string {
  const what = compare === "weeks" ? "week" : formatWeekdayName(day);
  const number = earlier.length === 0 ? "none" : "one";
  return `No comparison yet: needs two earlier ${what}s; there is ${number}.`;
}

/** The lowest and the highest of what a tile is compared with. */
export function formatTileRange({ range, unit }: Tile): string {
  if (range === undefined) return "";
  const [low, high] = [range.low, range.high].map((amount) =>
    unit === "bytes" ? formatBytes(amount) : countText(amount),
  ) as [string, string];
  if (low === high) return low;
  if (unit !== "bytes") return `${low}–${high}`;
  const [, lowUnit] = low.split(" ");
  const [, highUnit] = high.split(" ");
  return lowUnit === highUnit ? `${low.split(" ")[0]}–${high}` : `${low}–${high}`;
}
