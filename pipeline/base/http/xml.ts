import { DOMParser, type Element } from "@xmldom/xmldom";

/** Parses an XML document; returns undefined for anything else, a document type included: it could define entities. */
export function parseXml(text: string): Element | undefined {
  if (/<!DOCTYPE/i.test(text)) return undefined;
  const throwFault = (): never => {
    throw new Error("not XML");
  };
  try {
    const document = new DOMParser({ onError: throwFault }).parseFromString(text, "text/xml");
    return document.documentElement ?? undefined;
  } catch {
    return undefined;
  }
}

/** Finds the elements of a local name, in any namespace. */
export function findElements(root: Element, name: string): Element[] {
  return Array.from(root.getElementsByTagNameNS("*", name));
}

/** Reads the text of the first element of a local name; undefined if it does not exist. */
export function readText(root: Element, name: string): string | undefined {
  return findElements(root, name)[0]?.textContent ?? undefined;
}
