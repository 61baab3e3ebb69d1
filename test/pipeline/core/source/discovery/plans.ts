import { newRandom, type Random } from "../../../../../fixtures/random.ts";

// Services of many kinds, drawn at random. Nothing here is shared with the discovery code.

export type Style = "page" | "offset" | "cursor" | "next_url" | "link_header" | "none";
export type Shape = "array" | "envelope" | "ndjson" | "csv";
export type Row = { readonly time: number } & Readonly<Record<string, unknown>>;

/** How one service behaves. */
export type Plan = {
  readonly style: Style;
  readonly shape: Shape;
  /** Keys around the records, and other members of the body. */
  readonly recordsAt: readonly string[];
  readonly nextAt: readonly string[];
  readonly totalAt: readonly string[] | undefined;
  readonly hasNoise: boolean;
  readonly hasOtherList: boolean;
  /** What the last page says of a next one. */
  readonly end: "null" | "absent" | "empty";
  readonly window:
    | {
        readonly from: string;
        readonly to: string;
        readonly isIso: boolean;
        readonly isClosed: boolean;
      }
    | undefined;
  readonly needsWindow: boolean;
  readonly param: string;
  readonly sizeParam: string | undefined;
  readonly pageCap: number;
  readonly defaultSize: number;
  readonly firstPage: number;
  readonly isNewestFirst: boolean;
  /** Whether parameters that it does not know are refused. */
  readonly isStrict: boolean;
  readonly isAddressWhole: boolean;
  readonly rows: readonly Row[];
};

export const styles: readonly Style[] = [
  "page",
  "offset",
  "cursor",
  "next_url",
  "link_header",
  "none",
];
export const shapes: readonly Shape[] = ["array", "envelope", "ndjson", "csv"];

/** Whether a body of the shape has a place for what the style states. */
export function canPage(style: Style, shape: Shape): boolean {
  return shape === "envelope" || (style !== "cursor" && style !== "next_url");
}

const windows = [
  ["from", "to"],
  ["start", "end"],
  ["since", "until"],
  ["start_time", "end_time"],
  ["from_time", "to_time"],
  ["after", "before"],
  ["startDate", "endDate"],
] as const;

const cursorPlaces = [
  { path: ["next_cursor"], param: "cursor" },
  { path: ["meta", "next_page_token"], param: "page_token" },
  { path: ["response", "paging", "nextToken"], param: "nextToken" },
  { path: ["zz_after"], param: "zz_after" },
  { path: ["cursors", "after"], param: "after" },
  { path: ["k7"], param: "k7" },
  { path: ["pagination", "marker"], param: "marker" },
  { path: ["next_page"], param: "page" },
] as const;

const addressPlaces = [
  ["next"],
  ["links", "next"],
  ["_links", "next", "href"],
  ["weiter"],
] as const;

const recordPlaces = [
  ["audits"],
  ["data"],
  ["response", "items"],
  ["hits", "hits"],
  ["Einträge"],
] as const;

export const nowMs = Date.UTC(2026, 4, 20, 3);

/** The plan of a seed; what is given is not left to chance. */
export function makePlan(seed: number, given: Partial<Plan> = {}): Plan {
  const random = newRandom(seed, "discovery");
  const style = given.style ?? random.pick(styles);
  const shape = given.shape ?? random.pick(shapes.filter((each) => canPage(style, each)));
  const cursor = random.pick(cursorPlaces);
  const [from, to] = random.pick(
    windows.filter(([name]) => style !== "cursor" || name !== cursor.param),
  );
  const isNone = style === "none";
  return {
    style,
    shape,
    recordsAt: random.pick(recordPlaces),
    nextAt: style === "cursor" ? cursor.path : random.pick(addressPlaces),
    totalAt: random.chance(0.4)
      ? random.pick([["total"], ["meta", "found"], ["total_count"]])
      : undefined,
    hasNoise: random.chance(0.5),
    hasOtherList: random.chance(0.2),
    end: random.pick(["null", "absent", "empty"]),
    window: { from, to, isIso: random.chance(0.4), isClosed: random.chance(0.3) },
    needsWindow: random.chance(0.2),
    param:
      style === "cursor"
        ? cursor.param
        : style === "page"
          ? random.pick(["page", "page_number", "pageNumber", "p", "pageIndex"])
          : random.pick(["offset", "skip", "startIndex", "start_at"]),
    sizeParam: isNone
      ? undefined
      : random.pick(["per_page", "limit", "page_size", "size", "pageSize", "max_results", "top"]),
    pageCap: isNone ? Infinity : random.pick([12, 20, 50, 100, 1000, 5000]),
    defaultSize: isNone ? Infinity : random.pick([10, 20, 25, 30, 100]),
    firstPage: random.chance(0.25) ? 0 : 1,
    isNewestFirst: random.chance(0.5),
    isStrict: false,
    isAddressWhole: random.chance(0.5),
    rows: makeRows(random, isNone ? random.int(1100, 1500) : random.int(60, 220)),
    ...given,
  };
}

// Some events share a second, some come in bursts, some are equal.
function makeRows(random: Random, count: number): Row[] {
  const hasIds = random.chance(0.6);
  const longestGapS = random.pick([20, 300]);
  const times: number[] = [];
  let time = Math.floor(nowMs / 1000) - 5400;
  for (let i = 0; i < count; i++) {
    times.unshift(time);
    time -= random.chance(0.2) ? 0 : random.int(1, longestGapS);
  }
  return times.map((each) => ({
    ...(hasIds ? { id: random.uuid() } : {}),
    time: each,
    event_name: random.pick(["sign_in", "job_modify", "table_create"]),
    user_id: random.int(1, 40),
    query_text: random.chance(0.1) ? 'select 1,\n"b"' : null,
  }));
}
