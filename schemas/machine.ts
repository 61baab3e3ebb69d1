import { z } from "zod";

const amount = z.string().regex(/^\d+(MB|GB)$/);

// A network of all addresses would believe the header of anybody.
const network = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
  .refine(
    (text) => !text.endsWith("/0"),
    "expected an address or a network of less than all addresses",
  );

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
      user_header: z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9-]*$/)
        .optional()
        .describe("header in which the proxy in front of serve --listen names the user"),
      trusted_proxies: z
        .array(network)
        .default([])
        .describe("addresses or networks (CIDR) of proxies whose user_header is believed"),
      readers: z
        .array(z.string().min(1))
        .default(["*"])
        .describe("users who may read the pages behind a proxy; * for all that it authenticates"),
      responders: z
        .array(z.string().min(1))
        .default([])
        .describe("users who may also decide on findings and save reports behind a proxy"),
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
