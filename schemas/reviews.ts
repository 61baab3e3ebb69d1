import { z } from "zod";

/** Who reviews which rights: `reviews` of the configuration. */
export const reviews = z
  .strictObject({
    owners: z
      .strictObject({
        policies: z
          .record(z.string(), z.string().min(1))
          .default({})
          .describe("reviewers of the rights of policies, by policy name or id"),
        databases: z
          .record(z.string(), z.string().min(1))
          .default({})
          .describe("reviewers of rights on databases, by database name or id"),
        account: z
          .string()
          .min(1)
          .default("account")
          .describe("reviewer of rights without another owner"),
      })
      .prefault({}),
  })
  .prefault({})
  .describe("owners of rights in an access review");
