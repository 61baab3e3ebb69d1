import { beChild, inBatches } from "../children.ts";
import { makePlan, runBatch } from "./batch.ts";

const perBatch = 50;

beChild((share, report) =>
  inBatches(share, perBatch, (seeds) => runBatch(seeds.map(makePlan)), report),
);
