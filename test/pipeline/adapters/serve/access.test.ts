import { expect, it } from "vitest";
import { writeAccessPage } from "../../../../pipeline/adapters/serve/app.ts";

it("asks what a person may do and who reaches a database", () => {
  const page = writeAccessPage();
  const forms = [...page.matchAll(/<form action="\/reports\/(\w+)"[^]*?<\/form>/g)];
  expect(forms.map(([, name]) => name)).toEqual(["user_permissions", "database_access"]);
  for (const [form, name] of forms) {
    const fields = [...form.matchAll(/name="(\w+)"/g)].map(([, field]) => field);
    expect(fields).toEqual([name === "database_access" ? "database" : "user", "on"]);
  }
  expect(page).toContain("<title>Access");
});
