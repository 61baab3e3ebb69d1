import type { Paging } from "../../../../schemas/config.ts";
import { linkTo } from "../link.ts";
import { type Asker, findOne, narrowDown, type Outcome } from "./asker.ts";
import { askFor, type Ground, isTaken } from "./ground.ts";
import { isAddress, type Lead, listLeads, readLeafAt } from "./envelopes.ts";
import { cursorNames, nextKey, offsetNames, pageNames } from "./parameter-names.ts";
import type { SeenAnswer } from "./read-answer.ts";
import type { Parameters } from "./opening.ts";

const mostAddresses = 3;
const mostUnnamed = 2;

/** Ways to go from page to page that answers speak for, the plainest first; each is still to be tried. */
export async function* listPagingStyles(
  asker: Asker,
  ground: Ground,
  earlier: unknown,
  inForce: Paging,
): AsyncGenerator<Partial<Paging>> {
  const { headers, envelope, url } = ground.first;
  if (linkTo("next", headers["link"]) !== undefined) yield { style: "link_header" };
  const leads = listLeads(envelope, earlier);
  const addresses = leads.filter(({ value }) => isAddress(value) && !isItself(value, url));
  for (const { path } of addresses.slice(0, mostAddresses))
    yield { style: "next_url", next_at: path };
  const texts = leads.filter(({ value }) => !isAddress(value));
  yield* findCursors(asker, ground, texts.filter(isNamedNext), inForce);
  const position = await findPosition(asker, ground, inForce);
  if (position !== undefined) yield position;
  const rest = texts.filter((lead) => !isNamedNext(lead)).slice(0, mostUnnamed);
  yield* findCursors(asker, ground, rest, inForce);
}

async function* findCursors(
  asker: Asker,
  ground: Ground,
  leads: readonly Lead[],
  inForce: Paging,
): AsyncGenerator<Partial<Paging>> {
  for (const lead of leads) {
    const found = await findCursor(asker, ground, lead, inForce);
    if (found !== undefined) yield found;
  }
}

// A number may be that of a page, which leads on by itself.
function isNamedNext({ path, value }: Lead): boolean {
  return nextKey.test(path) && !/^\d{1,6}$/.test(value);
}

function isItself(address: string, url: string): boolean {
  return URL.parse(address, url)?.href === url;
}

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
  let second: SeenAnswer | undefined;
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
  const names = listNamesFor(path, inForce).filter((name) => !isTaken(ground, name));
  if (isStrict) return buildPaging(path, await findOne(names.slice(0, 5), 1, true, ask));
  const outcome = await ask([names]);
  if (outcome === "ignored") return undefined;
  if (outcome === "unclear")
    return nextKey.test(path)
      ? buildPaging(path, await findOne(names.slice(0, 5), 1, true, ask))
      : undefined;
  // A second cursor is tried at once with the first, so that each answer rules out two thirds of the names.
  const further = readLeafAt(second?.envelope, path);
  if ((typeof further === "string" || typeof further === "number") && String(further) !== value)
    cursors.push(String(further));
  return buildPaging(path, await narrowDown(names, cursors.length, ask));
}

function buildPaging(path: string, param: string | undefined): Partial<Paging> | undefined {
  return param === undefined ? undefined : { style: "cursor", param, next_at: path };
}

// First the configured name, then names that the key in the body suggests, then the usual ones.
function listNamesFor(path: string, { style, param }: Paging): string[] {
  const key = path.split(".").at(-1)!;
  const bare = key.replace(/^next[_-]?/i, "");
  const suggested = [bare, bare.charAt(0).toLowerCase() + bare.slice(1), key];
  const own = style === "cursor" ? [param] : [];
  return [...new Set([...own, ...suggested, ...cursorNames])].filter((name) => name !== "");
}

function isSame(a: SeenAnswer, b: SeenAnswer): boolean {
  return a.records.map(({ text }) => text).join() === b.records.map(({ text }) => text).join();
}

