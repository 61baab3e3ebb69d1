import { inBatches, type Work } from "../children.ts";
import { perBatch, runBatch } from "./batch.ts";

export const work: Work = (share, report) =>
  inBatches(share, perBatch, (seeds) => runBatch(seeds, "well_behaved"), report);
