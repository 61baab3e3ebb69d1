import type { IncomingMessage, ServerResponse } from "node:http";
import { selectedBy, type Plan } from "./plan.ts";

/** Answers requests for the log of a plan; true for those that it answered. */
export function listAnswers(
  plan: Plan,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
    if (url.pathname !== "/v4/audits") return false;
    const { style, pageCap, servedPages } = plan;
    const [from, to] = ["from", "to"].map((name) => Number(url.searchParams.get(name)));
    const selected = selectedBy(plan, from!, to!);
    const offset = offsetIn(plan, url.searchParams.get("page"));
    const end = style === "none" ? Infinity : offset + pageCap;
    const page = selected.slice(offset, end);
    const isExpired = page.length > 0 && offset >= servedPages * pageCap;
    if (isExpired) fail(response, { ...plan, failure: 410 });
    else if (page.some(({ isPoison }) => isPoison)) fail(response, plan);
    else give(response, plan, url, page, end < selected.length ? end : undefined);
    return true;
  };
}

function offsetIn({ style, pageCap }: Plan, position: string | null): number {
  if (position === null || style === "none") return 0;
  return style === "page" ? (Number(position) - 1) * pageCap : Number(position.replace("c", ""));
}

function fail(response: ServerResponse, { failure }: Pick<Plan, "failure">): void {
  if (failure === "html")
    return void response.writeHead(200, { "Content-Type": "text/html" }).end("<html></html>");
  if (failure !== "cut") return void response.writeHead(failure).end('{"error":"failed"}');
  response.writeHead(200, { "Content-Length": 99 }).write('{"audits":[');
  setImmediate(() => response.destroy());
}

function give(
  response: ServerResponse,
  { style, pageCap }: Plan,
  url: URL,
  page: ReturnType<typeof selectedBy>,
  next: number | undefined,
): void {
  const audits = page.map(({ id, second }) => ({ time: second, event_name: "job_kill", id }));
  const following = new URL(url);
  following.searchParams.set("page", `c${next}`);
  if (style === "link_header" && next !== undefined)
    response.setHeader("Link", `<${following.href}>; rel="next"`);
  const nextPage = {
    page: next && next / pageCap + 1,
    offset: next,
    cursor: next && `c${next}`,
    next_url: next && following.href,
    link_header: undefined,
    none: undefined,
  }[style];
  const tail = style === "link_header" || style === "none" ? {} : { next_page: nextPage ?? null };
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ audits, ...tail }));
}
