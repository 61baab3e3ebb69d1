import { beChild, inBatches } from "../children.ts";
import { perBatch, runBatch } from "./batch.ts";
import { forgetfulPlanOf } from "./forgetful.ts";

beChild((share, report) =>
  inBatches(share, perBatch, (seeds) => runBatch(seeds.map(forgetfulPlanOf)), report),
);
