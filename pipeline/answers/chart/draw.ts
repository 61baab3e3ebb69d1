import type { TopLevelSpec } from "vega-lite";
import { AuditlakeError, messageOf } from "../../base/errors.ts";
import type { ChartSpec } from "./spec.ts";

/**
 * A chart as SVG, drawn here without a browser; `label` tells those who do not see it what it shows. Throws
 * AuditlakeError where the library cannot draw it.
 */
export async function drawSvg(spec: ChartSpec, label: string): Promise<string> {
  // The library is loaded only to draw, since that takes as long as most queries do.
  const [vega, { compile }] = await Promise.all([import("vega"), import("vega-lite")]);
  try {
    // Warnings of the library mean nothing to the person who asked for a chart.
    const logger = vega.logger(vega.None);
    const parsed = vega.parse(compile(spec as unknown as TopLevelSpec, { logger }).spec);
    const svg = await new vega.View(parsed, { renderer: "none", logLevel: vega.None }).toSVG();
    return svg.replace("<svg ", `<svg role="img" aria-label="${attribute(label)}" `);
  } catch (error) {
    throw new AuditlakeError(`the chart cannot be drawn: ${messageOf(error)}`);
  }
}

function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
