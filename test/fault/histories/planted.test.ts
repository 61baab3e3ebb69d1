import { testPlanted } from "../../pipeline/cli/investigate/planted.ts";

// Seeds besides the one tested with the command (test/pipeline/cli/investigate.simulation.test.ts).
for (const seed of [19, 101]) testPlanted(seed);
