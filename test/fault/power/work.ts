import type { Work } from "../children.ts";
import { makeSeed } from "../figure.ts";
import { statesPerStory, reportStories } from "./stories.ts";

export const work: Work = ({ first, count }, report) => {
  const stories = Array.from({ length: count }, (_, i) => makeSeed(first, i));
  return reportStories(
    stories.map((seed) => ({ seed, states: statesPerStory })),
    report,
  );
};
