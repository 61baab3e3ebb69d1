import type { Paging } from "../../../../schemas/config.ts";
import type { Asker } from "./asking.ts";
import { askFor, isTaken, type Ground } from "./ground.ts";
import { leafAt, type Lead } from "./leaves.ts";
import { cursorNames, nextKey } from "./parameter-names.ts";
import { findOne, narrowed, type Outcome } from "./narrowing.ts";
import type { Seen } from "./seen.ts";

/** The parameter that takes a value of the body and leads to the next page; undefined where none does. */
export async function findCursor(
  asker: Asker,
  ground: Ground,
  { path, value }: Lead,
  inForce: Paging,
): Promise<Partial<Paging> | undefined> {
  const { first, isStrict } = ground;
  const sized = ground.sizeParam === null ? {} : { [ground.sizeParam]: String(ground.size) };
  const cursors = [value];
  let second: Seen | undefined;
  const ask = async (groups: readonly (readonly string[])[]): Promise<Outcome> => {
    const named = groups.flatMap((names, i) => names.map((name) => [name, cursors[i]!]));
    const more = { ...sized, ...(Object.fromEntries(named) as Record<string, string>) };
    const page = await askFor(asker, ground.audits, ground.window, more);
    if (page === undefined || page.records.length === 0) return "unclear";
    if (overlaps(page, first)) return isSame(page, first) ? "ignored" : "unclear";
    if (second !== undefined && !isSame(page, second)) return groups.length > 1 ? 1 : "unclear";
    second ??= page;
    return 0;
  };
  const names = namesFor(path, inForce).filter((name) => !isTaken(ground, name));
  if (isStrict) return pagingOf(path, await findOne(names.slice(0, 5), 1, true, ask));
  const outcome = await ask([names]);
  if (outcome === "ignored") return undefined;
  if (outcome === "unclear")
    return nextKey.test(path)
      ? pagingOf(path, await findOne(names.slice(0, 5), 1, true, ask))
      : undefined;
  // A second cursor is tried at once with the first, so that each answer rules out two thirds of the names.
  const further = leafAt(second?.envelope, path);
  if ((typeof further === "string" || typeof further === "number") && String(further) !== value)
    cursors.push(String(further));
  return pagingOf(path, await narrowed(names, cursors.length, ask));
}

function pagingOf(path: string, param: string | undefined): Partial<Paging> | undefined {
  return param === undefined ? undefined : { style: "cursor", param, next_at: path };
}

// First the configured name, then names that the key in the body suggests, then the usual ones.
function namesFor(path: string, { style, param }: Paging): string[] {
  const key = path.split(".").at(-1)!;
  const bare = key.replace(/^next[_-]?/i, "");
  const suggested = [bare, bare.charAt(0).toLowerCase() + bare.slice(1), key];
  const own = style === "cursor" ? [param] : [];
  return [...new Set([...own, ...suggested, ...cursorNames])].filter((name) => name !== "");
}

function isSame(a: Seen, b: Seen): boolean {
  return a.records.map(({ text }) => text).join() === b.records.map(({ text }) => text).join();
}

function overlaps(a: Seen, b: Seen): boolean {
  const known = new Set(b.records.map(({ text }) => text));
  return a.records.filter(({ text }) => known.has(text)).length > a.records.length * 0.2;
}
