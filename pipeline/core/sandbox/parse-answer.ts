import { z } from "zod";
import { columnKinds, type Row, type SandboxMessage } from "./protocol.ts";

// Apart from the protocol, so that the child need not load the library.
const column = z.object({ name: z.string(), type: z.string(), kind: z.enum(columnKinds) });
const unread = z.object({
  source: z.string(),
  fromMs: z.number().nullable(),
  untilMs: z.number().nullable(),
  isPruned: z.boolean(),
});
const reach = z.object({
  upToMs: z.number().nullable(),
  isEmpty: z.boolean(),
  unread: z.array(unread),
});
const message: z.ZodType<SandboxMessage> = z.union([
  z.object({ columns: z.array(column), reach: reach.optional() }),
  z.object({ end: z.object({ rows: z.int(), more: z.boolean() }) }),
  z.object({
    error: z.object({ stage: z.enum(["open", "gate", "prepare", "run"]), text: z.string() }),
  }),
]);

/** Parses one line of the answer, a row or a message; throws if it is neither. */
export function parseAnswer(line: string): Row | SandboxMessage {
  const value: unknown = JSON.parse(line);
  // Rows are the many: an array from the child's own JSON writer needs no second look.
  return Array.isArray(value) ? (value as Row) : message.parse(value);
}

export function isRow(answer: Row | SandboxMessage): answer is Row {
  return Array.isArray(answer);
}
