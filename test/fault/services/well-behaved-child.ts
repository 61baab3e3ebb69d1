import { beChild, inBatches } from "../children.ts";
import { perBatch, runBatch } from "./batch.ts";

beChild((share, report) =>
  inBatches(share, perBatch, (seeds) => runBatch(seeds, "well_behaved"), report),
);
