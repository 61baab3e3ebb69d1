import { inBatches, type Work } from "../children.ts";
import { perBatch, runBatch } from "./batch.ts";

export const work: Work = (share, report) => inBatches(share, perBatch, runBatch, report);