function overlaps(a: SeenAnswer, b: SeenAnswer): boolean {
  const known = new Set(b.records.map(({ text }) => text));
  return a.records.filter(({ text }) => known.has(text)).length > a.records.length * 0.2;
}

type Name = { readonly style: "page" | "offset"; readonly name: string };

/** How an answer relates to the first page of the same size: the record of the reference that it begins with. */
type Place = number | "elsewhere" | "unclear";

const shortPage = 2;

/** Finds the parameter of a page number or an offset; undefined if none exists, or the answers do not show it. */
export async function findPosition(
  asker: Asker,
  ground: Ground,
  inForce: Paging,
): Promise<Partial<Paging> | undefined> {
  const isExact = ground.sizeParam !== null && ground.reference.length > 2 * shortPage;
  const size = isExact ? shortPage : ground.size;
  const sized = ground.sizeParam === null ? {} : { [ground.sizeParam]: String(size) };
  const placeAt = async (position: Parameters): Promise<Place> => {
    const page = await askFor(asker, ground.audits, ground.window, { ...sized, ...position });
    return page === undefined ? "unclear" : locatePage(page, ground, isExact);
  };
  const slots = isExact ? Math.min(5, Math.floor((ground.reference.length - 1) / 4)) : 1;
  const ask = async (groups: readonly (readonly Name[])[]): Promise<Outcome> => {
    const place = await placeAt(buildPositions(groups, isExact ? 1 : size));
    if (place === 0) return "ignored";
    if (place === "elsewhere") return 0;
    const group = place === "unclear" ? NaN : groupAt(place);
    return group < groups.length ? group : "unclear";
  };
  const names = listNames(inForce, ground.isStrict).filter(({ name }) => !isTaken(ground, name));
  const found = await findOne(names, slots, ground.isStrict, ask);
  if (found === undefined) return undefined;
  const { style, name: param } = found;
  if (style === "offset") return { style, param };
  // The number of the first page is the value that changes nothing. An offset moves by one record, whatever its name.
  const place = await placeAt({ [param]: "1" });
  if (place === 1 || (!isExact && place === "unclear")) return { style: "offset", param };
  return { style, param, first: place === 0 ? 1 : 0 };
}

function listNames({ style, param }: Paging, isStrict: boolean): Name[] {
  const own: Name[] = style === "page" || style === "offset" ? [{ style, name: param }] : [];
  const pages = pageNames.map((name): Name => ({ style: "page", name }));
  const offsets = offsetNames.map((name): Name => ({ style: "offset", name }));
  const known = isStrict ? [...pages.slice(0, 2), ...offsets.slice(0, 2)] : [...pages, ...offsets];
  return [...own, ...known.filter(({ name }) => name !== own[0]?.name)];
}

// With two records to a page, every page begins at an even record: what begins at an odd one is an offset.
function buildPositions(groups: readonly (readonly Name[])[], offset: number): Parameters {
  const all = groups.flatMap((names, i) =>
    names.map(({ style, name }) => [name, String(style === "page" ? 2 + 2 * i : offset + 2 * i)]),
  );
  return Object.fromEntries(all) as Parameters;
}

// Of the requested page numbers, only even ones, the place shows whether they count from 0 or from 1.
function groupAt(place: number): number {
  if (place % 2 === 1) return (place - 1) / 2;
  const number = place / shortPage;
  return Math.floor((number - 1) / 2);
}

function locatePage(
  { records }: SeenAnswer,
  { reference, first }: Ground,
  isExact: boolean,
): Place {
  const [a, b] = records;
  if (a === undefined) return "unclear";
  if (isExact) {
    const isAt = (i: number): boolean =>
      reference[i]!.text === a.text && (b === undefined || (reference[i + 1] ?? b).text === b.text);
    const places = reference.map((_, i) => i).filter(isAt);
    return places.length === 1 ? places[0]! : "unclear";
  }
  const known = new Set(first.records.map(({ text }) => text));
  const again = records.filter(({ text }) => known.has(text)).length;
  if (again === records.length && records.length === first.records.length) return 0;
  return again <= records.length * 0.2 ? "elsewhere" : "unclear";
}
