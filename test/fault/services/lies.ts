import { faultKinds } from "./fault-lies.ts";
import type { LieKind } from "./lie-kind.ts";
import { styles, type Style } from "./plan.ts";
import type { Told } from "./told.ts";

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

const cap: LieKind = {
  name: "cap",
  styles,
  draw: (random, { style, total }) => {
    const most = random.int(2, 12);
    const isDumb = led.includes(style) && random.chance(0.4);
    if (isDumb) return { told: { isDumb }, manners: { end: "absent" }, needsCut: false };
    const needsCut = style !== "none" || total !== undefined;
    return { told: { list: (held) => held.slice(0, most) }, needsCut };
  },
};

const newest: LieKind = {
  name: "newest",
  styles,
  draw: (random, { style, total }) => {
    const most = random.int(2, 12);
    const list: Told["list"] = (held) => {
      const kept = new Set([...held].sort((a, b) => b.timeMs - a.timeMs).slice(0, most));
      return held.filter((event) => kept.has(event));
    };
    return { told: { list }, needsCut: style !== "none" || total !== undefined };
  },
};

const unfollowed: LieKind = {
  name: "unfollowed",
  styles: led,
  draw: (random, { style }) => {
    const nextAt = style === "link_header" ? undefined : random.pick(otherNames);
    const told = nextAt === undefined ? {} : { nextAt };
    const configured =
      style === "link_header"
        ? random.pick(["none", "cursor", "next_url"])
        : random.pick(["none", "link_header", style]);
    return { told, paging: { style: configured }, needsCut: false };
  },
};

const shortTotal: LieKind = {
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
    const list: Told["list"] = (held) => held.slice(0, most);
    return { told: { list, hasTrueTotal: true }, manners: { total }, needsCut: false };
  },
};

const sizeMidway: LieKind = {
  name: "size_midway",
  styles: paged,
  draw: (random, { style }) => {
    const factors = random.pick([
      [2, 3],
      [3, 2],
      [0.5, 2],
    ]);
    const slice: Told["slice"] = (list, offset, size, { night }) => {
      if (offset === 0) return list.slice(0, size);
      const other = Math.max(1, Math.floor(size * factors[night % factors.length]!));
      const start = style === "page" ? (offset / size) * other : Math.ceil(offset / other) * other;
      return list.slice(start, start + other);
    };
    return { told: { slice }, needsCut: true, isOfNight: true };
  },
};

const emptyAtTimes: LieKind = {
  name: "empty_at_times",
  styles,
  draw: (random) => {
    const pages = random.pick([0, 0, 1]);
    const phase = random.int(0, 1);
    const most = random.int(1, 5);
    const list: Told["list"] = (held, { night, window }) =>
      (night + window) % 2 === phase ? held.slice(0, pages * most) : held;
    return { told: { list }, needsCut: false, isOfNight: true };
  },
};

const skip: LieKind = {
  name: "skip",
  styles: [...paged, ...led],
  draw: (random) => {
    const each = random.int(6, 8);
    // Other ones in each night and in each walk: whoever leaves out the same ones for ever does not hold them.
    const slice: Told["slice"] = (list, offset, size, { night, sameStart, sameEnd }) => {
      const phase = (night + Math.max(sameStart, sameEnd)) % each;
      return list.slice(offset, offset + size).filter(({ serial }) => serial % each !== phase);
    };
    return { told: { slice }, needsCut: true, isOfNight: true };
  },
};

const lastPage: LieKind = {
  name: "last_page",
  styles: [...paged, ...led],
  draw: () => {
    const slice: Told["slice"] = (list, offset, size) =>
      offset > 0 && offset + size >= list.length ? [] : list.slice(offset, offset + size);
    return { told: { slice }, needsCut: true };
  },
};

const samePage: LieKind = {
  name: "same_page",
  styles: [...paged, ...led],
  draw: (_random, { style }) => ({
    told: { slice: (list, _offset, size) => list.slice(0, size) },
    needsCut: led.includes(style),
  }),
};

const varying: LieKind = {
  name: "varying",
  styles,
  draw: (_random, { order }) => {
    // What is lost lies at the end of a walk: never as much as one of those before had lost there.
    const list: Told["list"] = (held, { sameEnd, sameStart }) => {
      const before = order === "oldest_first" ? sameEnd : sameStart;
      return held.length < 7 ? held : held.slice(0, -1 - (before % (held.length - 1)));
    };
    const manners = order === "shuffled" ? { order: "newest_first" as const } : {};
    return { told: { list }, manners, needsCut: true, isOfNight: true };
  },
};

const lookalike: LieKind = {
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
    const body: Told["body"] = ({ walk: { night, window } }) =>
      isAlways || (night + window) % 2 === phase ? { [at]: looks[at] } : undefined;
    return { told: { body }, needsCut: false, isOfNight: true };
  },
};

const forgets: LieKind = {
  name: "forgets",
  styles,
  draw: (random, _manners, { nights, windowMs }) => {
    // In a window that was closed when it was first read.
    const closed = Math.floor(nights[0]! / windowMs) - random.int(2, 3) + random.next();
    const list: Told["list"] = (held, { night }) =>
      night === 0 ? held : held.filter(({ timeMs }) => timeMs >= closed * windowMs);
    return { told: { list }, needsCut: true };
  },
};

/** All families of lies. */
export const lieKinds: readonly LieKind[] = [
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
