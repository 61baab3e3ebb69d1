import { z } from "zod";

/** Where a stored authentication lies; never in the configuration itself. */
export const authentication = z.union([
  z
    .strictObject({ file: z.string().min(1) })
    .describe("a file of mode 600 with a JSON object of credentials"),
  z
    .strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/) })
    .describe("an environment variable with a JSON object of credentials"),
]);

export type Authentication = z.infer<typeof authentication>;

// What a header or a JSON body can carry without changing it.
const credential = z.string().regex(/^[\x20-\x7e]*[\x21-\x7e]$/);

/** The credentials of one authentication by their keys, as a connector names them. */
export const storedCredentials = z.record(z.string(), credential);
