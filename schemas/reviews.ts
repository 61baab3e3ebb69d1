import { z } from "zod";

/** Who reviews which rights: `reviews` of the configuration. */
export const reviews = z
  .strictObject({
    owners: z
      .strictObject({
        policies: z
          .record(z.string(), z.string().min(1))
          .default({})
          .describe("who decides on what policies give, by their names or ids"),
        databases: z
          .record(z.string(), z.string().min(1))
          .default({})
          .describe("who decides on rights on databases, by their names or ids"),
        account: z
          .string()
          .min(1)
          .default("account")
          .describe("reviewer of rights without another owner"),
      })
      .prefault({}),
  })
  .prefault({})
  .describe("who reviews which rights (access review)");
