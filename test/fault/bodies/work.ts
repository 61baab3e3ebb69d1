import { join } from "node:path";
import { getMessage } from "../../../pipeline/base/errors.ts";
import type { PageCounts } from "../../../pipeline/core/store/loading/read-facts.ts";
import { temporaryFolder } from "../../support/load.ts";
import type { Share, Work } from "../children.ts";
import { makeSeed, type Measured } from "../figure.ts";
import { damagedBody } from "./body.ts";
import { withLoad, type Load, type Sent } from "./loading.ts";
import { judge } from "./staging.ts";

const perLoad = 400;

type Tally = { refused: number; kept: number; quarantined: number };

export const work: Work = async (share, report): Promise<Measured> => {
  const { path, remove } = temporaryFolder();
  const failures: string[] = [];
  const tally: Tally = { refused: 0, kept: 0, quarantined: 0 };
  try {
    await withLoad(path, (load) => tryAll(share, path, load, { tally, failures }, report));
  } finally {
    remove();
  }
  const note = `${tally.refused} pages refused, ${tally.kept} records kept, ${tally.quarantined} quarantined`;
  return { done: share.count, failures, note };
};

async function tryAll(
  { first, count }: Share,
  folder: string,
  load: Load,
  { tally, failures }: { readonly tally: Tally; readonly failures: string[] },
  report: (line: string) => void,
): Promise<void> {
  let batch: Sent[] = [];
  for (let place = 0; place < count; place++) {
    const seed = makeSeed(first, place);
    const { form, bytes } = damagedBody(seed);
    try {
      const { accepted, complaints } = judge(bytes, join(folder, "staged.ndjson"));
      failures.push(...complaints.map((text) => `seed ${seed}: ${form}: ${text}`));
      if (accepted === undefined) tally.refused += 1;
      else batch.push({ seed, bytes, accepted });
    } catch (error) {
      failures.push(`seed ${seed}: ${form}: staging crashed: ${getMessage(error)}`);
    }
    if (batch.length < perLoad && place < count - 1) continue;
    failures.push(...(await loadAll(batch, load, tally)));
    batch = [];
    if (place % 5000 < perLoad) report(`seeds ${first} to ${seed}`);
  }
}

// A load that fails is tried again in halves, down to the page it fails for.
async function loadAll(batch: readonly Sent[], load: Load, tally: Tally): Promise<string[]> {
  if (batch.length === 0) return [];
  try {
    const { pages } = await load(batch);
    return batch.flatMap((sent, i) => makeCounts(sent, pages[i], tally));
  } catch (error) {
    if (batch.length === 1) return [`seed ${batch[0]!.seed}: loading failed: ${getMessage(error)}`];
    const middle = Math.ceil(batch.length / 2);
    return [
      ...(await loadAll(batch.slice(0, middle), load, tally)),
      ...(await loadAll(batch.slice(middle), load, tally)),
    ];
  }
}

function makeCounts(
  { seed, accepted }: Sent,
  counts: PageCounts | undefined,
  tally: Tally,
): string[] {
  const { fetched = 0, inserted = 0, duplicate = 0, quarantined = 0 } = counts ?? {};
  tally.kept += inserted + duplicate;
  tally.quarantined += quarantined;
  return fetched === accepted.records && inserted + duplicate + quarantined === fetched
    ? []
    : [
        `seed ${seed}: sent ${accepted.records}: ${inserted} new, ${duplicate} known, ${quarantined} quarantined`,
      ];
}
