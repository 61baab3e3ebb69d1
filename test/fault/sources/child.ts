import { beChild, inBatches } from "../children.ts";
import { perBatch, runBatch } from "./batch.ts";
import { makePlan } from "./plan.ts";

beChild((share, report) =>
  inBatches(share, perBatch, (seeds) => runBatch(seeds.map(makePlan)), report),
);
