import type { Context } from "hono";

/**
 * Answers with a page that comes in pieces. What fails before the first piece is thrown. Later the pieces have to tell
 * it themselves, and what nobody foresaw ends the page where it is.
 */
export async function piecesOf(c: Context, pieces: AsyncGenerator<string>): Promise<Response> {
  const first = await pieces.next();
  c.header("Content-Type", "text/html; charset=utf-8");
  if (first.done === true || c.req.method === "HEAD") {
    await pieces.return(undefined);
    return c.body(null);
  }
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(first.value)),
    pull: async (controller) => {
      const next = await pieces.next().catch(() => ({ done: true, value: undefined }));
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    cancel: async () => {
      await pieces.return(undefined);
    },
  });
  return c.body(body);
}
