import { testPlanted } from "../../pipeline/commands/investigate/planted.ts";

// Seeds beside the one that stands with the command (test/pipeline/commands/investigate.test.ts).
for (const seed of [19, 101]) testPlanted(seed);
