import { expect, it } from "vitest";
import { findMeantCommand } from "../../../../pipeline/base/terminal/mistyped.ts";

const meant = (error: string, line: string): string | undefined =>
  findMeantCommand({ error: `error: ${error}\n`, argv: line.split(" ") });
const excess = (word: string): string =>
  `too many arguments for 'investigate'. Expected 0 arguments but got 1: ${word}.`;

it.each([
  [excess("rosa"), "investigate rosa", "investigate --user rosa"],
  [excess("a.b@c.example"), "investigate a.b@c.example", "investigate --user a.b@c.example"],
  [excess("192.0.2.1"), "investigate 192.0.2.1", "investigate --address 192.0.2.1"],
  [excess("2001:db8::1"), "investigate 2001:db8::1", "investigate --address 2001:db8::1"],
  [excess("123"), "investigate 123", "investigate --job 123"],
  ["unknown option '--ip'", "investigate --ip 192.0.2.1", "investigate --address 192.0.2.1"],
  ["unknown option '--ip=::1'", "investigate --ip=::1 --at now", "investigate --address ::1"],
  ["unknown option '--email'", "investigate --email", "investigate --user VALUE"],
  ["unknown option '--user'", "report run a --user rosa", "report run a --param user=rosa"],
  ["unknown option '--user'", "report run --user rosa", "report run NAME --param user=rosa"],
  ["unknown command 'a@b.example'", "access a@b.example", "access what a@b.example"],
  ["unknown command 'version'", "version", "--version"],
  ["unknown command 'select'", "select email from events", 'sql "select email from events"'],
])("%s is reported as a typo of another command", (error, line, expected) => {
  expect(meant(error, line)).toBe(`auditlake ${expected}`);
});

it.each([
  ["unknown option '--colour'", "investigate --colour red"],
  ["unknown option '--__proto__'", "investigate --__proto__ x"],
  ["unknown option '--user'", "report list --user rosa"],
  ["unknown option '--user'", "sql --user rosa"],
  ["unknown command 'frobnicate'", "frobnicate"],
  ["unknown command 'nosuch'", "access nosuch"],
  ["missing required argument 'name'", "report show"],
])("%s of %s is not similar to anything known", (error, line) => {
  expect(meant(error, line)).toBeUndefined();
});
