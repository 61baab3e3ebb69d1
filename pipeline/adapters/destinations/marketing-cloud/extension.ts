import {
  createdExtension,
  extensionList,
  fieldList,
} from "../../../../schemas/connectors/marketing-cloud-answers.ts";
import type { MarketingCloud } from "../../../../schemas/connectors/marketing-cloud.ts";
import { AuditlakeError, UsageError } from "../../../base/errors.ts";
import { escapeControls } from "../../../base/printable.ts";
import type { DeliveryContext, WithName } from "../../../outgoing/targets/destination.ts";
import type { Column } from "../../../base/rows/row.ts";
import { readErrorMessage, parseAs } from "./answer.ts";
import { getAnswer, makeOnce, type Session } from "./session.ts";
import { checkFieldCount, toField, newFields, type Field } from "./field.ts";
import { lookAtFolder, findRootFolder, findOrMakeFolder, type Folder } from "./folders.ts";

export type Extension = {
  readonly key: string;
  readonly fields: readonly Field[];
};

type FoundExtension = { readonly id: string; readonly key: string };

const path = "/data/v1/customobjects";
const pageSize = 50;
const maxPages = 200;

/**
 * Finds the data extension of the target; creates it under create_new_de, and its folders under
 * create_folder_if_not_exists (seed 002, A). Throws UsageError if it is missing and may not be created.
 */
export async function prepareExtension(
  target: WithName<MarketingCloud>,
  columns: readonly Column[],
  session: Session,
  context: DeliveryContext,
): Promise<Extension> {
  const folder =
    target.folder_path === "" ? undefined : await findOrMakeFolder(target, session, context);
  const found = await findExtension(target, folder, session);
  if (found === undefined && !target.create_new_de) throw newMissingExtensionError(target, folder);
  const { id, key } = found ?? (await createExtension(target, columns, folder, session, context));
  return { key, fields: await readFields(id, session) };
}

/**
 * Returns the current data extension of the target; undefined if it or its folder does not exist and is to be created.
 */
export async function lookAtExtension(
  target: WithName<MarketingCloud>,
  session: Session,
): Promise<Extension | undefined> {
  const folder = target.folder_path === "" ? undefined : await lookAtFolder(target, session);
  const isThere = target.folder_path === "" || folder !== undefined;
  const found = isThere ? await findExtension(target, folder, session) : undefined;
  if (found !== undefined) return { key: found.key, fields: await readFields(found.id, session) };
  if (target.create_new_de) return undefined;
  throw newMissingExtensionError(target, folder);
}

function newMissingExtensionError(
  { name, de_name }: WithName<MarketingCloud>,
  folder: Folder | undefined,
): UsageError {
  return new UsageError(
    `target ${name}: data extension ${JSON.stringify(de_name)} does not exist${folder === undefined ? "" : " in its folder"}; create it, or set create_new_de`,
  );
}

async function findExtension(
  { name, de_name }: WithName<MarketingCloud>,
  folder: Folder | undefined,
  session: Session,
): Promise<FoundExtension | undefined> {
  const what = "looking up the data extension";
  const matches: FoundExtension[] = [];
  for (let page = 1, seen = 0; page <= maxPages; page++) {
    const parameters = { $search: de_name, $page: String(page), $pagesize: String(pageSize) };
    const answer = await session.rest("GET", path, parameters, undefined, "harmless");
    const { text } = getAnswer(answer, what, readErrorMessage);
    const { count, items } = parseAs(extensionList, text, what);
    // The search finds parts of names, and in every folder.
    const here = items.filter(
      (item) => item.name === de_name && (folder === undefined || item.categoryId === folder.id),
    );
    matches.push(...here);
    seen += items.length;
    if (items.length === 0 || seen >= count) break;
  }
  if (matches.length > 1)
    throw new UsageError(
      `target ${name}: there are ${matches.length} data extensions ${JSON.stringify(de_name)}; choose one with folder_path`,
    );
  return matches[0];
}

async function createExtension(
  target: WithName<MarketingCloud>,
  columns: readonly Column[],
  folder: Folder | undefined,
  session: Session,
  { world, print }: DeliveryContext,
): Promise<FoundExtension> {
  checkFieldCount(target, columns.length);
  const what = `creating data extension ${JSON.stringify(target.de_name)}`;
  const { id: categoryId } = folder ?? (await findRootFolder(session));
  const body = JSON.stringify({ ...buildBody(target, columns), categoryId });
  const creation = await makeOnce(
    () => session.rest("POST", path, {}, body, "harmful"),
    () => findExtension(target, folder, session),
    world,
  );
  const made =
    "existing" in creation
      ? creation.existing
      : parseAs(createdExtension, getAnswer(creation.answer, what, readErrorMessage).text, what);
  print(`created data extension ${escapeControls(JSON.stringify(target.de_name))}`);
  return made;
}

function buildBody(target: MarketingCloud, columns: readonly Column[]): Record<string, unknown> {
  const fields = newFields(target, columns).map((field, ordinal) => ({
    name: field.name,
    type: field.type,
    length: field.length,
    scale: field.scale,
    isPrimaryKey: field.isKey,
    isNullable: field.isNullable,
    ordinal,
  }));
  const rule = { "Subscriber Key": "_SubscriberKey", "Email Address": "_EmailAddress" };
  const sendable = target.is_sendable
    ? {
        sendableCustomObjectField: target.sendable_column,
        sendableSubscriberField: rule[target.sendable_rule!],
      }
    : {};
  return { name: target.de_name, isSendable: target.is_sendable, ...sendable, fields };
}

async function readFields(id: string, session: Session): Promise<Field[]> {
  const what = "reading the fields of the data extension";
  const fieldsPath = `${path}/${encodeURIComponent(id)}/fields`;
  const answer = await session.rest("GET", fieldsPath, {}, undefined, "harmless");
  const { text } = getAnswer(answer, what, readErrorMessage);
  const { fields } = parseAs(fieldList, text, what);
  if (fields.length === 0) throw new AuditlakeError(`${what}: the answer has none; check de_name`);
  return fields.map(toField);
}
