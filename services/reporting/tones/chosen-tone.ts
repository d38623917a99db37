import type { Locale } from "../../../core/config/defaults.ts";
import { HOUSE_TONE, type ToneTexts } from "./house-tone.ts";

interface Candidate extends ToneTexts {
  id: string;
  is_default: boolean;
  active: boolean;
}

/**
 * The tone of a client's reports: the client's own while active, else the active default, else the built-in one (workspace-reporting §1.1).
 */
export const chosenTone = <T extends Candidate>(tones: readonly T[], own: string | null, locale: Locale): T | ToneTexts =>
  tones.find(({ id, active }) => active && id === own) ??
  tones.find(({ is_default, active }) => active && is_default) ??
  HOUSE_TONE[locale];
