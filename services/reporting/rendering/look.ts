import { todayIn } from "../../../core/calendar/calendar.ts";
import { DEFAULT_ZONE } from "../../../core/config/defaults.ts";
import { queryAll } from "../../../core/database/query.ts";
import type { Organisation } from "../../../core/declare/principal.ts";
import { statement } from "../../../core/sql/statement.ts";
import { logoOf, pictureOf } from "../../../mixins/documents/pictures.ts";
import type { ReportingSettingsRow, ReportTemplateRow, ReportToneRow } from "../models.ts";
import { type ChosenDesign, chosenDesign } from "./render.ts";
import type { ReportLook } from "./report-view.ts";

/** The row version that a report was made with. */
export interface UsedVersion {
  id: string;
  version: number;
}

/**
 * Everything around a report's figures, frozen when it is made: the report renders to the same document after changes of template, brand or
 * settings. A shipped design is frozen with its texts, because a later version may change them. Stored as JSON in `reports.look`.
 */
export interface FrozenLook extends ReportLook, ChosenDesign {
  /** Null for the plain shipped design. */
  template: UsedVersion | null;
  /** Null if no prose was requested. */
  tone: UsedVersion | null;
  /** Creation date in the organisation's zone. */
  made_on: string;
}

/** The fields of a template that drawing needs. */
export type DrawnTemplate = Pick<
  ReportTemplateRow,
  "design" | "custom_html" | "custom_css" | "accent_color" | "cover_image_file_id" | "intro_text"
>;

const BRAND = statement(`select coalesce(brand_name, name) as brand, logo_url, primary_color, accent_color
  from organisations where id = $1`);
const FOOTER = statement("select footer_text from reporting_settings where organisation_id = $1");

interface Brand {
  brand: string;
  logo_url: string | null;
  primary_color: string | null;
  accent_color: string | null;
}

/** Reads the current surroundings of a report with a template. Pictures become `data:` addresses. */
export async function currentLook(
  { id }: Pick<Organisation, "id">,
  template: Omit<DrawnTemplate, "design" | "custom_html" | "custom_css">,
): Promise<ReportLook> {
  const [[brand], [settings]] = (await queryAll([BRAND, [id]], [FOOTER, [id]])) as unknown as [
    Brand[],
    Pick<ReportingSettingsRow, "footer_text">[],
  ];
  return {
    brand: brand?.brand ?? "",
    logo: await logoOf(brand?.logo_url ?? null),
    cover: template.cover_image_file_id === null ? null : await pictureOf(template.cover_image_file_id),
    accents: [template.accent_color, brand?.accent_color ?? null, brand?.primary_color ?? null],
    intro: template.intro_text,
    footer: settings?.footer_text ?? null,
  };
}

const PLAIN: DrawnTemplate = {
  design: "standard",
  custom_html: null,
  custom_css: null,
  accent_color: null,
  cover_image_file_id: null,
  intro_text: null,
};

/**
 * Freezes the look of a new report. Call it in a `read` of the organisation: it holds no connection while it reads pictures.
 * @param organisation of the running request
 * @param template the report's template; null for the plain shipped design
 * @param tone the tone of its prose; null if it has none
 */
export async function lookOf(
  organisation: Pick<Organisation, "id" | "timezone">,
  template: (DrawnTemplate & Pick<ReportTemplateRow, "id" | "version">) | null,
  tone: Pick<ReportToneRow, "id" | "version"> | null = null,
): Promise<FrozenLook> {
  const drawn = template ?? PLAIN;
  return {
    ...(await currentLook(organisation, drawn)),
    ...chosenDesign(drawn),
    template: template && { id: template.id, version: template.version },
    tone: tone && { id: tone.id, version: tone.version },
    made_on: todayIn(organisation.timezone, new Date().toISOString(), DEFAULT_ZONE),
  };
}
