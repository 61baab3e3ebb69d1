import type { Context, Hono } from "hono";
import { AuditlakeError, exitCode, getMessage, UsageError } from "../../../base/errors.ts";
import type { Site } from "../site.ts";
import type { VisitEnv } from "../visit.ts";
import { sendCsv } from "../pieces.ts";
import { requireResponder } from "../visitor.ts";
import { ConflictError, decideOnFindings, type Form } from "./decide.ts";
import { writeDetectionPage, writeDetectionsPage } from "./detections-page.ts";
import { writeEvidenceCsv } from "./evidence-card.ts";
import { writeFindingPage } from "./finding-page.ts";
import { type FormNote, writeFindingsPage } from "./list-page.ts";
import { suppressByForm, writeSuppressPage } from "./suppress-page.ts";
import { unsuppressByForm, writeSuppressionsPage } from "./suppressions-page.ts";

type Asked = Context<VisitEnv>;

const maxFormBytes = 1_000_000;

export function routeFindings(app: Hono<VisitEnv>, site: Site): void {
  app.get("/findings", async (c) => c.html(await writeFindingsPage(c.var.visit)));
  app.post("/findings", (c) =>
    takeForm(
      c,
      site,
      (form) => decideOnFindings(site, form.all("id"), form),
      (note) => writeFindingsPage(c.var.visit, note),
    ),
  );
  app.get("/findings/detections", async (c) => c.html(await writeDetectionsPage(c.var.visit)));
  app.get("/findings/detections/:name", async (c) =>
    c.html(await writeDetectionPage(c.var.visit, c.req.param("name"))),
  );
  app.get("/findings/suppressions", async (c) => c.html(await writeSuppressionsPage(c.var.visit)));
  app.post("/findings/suppressions", (c) =>
    takeForm(
      c,
      site,
      (form) => unsuppressByForm(site, form),
      (note) => writeSuppressionsPage(c.var.visit, note),
    ),
  );
  app.get("/findings/:id", async (c) =>
    c.html(await writeFindingPage(c.var.visit, c.req.param("id"))),
  );
  app.get("/findings/:id/evidence.csv", (c) => {
    const id = c.req.param("id");
    return sendCsv(c, `finding-${id}`, (sink) => writeEvidenceCsv(c.var.visit, id, sink));
  });
  app.post("/findings/:id", (c) => {
    const id = c.req.param("id");
    return takeForm(
      c,
      site,
      (form) => decideOnFindings(site, [id], form),
      (note) => writeFindingPage(c.var.visit, id, note),
    );
  });
  app.get("/findings/:id/suppress", async (c) =>
    c.html(await writeSuppressPage(c.var.visit, c.req.param("id"))),
  );
  app.post("/findings/:id/suppress", (c) => {
    const id = c.req.param("id");
    return takeForm(
      c,
      site,
      (form) => suppressByForm(site, id, form),
      (note) => writeSuppressPage(c.var.visit, id, note),
      `/findings/${id}`,
    );
  });
}

/**
 * Carries out a form and leads back to its page. Where that fails the page comes again with the reason, and with what had
 * been filled in.
 */
async function takeForm(
  c: Asked,
  site: Site,
  act: (form: Form) => Promise<void>,
  writeAgain: (note: FormNote) => Promise<string>,
  next?: string,
): Promise<Response> {
  requireResponder();
  const form = await readForm(c);
  const { pathname, search } = new URL(c.req.url);
  try {
    site.forms.check(form.get("token"), pathname);
    await act(form);
  } catch (error) {
    const status = chooseStatus(error);
    if (status === undefined) throw error;
    const note = { problem: getMessage(error), filled: listFilled(form) };
    if (status === 503) c.header("Retry-After", "5");
    return c.html(await writeAgain(note), status);
  }
  return c.redirect(next ?? `${pathname}${search}`, 303);
}

function chooseStatus(error: unknown): 400 | 409 | 503 | undefined {
  if (error instanceof ConflictError) return 409;
  if (error instanceof UsageError) return 400;
  return error instanceof AuditlakeError && error.exitCode === exitCode.locked ? 503 : undefined;
}

const fields = ["decision", "as", "reason", "until"];

function listFilled(form: Form): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap((name) => {
      const value = form.get(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

async function readForm(c: Asked): Promise<Form> {
  if (Number(c.req.header("content-length") ?? maxFormBytes + 1) > maxFormBytes)
    throw new UsageError(`the form is too large; the limit is ${maxFormBytes / 1e6} MB`);
  const body = await c.req.parseBody({ all: true });
  const all = (name: string): readonly string[] =>
    [body[name] ?? []].flat().map((value) => String(value).replaceAll("\r\n", "\n"));
  return { get: (name) => all(name)[0], all };
}
