import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import type { Organisation } from "../../../core/request/context.ts";
import { logoOf, pictureOf } from "../../../mixins/documents/pictures.ts";
import type { ReportRow, ReportTemplateRow } from "../models.ts";
import { settingsInForce } from "../settings/settings-rows.ts";
import { type DesignChoice, renderReport } from "./render.ts";
import { type ReportLook, reportView } from "./report-view.ts";

/** Everything but the figures and texts of which a document is made, as it was when they were frozen. */
export type FrozenLook = ReportLook & DesignChoice;

const BRAND = statement(`select coalesce(brand_name, name) as brand, logo_url, primary_color, accent_color
  from organisations where id = $1`);

export async function lookOf({ id }: Organisation, template: ReportTemplateRow | undefined): Promise<FrozenLook> {
  const brand = await queryOne<{
    brand: string;
    logo_url: string | null;
    primary_color: string | null;
    accent_color: string | null;
  }>(BRAND, [id]);
  const { footer_text } = await settingsInForce();
  return {
    brand: brand?.brand ?? "",
    logo: await logoOf(brand?.logo_url ?? null),
    cover: template?.cover_image_file_id ? await pictureOf(template.cover_image_file_id) : null,
    accents: [template?.accent_color ?? null, brand?.accent_color ?? null, brand?.primary_color ?? null],
    intro: template?.intro_text ?? null,
    footer: footer_text,
    design: template?.design ?? "standard",
    custom_html: template?.custom_html ?? null,
    custom_css: template?.custom_css ?? null,
  };
}

export async function reportHtml({
  data_snapshot,
  look,
  narrative,
}: Pick<ReportRow, "data_snapshot" | "look" | "narrative">): Promise<string> {
  if (!data_snapshot || !look) throw new Error("nothing was gathered for this report");
  const { sections, ...snapshot } = data_snapshot;
  const content = { ...snapshot, sections: sections.map((section) => ({ ...section, prose: narrative[section.key] ?? "" })) };
  return renderReport(reportView(content, look as FrozenLook), look as FrozenLook);
}
