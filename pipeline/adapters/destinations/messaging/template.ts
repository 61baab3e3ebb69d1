import { warning } from "../../../base/notice/notice.ts";
import { type Print } from "../../../base/notice/printer.ts";
import type { Messaging } from "../../../../schemas/connectors/messaging.ts";
import { templates, type Template } from "../../../../schemas/connectors/messaging-answers.ts";
import { AuditlakeError, exitCode, UsageError } from "../../../base/errors.ts";
import type { Session } from "./session.ts";

/**
 * Compares the variables of the target with the variables of the template (seed 002, Errors, rule 4). Throws UsageError
 * if they differ, or if the template is unapproved or not of text. If the account cannot be queried, prints that
 * nothing was compared.
 */
export async function checkTemplate(
  target: Messaging,
  session: Session,
  print: Print,
): Promise<void> {
  if (target.send_mode !== "template") return;
  const found = await findTemplates(target, session, print);
  if (found === undefined) return;
  const named = found.filter(({ name }) => name === target.template_name);
  const template = named.find(({ language }) => language === target.language_code);
  if (template === undefined) {
    const known = named.map(({ language }) => language).join(", ");
    throw newTemplateError(
      known === ""
        ? `template_name: account ${target.account_id} has no template ${target.template_name}`
        : `language_code: template ${target.template_name} does not exist in ${target.language_code}; it exists in ${known}`,
    );
  }
  compareTemplate(target, template);
}

async function findTemplates(
  target: Messaging,
  session: Session,
  print: Print,
): Promise<Template[] | undefined> {
  const { account_id: account, templates_path: path, template_name: name = "" } = target;
  const unchecked = `the variables of template ${name} are not compared before sending`;
  if (account === undefined || path === null) {
    print(
      `note: ${unchecked}, because ${path === null ? "templates_path is null" : "account_id is not set"}`,
    );
    return undefined;
  }
  try {
    return await session.list(`${account}/${path}`, { name }, templates);
  } catch (error) {
    if (!(error instanceof AuditlakeError) || error.exitCode !== exitCode.failed) throw error;
    print(warning("template_unchecked", { what: unchecked, why: error.message }));
    return undefined;
  }
}

function compareTemplate(target: Messaging, { status = "APPROVED", components }: Template): void {
  const name = `template ${target.template_name}`;
  if (status.toUpperCase() !== "APPROVED")
    throw newTemplateError(`template_name: ${name} has status ${status}; expected an approved one`);
  const [header, body] = ["HEADER", "BODY"].map((type) =>
    components.find((component) => component.type.toUpperCase() === type),
  );
  const format = header?.format?.toUpperCase() ?? "TEXT";
  if (format !== "TEXT")
    throw newTemplateError(
      `template_name: ${name} has a header of ${format}; expected a text header`,
    );
  const headers = countVariables(header?.text);
  if (headers === 0 && target.header_variable !== "")
    throw newTemplateError(`header_variable: ${name} defines no header variable; remove the key`);
  if (headers > 0 && target.header_variable === "")
    throw newTemplateError(
      `header_variable: ${name} defines a header variable; name a column for it`,
    );
  const [expected, given] = [countVariables(body?.text), target.body_variables.length];
  if (expected !== given)
    throw newTemplateError(
      `body_variables: found ${given}; expected ${expected}, as many as ${name} defines`,
    );
}

function countVariables(text = ""): number {
  return new Set(text.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g).map(([, name]) => name)).size;
}

function newTemplateError(text: string): UsageError {
  return new UsageError(`${text}; nothing was sent`);
}
