import { expect, it } from "vitest";
import {
  isFault,
  readAnswer,
} from "../../../../../pipeline/adapters/destinations/marketing-cloud/soap.ts";

const result = "<Results><StatusMessage>no such folder</StatusMessage><A><B>1</B></A></Results>";
const answer = (body: string, root = "Envelope"): string =>
  `<s:${root} xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">${body}</s:${root}>`;

it.each([
  answer("<s:Body/>", "Letter"),
  answer(""),
  answer("<s:Body/><s:Body/>"),
  answer("<s:Body/><s:Body/>", "Letter"),
])("the answer %j is not an envelope with one body", (text) => {
  expect(() => readAnswer(text, "the call")).toThrow(
    "the call did not answer a SOAP envelope; check the addresses of the target",
  );
});

it.each([
  ["<OverallStatus> OK </OverallStatus>", { status: "OK", message: "", results: [] }],
  [
    `<OverallStatus>Error</OverallStatus><Results/>${result}`,
    {
      status: "Error",
      message: "no such folder",
      results: [{}, { StatusMessage: "no such folder", "A.B": "1" }],
    },
  ],
  [
    `<s:Fault><faultstring>${"x".repeat(201)}</faultstring></s:Fault>`,
    { status: "Fault", message: "x".repeat(200), results: [] },
  ],
])("the body %j contains its status, its results and the reason of a failure", (body, expected) => {
  const text = answer(`<s:Body>${body}</s:Body>`);
  expect(readAnswer(text, "the call")).toEqual(expected);
  expect(isFault(text)).toBe(expected.status === "Fault");
});
