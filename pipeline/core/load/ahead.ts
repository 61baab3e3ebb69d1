import { join } from "node:path";
import type { Home } from "../../base/home/layout.ts";
import type { IdentityFields } from "../records/identity.ts";
import {
  dropFrom,
  type GrowingBatch,
  isFull,
  newBatch,
  openLines,
  type PageBytes,
  type ReadShape,
  stageInto,
} from "./batch.ts";

/** The first pages of an import, staged as they are stored, so that they need not be read back from the disk. */
export type StagedAhead = {
  /** Stages the pages that `work` gives to `stage`, all of one file; none of them where it throws. */
  readonly stageFile: <T>(work: (stage: (page: PageBytes) => void) => Promise<T>) => Promise<T>;
  /** Ends it: the pages that follow are read back. */
  readonly end: () => void;
  /** The first batch of the read. */
  readonly batch: GrowingBatch;
};

/** Begins to stage ahead, up to the size of one batch. */
export function newStagedAhead(
  { staging }: Home,
  how: ReadShape,
  identity: IdentityFields,
): StagedAhead {
  const batch = newBatch(join(staging, "ahead"), 0);
  let isEnded = false;
  const stageFile: StagedAhead["stageFile"] = async (work) => {
    const first = batch.pages.length;
    const lines = openLines(batch, first);
    let isWhole = true;
    // The load stages the pages again, and shows there what is wrong.
    const attempt = (step: () => void): void => {
      try {
        step();
      } catch {
        isEnded = true;
        isWhole = false;
      }
    };
    try {
      return await work((page) => {
        isEnded ||= isFull(batch);
        if (isEnded) return;
        attempt(() => void stageInto({ batch, lines }, batch.pages.length, page, how, identity));
      });
    } catch (error) {
      isWhole = false;
      throw error;
    } finally {
      attempt(() => lines[Symbol.dispose]());
      if (!isWhole || batch.pages.length === first) dropFrom(batch, first);
    }
  };
  return { stageFile, end: () => void (isEnded = true), batch };
}
