/** Engines that `--engine` takes. */
export const engineNames = ["trino"] as const;
