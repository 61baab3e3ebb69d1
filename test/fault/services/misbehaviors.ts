import { faultKinds } from "./reported-faults.ts";
import type { MisbehaviorKind } from "./misbehavior-kind.ts";
import { styles, type Style } from "./plan.ts";
import type { Misbehavior } from "./misbehavior.ts";

const paged: readonly Style[] = ["page", "offset"];
const led: readonly Style[] = ["cursor", "next_url", "link_header"];

/** Where a service names the next page when the configuration looks elsewhere. */
const otherNames = [
  "next",
  "next_cursor",
  "cursor",
  "next_page_token",
  "nextPageToken",
  "links.next",
  "meta.next_cursor",
  "paging.next",
  "pagination.next_page",
  "@odata.nextLink",
];

const cap: MisbehaviorKind = {
  name: "cap",
  styles,
  draw: (random, { style, total }) => {
    const most = random.int(2, 12);
    const isDumb = led.includes(style) && random.chance(0.4);
    if (isDumb) return { misbehavior: { isDumb }, manners: { end: "absent" }, needsCut: false };
    const needsCut = style !== "none" || total !== undefined;
    return { misbehavior: { list: (held) => held.slice(0, most) }, needsCut };
  },
};

const newest: MisbehaviorKind = {
  name: "newest",
  styles,
  draw: (random, { style, total }) => {
    const most = random.int(2, 12);
    const list: Misbehavior["list"] = (held) => {
      const kept = new Set([...held].sort((a, b) => b.timeMs - a.timeMs).slice(0, most));
      return held.filter((event) => kept.has(event));
    };
    return { misbehavior: { list }, needsCut: style !== "none" || total !== undefined };
  },
};

const unfollowed: MisbehaviorKind = {
  name: "unfollowed",
  styles: led,
  draw: (random, { style }) => {
    const nextAt = style === "link_header" ? undefined : random.pick(otherNames);
    const misbehavior = nextAt === undefined ? {} : { nextAt };
    const configured =
      style === "link_header"
        ? random.pick(["none", "cursor", "next_url"])
        : random.pick(["none", "link_header", style]);
    return { misbehavior, paging: { style: configured }, needsCut: false };
  },
};

const shortTotal: MisbehaviorKind = {
  name: "short_total",
  styles,
  isEnveloped: true,
  draw: (random) => {
    const most = random.int(1, 12);
    const at = random.pick([
      "total",
      "total_count",
      "total_records",
      "total_results",
      "meta.total",
    ]);
    const total = { at, of: "selection" } as const;
    const list: Misbehavior["list"] = (held) => held.slice(0, most);
    return { misbehavior: { list, hasTrueTotal: true }, manners: { total }, needsCut: false };
  },
};

const sizeMidway: MisbehaviorKind = {
  name: "size_midway",
  styles: paged,
  draw: (random, { style }) => {
    const factors = random.pick([
      [2, 3],
      [3, 2],
      [0.5, 2],
    ]);
    const slice: Misbehavior["slice"] = (list, offset, size, { runIndex }) => {
      if (offset === 0) return list.slice(0, size);
      const other = Math.max(1, Math.floor(size * factors[runIndex % factors.length]!));
      const start = style === "page" ? (offset / size) * other : Math.ceil(offset / other) * other;
      return list.slice(start, start + other);
    };
    return { misbehavior: { slice }, needsCut: true, differsByRun: true };
  },
};

const emptyAtTimes: MisbehaviorKind = {
  name: "empty_at_times",
  styles,
  draw: (random) => {
    const pages = random.pick([0, 0, 1]);
    const phase = random.int(0, 1);
    const most = random.int(1, 5);
    const list: Misbehavior["list"] = (held, { runIndex, window }) =>
      (runIndex + window) % 2 === phase ? held.slice(0, pages * most) : held;
    return { misbehavior: { list }, needsCut: false, differsByRun: true };
  },
};

const skip: MisbehaviorKind = {
  name: "skip",
  styles: [...paged, ...led],
  draw: (random) => {
    const each = random.int(6, 8);
    // Different ones in each run and in each walk: a service that always omits the same records does not have them.
    const slice: Misbehavior["slice"] = (list, offset, size, { runIndex, sameStart, sameEnd }) => {
      const phase = (runIndex + Math.max(sameStart, sameEnd)) % each;
      return list.slice(offset, offset + size).filter(({ serial }) => serial % each !== phase);
    };
    return { misbehavior: { slice }, needsCut: true, differsByRun: true };
  },
};

const lastPage: MisbehaviorKind = {
  name: "last_page",
  styles: [...paged, ...led],
  draw: () => {
    const slice: Misbehavior["slice"] = (list, offset, size) =>
      offset > 0 && offset + size >= list.length ? [] : list.slice(offset, offset + size);
    return { misbehavior: { slice }, needsCut: true };
  },
};

const samePage: MisbehaviorKind = {
  name: "same_page",
  styles: [...paged, ...led],
  draw: (_random, { style }) => ({
    misbehavior: { slice: (list, _offset, size) => list.slice(0, size) },
    needsCut: led.includes(style),
  }),
};

const varying: MisbehaviorKind = {
  name: "varying",
  styles,
  draw: (_random, { order }) => {
    // Lost records are at the end of a walk: never as many as one of those before had lost there.
    const list: Misbehavior["list"] = (held, { sameEnd, sameStart }) => {
      const before = order === "oldest_first" ? sameEnd : sameStart;
      return held.length < 7 ? held : held.slice(0, -1 - (before % (held.length - 1)));
    };
    const manners = order === "shuffled" ? { order: "newest_first" as const } : {};
    return { misbehavior: { list }, manners, needsCut: true, differsByRun: true };
  },
};

const lookalike: MisbehaviorKind = {
  name: "lookalike",
  styles,
  isEnveloped: true,
  draw: (random) => {
    const at = random.pick(["errors", "warnings", "links", "facets"] as const);
    const looks = {
      errors: [{ time: 1_700_000_000, event_name: "timeout", id: "e-1", code: 503 }],
      warnings: [{ code: "shard_timeout", message: "2 of 5 shards" }],
      links: [{ rel: "self", href: "/v4/audits" }],
      facets: [{ name: "job_kill", count: 12 }],
    };
    const isAlways = random.chance(0.5);
    const phase = random.int(0, 1);
    const body: Misbehavior["body"] = ({ walk: { runIndex, window } }) =>
      isAlways || (runIndex + window) % 2 === phase ? { [at]: looks[at] } : undefined;
    return { misbehavior: { body }, needsCut: false, differsByRun: true };
  },
};

const forgets: MisbehaviorKind = {
  name: "forgets",
  styles,
  draw: (random, _manners, { runTimes, windowMs }) => {
    // In a window that was closed when it was first read.
    const closed = Math.floor(runTimes[0]! / windowMs) - random.int(2, 3) + random.next();
    const list: Misbehavior["list"] = (held, { runIndex }) =>
      runIndex === 0 ? held : held.filter(({ timeMs }) => timeMs >= closed * windowMs);
    return { misbehavior: { list }, needsCut: true };
  },
};

/** All families of misbehaviors. */
export const misbehaviorKinds: readonly MisbehaviorKind[] = [
  cap,
  newest,
  unfollowed,
  shortTotal,
  sizeMidway,
  emptyAtTimes,
  skip,
  lastPage,
  samePage,
  varying,
  lookalike,
  forgets,
  ...faultKinds,
];
