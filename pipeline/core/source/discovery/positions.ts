import type { Paging } from "../../../../schemas/config.ts";
import type { Asker } from "./asking.ts";
import { askFor, isTaken, type Ground } from "./ground.ts";
import { offsetNames, pageNames } from "./parameter-names.ts";
import { findOne, type Outcome } from "./narrowing.ts";
import type { Parameters } from "./opening.ts";
import type { Seen } from "./seen.ts";

type Name = { readonly style: "page" | "offset"; readonly name: string };

/** How an answer stands to the first page of the same size: which record of the reference it begins with. */
type Place = number | "elsewhere" | "unclear";

const shortPage = 2;

/** The parameter for a page number or an offset that leads on; undefined where none does, or nothing tells. */
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
    return page === undefined ? "unclear" : placeOf(page, ground, isExact);
  };
  const slots = isExact ? Math.min(5, Math.floor((ground.reference.length - 1) / 4)) : 1;
  const ask = async (groups: readonly (readonly Name[])[]): Promise<Outcome> => {
    const place = await placeAt(positionsOf(groups, isExact ? 1 : size));
    if (place === 0) return "ignored";
    if (place === "elsewhere") return 0;
    const group = place === "unclear" ? NaN : groupAt(place);
    return group < groups.length ? group : "unclear";
  };
  const names = namesOf(inForce, ground.isStrict).filter(({ name }) => !isTaken(ground, name));
  const found = await findOne(names, slots, ground.isStrict, ask);
  if (found === undefined) return undefined;
  const { style, name: param } = found;
  if (style === "offset") return { style, param };
  // The number of the first page is the one that changes nothing. Whatever its name, an offset moves by one record.
  const place = await placeAt({ [param]: "1" });
  if (place === 1 || (!isExact && place === "unclear")) return { style: "offset", param };
  return { style, param, first: place === 0 ? 1 : 0 };
}

function namesOf({ style, param }: Paging, isStrict: boolean): Name[] {
  const own: Name[] = style === "page" || style === "offset" ? [{ style, name: param }] : [];
  const pages = pageNames.map((name): Name => ({ style: "page", name }));
  const offsets = offsetNames.map((name): Name => ({ style: "offset", name }));
  const known = isStrict ? [...pages.slice(0, 2), ...offsets.slice(0, 2)] : [...pages, ...offsets];
  return [...own, ...known.filter(({ name }) => name !== own[0]?.name)];
}

// With two records to a page, every page begins at an even record: what begins at an odd one is an offset.
function positionsOf(groups: readonly (readonly Name[])[], offset: number): Parameters {
  const all = groups.flatMap((names, i) =>
    names.map(({ style, name }) => [name, String(style === "page" ? 2 + 2 * i : offset + 2 * i)]),
  );
  return Object.fromEntries(all) as Parameters;
}

// Of the page numbers asked for, only even ones, the place tells whether they count from 0 or from 1.
function groupAt(place: number): number {
  if (place % 2 === 1) return (place - 1) / 2;
  const number = place / shortPage;
  return Math.floor((number - 1) / 2);
}

function placeOf({ records }: Seen, { reference, first }: Ground, isExact: boolean): Place {
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
