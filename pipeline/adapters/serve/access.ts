import { html } from "../../base/html/markup.ts";
import { field, sitePage } from "./layout.ts";

/** Two questions about rights at a date, each a form that leads to its report. */
export function accessPage(): string {
  return sitePage(
    "Access",
    html`<h2>What may a person do?</h2>
      <form action="/reports/user_permissions" class="fields">
        ${field("user", "Person", "", "e-mail or user id")} ${field("on", "On", "", "now")}
        <button>Ask</button>
      </form>
      <h2>Who can reach a database?</h2>
      <form action="/reports/database_access" class="fields">
        ${field("database", "Database", "", "name")} ${field("on", "On", "", "now")}
        <button>Ask</button>
      </form>
      <p><a href="/reports/full_access_holders">Who has full access?</a></p>`,
  );
}
