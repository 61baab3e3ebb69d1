import type { Journal } from "../../pipeline/core/landing/journal.ts";
import { newPack } from "../../pipeline/core/landing/pack.ts";
import type { LandedPage } from "../../pipeline/core/landing/store.ts";

const deaf: Pick<Journal, "note"> = { note: () => Promise.resolve() };

/** Lands one page alone, as a read of one page does. */
export async function landPage(
  folder: string,
  bytes: Buffer,
  format: LandedPage["format"],
  note: Journal["note"] = deaf.note,
): Promise<LandedPage> {
  await using pack = newPack(folder, { note });
  await pack.add(bytes, format);
  const [page] = await pack.end();
  return page!;
}
