import { expect, it } from "vitest";
import {
  writeAddressesCard,
  writeDatabasesCard,
  writeFindingsCard,
} from "../../../../../pipeline/adapters/serve/subject/cards.ts";
import { getMarkupText } from "../../../../../pipeline/base/html/markup.ts";
import { newVisit } from "../../../../support/visit.ts";

const visit = { ...newVisit(), display: { zone: "UTC", domain: "example.com" } };

it.each([
  ["ann@example.com gave bob@example.com a right", "ann gave bob a right"],
  ["downloads of ann@example.com.", "downloads of ann."],
  ["ann@example.com.evil.org signed in", "ann@example.com.evil.org signed in"],
  ["ann@example.community signed in", "ann@example.community signed in"],
  ["ann@examplexcom signed in", "ann@examplexcom signed in"],
])("shows people in the finding %j without the usual domain", (message, shown) => {
  const [firstMs, lastMs] = [0, 1];
  const finding = { id: "a", severity: "high", title: "", message, state: "open", firstMs, lastMs };
  expect(getMarkupText(writeFindingsCard(visit, [finding])!)).toContain(`>${shown}</a>`);
});

it("lists the databases of results if something was downloaded, otherwise all", () => {
  const use = (databaseName: string, results: number, bytes: number | null) => {
    return { databaseName, events: 5, results, bytes, lastMs: 0 };
  };
  const list = (...uses: ReturnType<typeof use>[]): string[] => {
    const card = getMarkupText(writeDatabasesCard(visit, uses)!);
    return [...card.matchAll(/href="\/objects\/(\w+)/g)].map(([, name]) => name!);
  };
  expect(list(use("a", 2, 10), use("b", 0, null), use("c", 1, 0))).toEqual(["a", "c"]);
  expect(list(use("a", 0, null), use("b", 0, null))).toEqual(["a", "b"]);
});

it("omits the card without addresses", () => {
  expect(writeAddressesCard(visit, [], true)).toBeNull();
});

it("shows ten addresses with a link to all of them, which shows them", () => {
  const uses = Array.from({ length: 13 }, (_, n) => ({
    ipAddress: `192.0.2.${n}`,
    events: 2,
    refused: 0,
    others: 1,
    isNew: false,
    firstMs: 0,
    lastMs: 1,
    seenMs: null,
  }));
  const read = (all: boolean): string =>
    getMarkupText(writeAddressesCard({ ...visit, showsAllRows: all }, uses, true)!);
  const [few, all] = [read(false), read(true)];
  expect(few).toContain("Showing 10 of 13");
  expect(few).toContain('<a href="/?show=all#addresses">Show all</a>');
  expect(few).toContain(' id="addresses"');
  expect([few, all].map((card) => card.match(/href="\/addresses\//g)!.length)).toEqual([10, 13]);
  expect(all).not.toContain("Showing");
});
