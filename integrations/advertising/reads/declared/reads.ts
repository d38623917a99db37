import type { ReadDeclaration } from "../read.ts";
import { devices, geo } from "./breakdowns.ts";
import { keywords, negatives, searchTerms } from "./keywords.ts";
import { changes, conversions, recommendations } from "./records.ts";
import { adGroups, ads, campaigns } from "./structure.ts";

/** Every read of an account's live figures, by action name. */
export const READS = {
  campaigns,
  adGroups,
  keywords,
  negatives,
  searchTerms,
  ads,
  devices,
  geo,
  conversions,
  changes,
  recommendations,
} satisfies Readonly<Record<string, ReadDeclaration>>;
