import { readAsset } from "../../base/home/assets.ts";

// Rules of marks and of text; those of pages (legends, tooltips, other widths) have no place in a picture.
const markRule =
  /^(?:svg\.ch text|\.(?:ax|gl|wk|use|lead|c\d|ok|fail|deny|crf|hgf|medf|lowf|acc|sl|ln|part|hat|dotf|bar-bg|q\d|only-n)\b)/;

/** The style of charts as a picture has it: the same rules, their colours written out. */
export function readPictureStyle(): string {
  const css = readAsset("pipeline/base/html/style/charts.css").replaceAll(/\/\*.*?\*\//gs, "");
  const colors = readLightColors();
  const [all = ""] = css.split("@media");
  const rules = [...all.matchAll(/(?<![^{}])([^{}]+)\{([^{}]*)\}/g)].flatMap(
    ([, selector = "", body = ""]) =>
      markRule.test(selector.trim()) ? [`${selector.trim()}{${shorten(body, colors)}}`] : [],
  );
  return [...rules, "svg.ch text.title{font-size:17px;font-weight:650;fill:#141b26}"].join("");
}

// A picture is looked at and printed on white, and viewers of pictures know no variables.
function readLightColors(): ReadonlyMap<string, string> {
  const tokens = readAsset("pipeline/base/html/style/tokens.css");
  const all = tokens.matchAll(/(?<![\w-])--([\w-]+): light-dark\(([^,]+),/g);
  return new Map([...all].map(([, name = "", light = ""]) => [name, light]));
}

function shorten(body: string, colors: ReadonlyMap<string, string>): string {
  const plain = body.replaceAll(/\s+/g, " ").trim();
  return plain.replaceAll(/var\(--([\w-]+)\)/g, (_, name: string) => colors.get(name) ?? "#000");
}
