import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { AuditRecord } from "../../../../fixtures/record.ts";
import type { TestHome } from "../../../support/home.ts";
import type { Outcome } from "../../../support/command.ts";

/** A denial of its own at a moment. */
export function denial(atMs: number): AuditRecord {
  const id = `d${atMs}`;
  const event_name = "user_signed_in";
  return { id, time: atMs / 1000, event_name, event_result: "denied", user_email: `${id}@x.io` };
}

/** Makes the page of a moment. */
export async function makePage(home: TestHome, atMs: number, env = {}): Promise<Outcome> {
  return home.run(["page", "--out", join(home.folder, "pages")], { now: () => atMs, env });
}

/** The denials that the page of a moment calls new. */
export async function newOn(home: TestHome, atMs: number, env = {}): Promise<string[]> {
  expect(await makePage(home, atMs, env)).toMatchObject({ code: 0 });
  const day = new Date(atMs).toISOString().slice(0, 10);
  const page = readFileSync(join(home.folder, "pages", `auditlake-${day}.html`), "utf8");
  const after = page.slice(page.indexOf("<h3>New denials</h3>"));
  const answer = after.slice(0, after.indexOf("auditlake report run"));
  return [...new Set([...answer.matchAll(/(d\d+)@x\.io/g)].map(([, id]) => id!))].toSorted();
}
