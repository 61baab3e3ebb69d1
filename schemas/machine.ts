import { z } from "zod";

const amount = z.string().regex(/^\d+(MB|GB)$/);

// A network of all addresses would believe the header of anybody.
const network = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
  .refine(
    (text) => !text.endsWith("/0"),
    "expected an address or a network that is smaller than all addresses",
  );

/** Keys of the configuration about the machine: memory, threads, and who else may read. */
export const machine = {
  serve: z
    .strictObject({
      base_url: z
        .url({ protocol: /^https?$/ })
        .transform((url) => url.replace(/(?<!\/)\/+$/, ""))
        .optional()
        .describe("base address of links to its pages in notifications"),
      memory_limit: amount
        .optional()
        .describe(
          "memory limit of all query processes of serve; default: half of the machine's memory",
        ),
      user_header: z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9-]*$/)
        .optional()
        .describe("header with the user, set by the proxy in front of serve --listen"),
      trusted_proxies: z
        .array(network)
        .default([])
        .describe("addresses or networks (CIDR) of proxies whose user_header is trusted"),
      readers: z
        .array(z.string().min(1))
        .default(["*"])
        .describe("users with read access behind a proxy; *: all authenticated users"),
      responders: z
        .array(z.string().min(1))
        .default([])
        .describe("users who can also decide on findings and save reports behind a proxy"),
    })
    .prefault({})
    .describe("the web application"),
  readers_group: z
    .string()
    .regex(/^[a-z_][a-z0-9_-]*\$?$/)
    .optional()
    .describe(
      "a group of this machine with read access to the published file; default: only the owner",
    ),
  memory_limit: amount
    .optional()
    .describe("memory limit per open database; default: derived from the memory of the machine"),
  threads: z.int().min(1).max(256).optional(),
};
