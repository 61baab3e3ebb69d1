import { testPlanted } from "../../pipeline/cli/investigate/planted.ts";

// Seeds beside the one that stands with the command (test/pipeline/cli/investigate.simulation.test.ts).
for (const seed of [19, 101]) testPlanted(seed);
