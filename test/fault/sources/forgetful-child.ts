import { beChild, inBatches } from "../children.ts";
import { perBatch, runBatch } from "./batch.ts";
import { makeForgetfulPlan } from "./forgetful.ts";

beChild((share, report) =>
  inBatches(share, perBatch, (seeds) => runBatch(seeds.map(makeForgetfulPlan)), report),
);
