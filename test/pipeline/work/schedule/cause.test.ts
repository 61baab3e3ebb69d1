import fc from "fast-check";
import { expect, test } from "vitest";
import { newListener } from "../../../../pipeline/work/schedule/cause.ts";

test.each([
  ["reading\nerror: disk full\nerror: later\n", "disk full"],
  ["warning: slow\nerror: ende mit Ü日\r\n", "ende mit Ü日"],
  ["  50 %\rerror: behind a progress bar", "behind a progress bar"],
  ["\u001b[31merror: red\u001b[0m\n", "red"],
  ["warning: only this\n", "only this"],
  ["an error: not at the start of a line\n", undefined],
  ["", undefined],
  [
    'warning: new "rosa@example.com \\" and \\"; more" refused: the mail server refused the message (550)\n',
    "new row refused: the mail server refused the message (550)",
  ],
  [
    'error: id_key id is not unique: 2 values come more than once, such as "a\\"; b" and "c"; name a column\n',
    "id_key id is not unique: 2 values come more than once; name a column",
  ],
])("of %j, %j is what went wrong, in whatever parts it comes", (text, cause) => {
  const bytes = Buffer.from(text);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
      const listener = newListener();
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      places.slice(1).forEach((end, i) => listener.hear(bytes.subarray(places[i], end)));
      expect(listener.cause()).toBe(cause);
    }),
    { seed: 3, numRuns: 40 },
  );
});
