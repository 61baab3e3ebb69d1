import { inBatches, type Work } from "../children.ts";
import { perBatch, runBatch } from "./batch.ts";
import { makePlan } from "./plan.ts";

export const work: Work = (share, report) =>
  inBatches(share, perBatch, (seeds) => runBatch(seeds.map(makePlan)), report);
