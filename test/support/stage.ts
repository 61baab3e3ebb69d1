import { createLineWriter } from "../../pipeline/core/records/line-writer.ts";
import {
  type PageShape,
  type StageResult,
  stagePage,
  type StageRules,
} from "../../pipeline/core/records/stage-page.ts";

/** Stages a page into a file of its own, its records without an id into `apart` where that is given. */
export function stageTo(
  bytes: Buffer,
  shape: PageShape,
  rules: StageRules,
  file: string,
  apart?: string,
): StageResult {
  using named = createLineWriter(file);
  using nameless = apart === undefined ? undefined : createLineWriter(apart);
  return stagePage(bytes, shape, rules, { named, nameless: nameless ?? named });
}
