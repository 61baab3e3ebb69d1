import { beChild } from "../children.ts";
import { seedOf } from "../figure.ts";
import { statesPerStory, tellStories } from "./stories.ts";

beChild(({ first, count }, tell) => {
  const stories = Array.from({ length: count }, (_, i) => seedOf(first, i));
  return tellStories(
    stories.map((seed) => ({ seed, states: statesPerStory })),
    tell,
  );
});
