import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeAhead } from "../../base/home/durable.ts";
import { isCode } from "../../base/errors.ts";
import { parseJson } from "../../base/rows/json-text.ts";
import { type LandedPage, pagePlace } from "./store.ts";

// Where the pages of a read lie within a file that they share is in a file beside its manifest. So pages can be packed
// in another way without a change of the manifest, whose hash is in the log.

const placesFile = z.array(pagePlace.nullable());

type Places = z.infer<typeof placesFile>;

/** Writes where the pages of a read lie, if any shares a file; the manifest's own writing makes it durable. */
export async function writePlaces(
  landing: string,
  readId: string,
  pages: readonly LandedPage[],
): Promise<void> {
  if (pages.every(({ place }) => place === undefined)) return;
  const places: Places = pages.map(({ place }) => place ?? null);
  await writeAhead(getPlacesPath(landing, readId), Buffer.from(`${JSON.stringify(places)}\n`));
}

/** The places of the pages of a manifest; none where each page has a file of its own. */
export function readPlaces(manifestPath: string): Places {
  try {
    const text = readFileSync(manifestPath.replace(/\.json$/, placesEnd), "utf8");
    return placesFile.safeParse(parseJson(text)).data ?? [];
  } catch (error) {
    if (isCode(error, "ENOENT")) return [];
    throw error;
  }
}

const placesEnd = ".places";

export function getPlacesPath(landing: string, readId: string): string {
  return join(landing, "reads", `${readId}${placesEnd}`);
}
