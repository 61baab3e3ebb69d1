// The field of a statement becomes an editor that knows the tables; without this script it is a field. It is bundled
// with its library by rolldown, as rolldown.editor.ts says.
import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { PostgreSQL, sql } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// The colours are those of the page, light and dark.
const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--c5)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--c3)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--high)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
]);

const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", border: "0" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "2px" },
  ".cm-scroller": { minHeight: "236px", maxHeight: "30rem", fontFamily: "ui-monospace, monospace" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-gutters": {
    color: "var(--muted)",
    backgroundColor: "var(--raise)",
    borderColor: "var(--line)",
  },
  ".cm-matchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--accent)" },
  ".cm-tooltip": {
    color: "var(--text)",
    backgroundColor: "var(--raise)",
    borderColor: "var(--line)",
  },
  // As many as fit: a list that scrolls would have to take the focus.
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { maxHeight: "none", overflow: "hidden" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    color: "var(--on-accent)",
    backgroundColor: "var(--accent)",
  },
});

// Columns of the tables that the statement names, of all where it names none yet, and reports as whole statements.
function completeFrom({ tables, reports }) {
  const statements = reports.map(({ name, title, text }) => ({
    label: name,
    type: "text",
    detail: title,
    apply: text,
    boost: -1,
  }));
  return (context) => {
    const word = context.matchBefore(/\w+/);
    if (word === null && !context.explicit) return null;
    const before = context.state.sliceDoc(
      Math.max(0, context.pos - 200),
      word?.from ?? context.pos,
    );
    if (before.endsWith(".")) return null;
    const names = new Set(context.state.doc.toString().match(/\w+/g));
    const named = Object.keys(tables).filter((table) => names.has(table));
    const asked = named.length > 0 ? named : Object.keys(tables);
    const columns = [...new Set(asked.flatMap((table) => tables[table]))];
    const options = columns.map((label) => ({ label, type: "property" }));
    return {
      from: word?.from ?? context.pos,
      options: [...options, ...statements],
      validFor: /^\w*$/,
    };
  };
}

// Where typed text replaces some, a browser keeps its style in the new text, which the policy of the page forbids.
const replaceWithoutStyle = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event;
    if (inputType !== "insertText" || data === null) return false;
    if (view.composing || view.state.selection.main.empty) return false;
    event.preventDefault();
    const change = view.state.replaceSelection(data);
    view.dispatch(change, { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

function editorOf(field) {
  const { nonce, known } = field.dataset;
  const schema = JSON.parse(known);
  const language = sql({ dialect: PostgreSQL, schema: schema.tables });
  const send = () => {
    field.form.requestSubmit();
    return true;
  };
  const view = new EditorView({
    doc: field.value,
    extensions: [
      EditorView.cspNonce.of(nonce),
      lineNumbers(),
      highlightSpecialChars(),
      history(),
      bracketMatching(),
      closeBrackets(),
      language,
      language.language.data.of({ autocomplete: completeFrom(schema) }),
      autocompletion({ icons: false, maxRenderedOptions: 10 }),
      syntaxHighlighting(colours),
      theme,
      EditorView.lineWrapping,
      replaceWithoutStyle,
      // Tab leaves the editor, as it leaves any field.
      keymap.of([
        { key: "Mod-Enter", run: send },
        ...completionKeymap,
        ...historyKeymap,
        ...defaultKeymap,
      ]),
      EditorView.contentAttributes.of({
        "aria-label": field.labels[0].querySelector("span").textContent,
        tabindex: "0",
      }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) field.value = state.doc.toString();
      }),
    ],
  });
  field.addEventListener("insert-text", (event) => {
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.detail));
    view.focus();
  });
  field.required = false;
  field.hidden = true;
  // A label around the editor would take every click for one on the field.
  field.closest("label").after(view.dom);
}

for (const field of document.querySelectorAll("textarea[data-known]")) editorOf(field);
