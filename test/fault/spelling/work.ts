import { inBatches, type Work } from "../children.ts";
import { makePlan, runBatch } from "./batch.ts";

const perBatch = 50;

export const work: Work = (share, report) =>
  inBatches(share, perBatch, (seeds) => runBatch(seeds.map(makePlan)), report);
