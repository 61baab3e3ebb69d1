import { z } from "zod";

// What the messaging service answers; only what is read of it.

/** A message that was accepted; it is not delivered yet. */
export const messageAccepted = z.object({
  messages: z.array(z.object({ id: z.string().min(1) })).min(1),
});

/** A fault; decisions go by its code alone. */
export const messagingFault = z.object({ error: z.object({ code: z.int() }) });

const paging = z.object({ next: z.string().optional() }).optional();

/** A page of the phone numbers of an account. */
export const phoneNumbers = z.object({
  data: z.array(z.object({ id: z.string().min(1), display_phone_number: z.string() })),
  paging,
});

/** A page of the templates of an account. */
export const templates = z.object({
  data: z.array(
    z.object({
      name: z.string(),
      language: z.string(),
      status: z.string().optional(),
      components: z
        .array(
          z.object({
            type: z.string(),
            format: z.string().optional(),
            text: z.string().optional(),
          }),
        )
        .default([]),
    }),
  ),
  paging,
});

export type Template = z.infer<typeof templates>["data"][number];
