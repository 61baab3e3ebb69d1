import { splitFolderPath } from "../../../../schemas/connectors/folder-path.ts";
import type { MarketingCloud } from "../../../../schemas/connectors/marketing-cloud.ts";
import { AuditlakeError, UsageError } from "../../../base/errors.ts";
import { escapeControls } from "../../../base/printable.ts";
import type { DeliveryContext, WithName } from "../../../outgoing/targets/destination.ts";
import { getAnswer, makeOnce, type Session } from "./session.ts";
import { readAnswer, type Node, type SoapAnswer } from "./soap.ts";

export type Folder = { readonly id: number; readonly allowsChildren: boolean };

const contentType = "dataextension";
const properties = ["ID", "Name", "AllowChildren", "ParentFolder.ID"];

/** The folder of all data extensions, in which every path begins. */
export async function findRootFolder(session: Session): Promise<Folder> {
  const found = await listFolders(session, newEqualsFilter("ParentFolder.ID", "0"));
  if (found[0] !== undefined) return found[0];
  throw new AuditlakeError(
    "the account shows no folder of data extensions; check the rights of the installed package",
  );
}

/**
 * The folder of the target, found from the top, one call per level; with create_folder_if_not_exists every missing
 * one is made (seed 002, A). Throws UsageError where one is missing and is not to be made.
 */
export async function findOrMakeFolder(
  target: WithName<MarketingCloud>,
  session: Session,
  context: DeliveryContext,
): Promise<Folder> {
  let folder = await findRootFolder(session);
  let path = "";
  for (const name of splitFolderPath(target.folder_path)) {
    path += `/${name}`;
    const found = await findChildFolder(session, folder, name);
    if (found === undefined && !target.create_folder_if_not_exists)
      throw newMissingFolderError(target, path);
    if (found === undefined && !folder.allowsChildren)
      throw new AuditlakeError(
        `target ${target.name}: folder ${escapeControls(path)} cannot be created, because its parent folder does not allow subfolders; choose another folder_path`,
      );
    folder = found ?? (await makeFolder(session, folder, name, path, context));
  }
  return folder;
}

/** The folder of the target; undefined where one is missing that will be made. Throws UsageError where none will. */
export async function lookAtFolder(
  target: WithName<MarketingCloud>,
  session: Session,
): Promise<Folder | undefined> {
  let folder = await findRootFolder(session);
  let path = "";
  for (const name of splitFolderPath(target.folder_path)) {
    path += `/${name}`;
    const found = await findChildFolder(session, folder, name);
    if (found === undefined && target.create_folder_if_not_exists) return undefined;
    if (found === undefined) throw newMissingFolderError(target, path);
    folder = found;
  }
  return folder;
}

function newMissingFolderError({ name }: WithName<MarketingCloud>, path: string): UsageError {
  return new UsageError(
    `target ${name}: folder_path ${escapeControls(path)} does not exist; create it, or set create_folder_if_not_exists`,
  );
}

async function makeFolder(
  session: Session,
  parent: Folder,
  name: string,
  path: string,
  { world, print }: DeliveryContext,
): Promise<Folder> {
  const what = `creating folder ${escapeControls(path)}`;
  const message: Node = ["CreateRequest", [["Objects", newFolder(parent, name), "DataFolder"]]];
  const find = (): Promise<Folder | undefined> => findChildFolder(session, parent, name);
  const creation = await makeOnce(() => session.soap("Create", message, "harmful"), find, world);
  if ("answer" in creation) {
    const answer = readAnswer(getAnswer(creation.answer, what, readSoapDetail).text, what);
    if (answer.status !== "OK") throw newSoapError(what, answer);
  }
  const made = "existing" in creation ? creation.existing : await find();
  if (made === undefined)
    throw new AuditlakeError(
      `${what} was accepted, but the folder does not exist; run again later`,
    );
  print(`created folder ${escapeControls(path)}`);
  return made;
}

// AllowChildren defaults to false, which would prevent the next level.
function newFolder(parent: Folder, name: string): Node[] {
  return [
    ["ParentFolder", [["ID", String(parent.id)]]],
    ["Name", name],
    ["ContentType", contentType],
    ["IsActive", "true"],
    ["IsEditable", "true"],
    ["AllowChildren", "true"],
  ];
}

async function findChildFolder(
  session: Session,
  parent: Folder,
  name: string,
): Promise<Folder | undefined> {
  const found = await listFolders(
    session,
    newAndFilter(
      newEqualsFilter("ParentFolder.ID", String(parent.id)),
      newEqualsFilter("Name", name),
    ),
  );
  return found[0];
}

type Filter = readonly [type: string, parts: readonly Node[]];

function newEqualsFilter(property: string, value: string): Filter {
  return [
    "SimpleFilterPart",
    [
      ["Property", property],
      ["SimpleOperator", "equals"],
      ["Value", value],
    ],
  ];
}

function newAndFilter([leftType, left]: Filter, [rightType, right]: Filter): Filter {
  return [
    "ComplexFilterPart",
    [
      ["LeftOperand", left, leftType],
      ["LogicalOperator", "AND"],
      ["RightOperand", right, rightType],
    ],
  ];
}

async function listFolders(session: Session, filter: Filter): Promise<Folder[]> {
  const what = "looking up folders";
  const [type, parts] = newAndFilter(newEqualsFilter("ContentType", contentType), filter);
  const request: Node[] = [
    ["ObjectType", "DataFolder"],
    ...properties.map((name): Node => ["Properties", name]),
    ["Filter", parts, type],
  ];
  const message: Node = ["RetrieveRequestMsg", [["RetrieveRequest", request]]];
  const found = await session.soap("Retrieve", message, "harmless");
  const answer = readAnswer(getAnswer(found, what, readSoapDetail).text, what);
  if (answer.status !== "OK") throw newSoapError(what, answer);
  return answer.results.map((each) => ({
    id: Number(each["ID"]),
    allowsChildren: each["AllowChildren"] === "true",
  }));
}

export function readSoapDetail(text: string): string {
  try {
    const { message } = readAnswer(text, "");
    return message === "" ? "" : `: ${message}`;
  } catch {
    return "";
  }
}

/** The error for an answer whose overall status is not OK. */
export function newSoapError(what: string, { status, message }: SoapAnswer): AuditlakeError {
  const reason = message === "" ? status || "no status" : message;
  return new AuditlakeError(`${what} failed: ${escapeControls(reason)}`);
}
