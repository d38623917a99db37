import { localeOf } from "../../../core/config/defaults.ts";
import { sinceQuery } from "../../../core/database/lists/list.ts";
import { newId } from "../../../core/database/model.ts";
import { projection } from "../../../core/database/projection.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { flag, optional } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { EMPTY_CONFIG, type TemplateConfig } from "../rendering/template-config.ts";
import { InvoiceTemplate } from "../settings/models.ts";
import { InvoiceTemplateRead } from "./template-schemas.ts";

const shown = projection({ model: InvoiceTemplate, schema: InvoiceTemplateRead });
export const templates = rowsOf({
  model: InvoiceTemplate,
  projection: shown,
  whole: {
    order: "t.position, t.name collate kantoor_text, t.id",
    by: { active: "boolean" },
    also: "exists (select 1 from invoice_templates where organisation_id = $1) as any",
  },
});

export const templateQuery = { include_inactive: optional(flag(false)), ...sinceQuery };

const SEED = statement(`insert into invoice_templates (id, organisation_id, name, is_default, config)
  select $2, $1, $3, true, $4 where not exists (select 1 from invoice_templates where organisation_id = $1)
  on conflict (organisation_id) where is_default do nothing`);
const NAMES = { nl: "Standaard", en: "Standard" } as const;

/** A configuration with all defaults filled in. */
export const wholeConfig = (config: TemplateConfig = {}): Required<TemplateConfig> => ({
  ...EMPTY_CONFIG,
  ...config,
  layout: (config.layout ?? []).map(({ enabled = true, fields = [], ...block }) => ({
    ...block,
    enabled,
    fields: fields.map(({ enabled: isOn = true, label_i18n = {}, ...field }) => ({ ...field, enabled: isOn, label_i18n })),
  })),
  columns: { ...EMPTY_CONFIG.columns, ...config.columns },
  background: { ...EMPTY_CONFIG.background, ...config.background },
});

/**
 * The templates by position and name as JSON text. The first listing by a manager creates an empty default template; a caller with only
 * read permission never writes (money §14).
 */
export async function listedTemplates(
  asked: { include_inactive?: boolean; updated_since?: string },
  managed: boolean,
): Promise<string> {
  const { organisation } = request();
  const { include_inactive: all, updated_since } = asked;
  const listed = templates.allBound({ active: all ? undefined : true, updated_since });
  const list = () => queryOne<{ items: string; any: boolean }>(...listed);
  const found = await list();
  if (!managed || found?.any) return found?.items ?? "[]";
  const name = NAMES[localeOf(organisation.locale)];
  await inOwnTransaction(() => query(SEED, [organisation.id, newId(), name, JSON.stringify(EMPTY_CONFIG)]));
  return (await list())?.items ?? "[]";
}

const CLEAR =
  statement(`update invoice_templates set is_default = false, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and is_default and id <> $2`);

/** Clears the default of other templates. */
export function clearDefault(exceptId: string): void {
  // Of two callers that set a default concurrently, the second retries and wins.
  request().retryableConstraints.add("invoice_templates_one_default");
  enqueue(CLEAR, [request().organisation.id, exceptId]);
}

const CONFIG = statement("select config from invoice_templates where organisation_id = $1 and id = $2");

/** The configuration of a stored template. @throws 404 */
export async function storedConfig(id: string): Promise<TemplateConfig> {
  const row = await queryOne<{ config: TemplateConfig }>(CONFIG, [request().organisation.id, id]);
  if (!row) throw notFound();
  return row.config;
}
