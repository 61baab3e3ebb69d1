import { html, type Markup, trustMarkup } from "./markup.ts";

// Mail programs know neither style sheets nor grids: tables, and styles of each element. Colours are those of the light
// theme (base/html/style/tokens.css); a program that has a dark one of its own inverts them.
const face = "font-family:Inter,Segoe UI,Helvetica,Arial,sans-serif";

export const mailColours = {
  line: "border-top:1px solid #e2e6ec",
  text: "color:#141b26",
  muted: "color:#525e6f",
} as const;
const { text, muted } = mailColours;

/** The width of the plain text beside the HTML of a message. */
export const mailTextWidth = 72;

/** A style attribute; the declarations are this program's own. */
export function style(declarations: string): Markup {
  return trustMarkup(` style="${face};${declarations}"`);
}

export function writeMailRow(declarations: string, content: Markup | string): Markup {
  return html`<tr>
    <td${style(`${declarations};overflow-wrap:anywhere`)}>${content}</td>
  </tr>`;
}

/** The head of the card: small words above the title. */
export function writeMailHead(above: string, title: string): Markup {
  return writeMailRow(
    "padding:18px 16px 4px",
    html`<span${style(`font-size:12px;${muted}`)}>${above}</span><br /><span
        ${style(`font-size:20px;font-weight:600;${text}`)}
        >${title}</span
      >`,
  );
}

/** What a message is made of; `preheader` is what lists of messages show beside the subject. */
type MailDocument = {
  readonly title: string;
  readonly preheader: string;
  readonly rows: readonly (Markup | null)[];
  readonly below: string;
};

/** A message as a card, 640 pixels wide at most. */
export function writeMailDocument({ title, preheader, rows, below }: MailDocument): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light" />
        <title>${title}</title>
      </head>
      <body${style("margin:0;background:#f6f7f9")}>
        <div${style("display:none;max-height:0;overflow:hidden")}>${preheader}</div>
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0">
          <tr>
            <td align="center"${style("padding:20px 10px")}>
              <table
                role="presentation"
                width="640"
                cellpadding="0"
                cellspacing="0"
                ${style("width:100%;max-width:640px;table-layout:fixed;background:#ffffff;border:1px solid #e2e6ec;border-radius:10px")}
              >
                ${[...rows]}
              </table>
              <p${style(`font-size:12px;${muted}`)}>${below}</p>
            </td>
          </tr>
        </table>
      </body>
    </html>`;
}
