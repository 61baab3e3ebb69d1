import { z } from "zod";

const amount = z.string().regex(/^\d+(MB|GB)$/);

/** Keys of the configuration about the machine: memory, threads, and who else may read. */
export const machine = {
  serve: z
    .strictObject({
      base_url: z
        .url({ protocol: /^https?$/ })
        .transform((url) => url.replace(/(?<!\/)\/+$/, ""))
        .optional()
        .describe("address that links to its pages begin with, in notifications"),
      memory_limit: amount
        .optional()
        .describe(
          "of all query processes of serve together; half of the machine's memory if left out",
        ),
    })
    .prefault({})
    .describe("the web application"),
  readers_group: z
    .string()
    .regex(/^[a-z_][a-z0-9_-]*\$?$/)
    .optional()
    .describe(
      "a group of the machine that may read the published file; the owner alone if left out",
    ),
  memory_limit: amount
    .optional()
    .describe("of each database that is open; by the memory of the machine if left out"),
  threads: z.int().min(1).max(256).optional(),
};
