import { bodiesFigure } from "./bodies.ts";
import { canaryFigure } from "./canary.ts";
import { clocksFigure } from "./clocks.ts";
import { deliveriesFigure } from "./deliveries.ts";
import { diskFull } from "./disk-full.ts";
import { evidenceFigure } from "./evidence.ts";
import { familiesFigure } from "./families.ts";
import type { Figure } from "./figure.ts";
import { hostileFigure } from "./hostile.ts";
import { httpFigure } from "./http.ts";
import { identityFigure } from "./identity.ts";
import { killFigure } from "./kill.ts";
import { lakePublicationsFigure } from "./lake-publications.ts";
import { wellBehavedFigure, misbehavingFigure } from "./misbehaving-sources.ts";
import { lockStormFigure } from "./lock-storm.ts";
import { scheduledRunsFigure } from "./scheduled-runs.ts";
import { powerFigure } from "./power.ts";
import { readersFigure } from "./readers.ts";
import { findingsFigure } from "./findings.ts";
import { forgetfulFigure, sourcesFigure } from "./sources.ts";
import { spellingFigure } from "./spelling.ts";
import { proposalsFigure } from "./proposals.ts";
import { rightsFigure } from "./rights.ts";
import { harmlessFigure, verifyFigure } from "./verify.ts";
import { zonesFigure } from "./zones.ts";

/** All figures of the fault laboratory, in the order of its table. */
export const figures: readonly Figure[] = [
  killFigure,
  powerFigure,
  sourcesFigure,
  forgetfulFigure,
  misbehavingFigure,
  wellBehavedFigure,
  clocksFigure,
  spellingFigure,
  identityFigure,
  httpFigure,
  bodiesFigure,
  hostileFigure,
  readersFigure,
  lockStormFigure,
  deliveriesFigure,
  diskFull,
  canaryFigure,
  zonesFigure,
  rightsFigure,
  proposalsFigure,
  findingsFigure,
  verifyFigure,
  harmlessFigure,
  evidenceFigure,
  scheduledRunsFigure,
  lakePublicationsFigure,
  familiesFigure,
];
