import type { RowOf } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { unknownPreset, unknownType } from "../refusals.ts";
import type { SubscriptionTemplate } from "./models.ts";

/** The terms that an agreement copies from its preset. */
type Preset = Pick<
  RowOf<typeof SubscriptionTemplate>,
  | "currency"
  | "interval"
  | "interval_count"
  | "included_hours"
  | "rollover"
  | "notice_period_days"
  | "subscription_type_id"
  | "lines"
>;

const LOOK = statement(`select
    $2::uuid is null or exists (select 1 from companies c where c.organisation_id = $1 and c.id = $2
      and ($5::uuid[] is null or c.id in (select selected_companies($5::uuid[])))) as has_company,
    $3::uuid is null or exists (select 1 from subscription_types y where y.organisation_id = $1 and y.id = $3) as has_type,
    (select json_build_object('currency', m.currency, 'interval', m.interval, 'interval_count', m.interval_count,
        'included_hours', m.included_hours::text, 'rollover', m.rollover, 'notice_period_days', m.notice_period_days,
        'subscription_type_id', m.subscription_type_id, 'lines', m.lines)
       from subscription_templates m where m.organisation_id = $1 and m.id = $4) as preset`);

interface BodyReferences {
  company_id?: string | null | undefined;
  subscription_type_id?: string | null | undefined;
  subscription_template_id?: string | null | undefined;
}

/**
 * Checks the references of a body: the client against the caller, type and preset against the organisation. Runs no query without one.
 * @returns the terms of the preset, if the body names one
 * @throws 404 for the client, 400 `fields` for type and preset
 */
export async function referencesOf(asked: BodyReferences): Promise<{ preset: Preset | null }> {
  const { company_id: company = null, subscription_type_id: type = null, subscription_template_id: template = null } = asked;
  if (company === null && type === null && template === null) return { preset: null };
  const { organisation, principal } = request();
  const values = [organisation.id, company, type, template, principal?.selection ?? null];
  const found = await queryOne<{ has_company: boolean; has_type: boolean; preset: Preset | null }>(LOOK, values);
  if (!found?.has_company) throw notFound();
  if (!found.has_type) throw unknownType();
  if (template !== null && !found.preset) throw unknownPreset();
  return { preset: found.preset };
}
