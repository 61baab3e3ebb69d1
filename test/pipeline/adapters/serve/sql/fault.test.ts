import { expect, it } from "vitest";
import { describeFault } from "../../../../../pipeline/adapters/serve/sql/fault.ts";

const place = "LINE 1: select email from events\n               ^";

it.each([
  [
    `Binder Error: Referenced column "email" not found in FROM clause!\nCandidate bindings: "mail_cc", "mail_to"\n\n${place}\nhint: the column is actor_email, as in select actor_email from events`,
    { text: "No column email. Did you mean actor_email?", place },
  ],
  [
    `Binder Error: Referenced column "acter" not found in FROM clause!\nCandidate bindings: "path", "actor"\n\n${place}`,
    { text: "No column acter. Did you mean actor?", place },
  ],
  [
    `Catalog Error: Table with name evnts does not exist!\nDid you mean "events"?\n\n${place}`,
    { text: "No table evnts. Did you mean events?", place },
  ],
  [
    `Catalog Error: Scalar Function with name foo does not exist!\nDid you mean "floor"?\n\n${place}`,
    { text: "No function foo. Did you mean floor?", place },
  ],
  [
    `Parser Error: syntax error at or near "events"\n\n${place}`,
    { text: 'Parser Error: syntax error at or near "events"', place },
  ],
  ["the query took longer than 30s", { text: "the query took longer than 30s", place: undefined }],
])("describes %s", (message, fault) => {
  expect(describeFault(message)).toEqual(fault);
});
