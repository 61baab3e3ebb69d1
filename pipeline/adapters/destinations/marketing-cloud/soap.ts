import { DOMImplementation, XMLSerializer, type Document, type Element } from "@xmldom/xmldom";
import { AuditlakeError } from "../../../base/errors.ts";
import { findElements, parseXml } from "../../../base/http/xml.ts";
import { escapeControls } from "../../../base/printable.ts";

// Messages of the SOAP interface: built and read by an XML library, so that no name can break out of its place.

const soapNamespace = "http://schemas.xmlsoap.org/soap/envelope/";
const instanceNamespace = "http://www.w3.org/2001/XMLSchema-instance";

/** A piece of a message: the name of an element, and its text or its children. */
export type Node = readonly [name: string, content: string | readonly Node[], type?: string];

/** The message of an action as XML, without its envelope. */
export type Message = Node;

/** The whole request: the message in an envelope whose header carries the token. */
export function writeEnvelope(message: Message, token: string, namespace: string): string {
  const document = new DOMImplementation().createDocument(soapNamespace, "soap:Envelope", null);
  const root = document.documentElement!;
  const header = root.appendChild(document.createElementNS(soapNamespace, "soap:Header"));
  // The header belongs to the owner of the message's namespace.
  const owner = URL.parse(namespace)?.origin ?? namespace;
  const auth = header.appendChild(document.createElementNS(owner, "fueloauth"));
  auth.appendChild(document.createTextNode(token));
  const body = root.appendChild(document.createElementNS(soapNamespace, "soap:Body"));
  body.appendChild(buildElement(document, message, namespace));
  return `<?xml version="1.0" encoding="utf-8"?>${new XMLSerializer().serializeToString(document)}`;
}

function buildElement(document: Document, [name, content, type]: Node, namespace: string): Element {
  const element = document.createElementNS(namespace, name);
  if (type !== undefined) element.setAttributeNS(instanceNamespace, "xsi:type", type);
  if (typeof content === "string") element.appendChild(document.createTextNode(content));
  else for (const child of content) element.appendChild(buildElement(document, child, namespace));
  return element;
}

/**
 * Decides whether an answer is a fault, which another try would meet again. By its start tag: an answer that is cut off
 * does not parse.
 */
export function isFault(text: string): boolean {
  return /<([A-Za-z]+:)?Fault[\s>]/.test(text);
}

/** Content of an answer: its overall status, its results, and the message of a failure. */
export type SoapAnswer = {
  readonly status: string;
  readonly message: string;
  /** Each result as the texts of its elements, by their path below it (`ParentFolder.ID`). */
  readonly results: readonly Readonly<Record<string, string>>[];
};

/** Reads an answer by the local names of its elements; throws AuditlakeError where it is no whole SOAP answer. */
export function readAnswer(text: string, what: string): SoapAnswer {
  const root = parseXml(text);
  if (root === undefined)
    throw new AuditlakeError(`${what} answered incomplete XML; check the addresses of the target`);
  const findNamed = (name: string): Element[] => findElements(root, name);
  if (root.localName !== "Envelope" || findNamed("Body").length !== 1)
    throw new AuditlakeError(
      `${what} did not answer a SOAP envelope; check the addresses of the target`,
    );
  const fault = findNamed("faultstring")[0]?.textContent;
  const results = findNamed("Results").map((element) => listTexts(element, ""));
  const status = fault === undefined ? (findNamed("OverallStatus")[0]?.textContent ?? "") : "Fault";
  const reason = fault ?? results.find((each) => each["StatusMessage"])?.["StatusMessage"] ?? "";
  return { status: status.trim(), message: escapeControls(reason ?? "").slice(0, 200), results };
}

function listTexts(element: Element, prefix: string): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const child of Array.from(element.childNodes)) {
    if (child.nodeType !== 1) continue;
    const name = `${prefix}${(child as Element).localName}`;
    const inner = listTexts(child as Element, `${name}.`);
    if (Object.keys(inner).length === 0) texts[name] = child.textContent?.trim() ?? "";
    Object.assign(texts, inner);
  }
  return texts;
}
