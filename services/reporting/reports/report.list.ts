import { listing } from "../../../core/database/lists/list.ts";
import type { ListingSpec } from "../../../core/database/lists/listing-spec.ts";
import { ofSelectedCompany } from "../../../core/database/lists/selection.ts";
import { projection } from "../../../core/database/projection.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { Report } from "../models.ts";
import { PeriodicReportDetail, PeriodicReportRead } from "./report-schemas.ts";
import { IS_SHOWN } from "./revisions.ts";

// Visibility of reports (workspace-reporting §1.5 "Visibility"), as conditions on alias `t`. Every access to reports uses these.

/** Internal reports need their own permission. @param sees whether the caller holds it */
const ofAudience = (sees: string): string => `(${sees} or t.audience = 'client')`;
/** Client logins see published reports only, of each period the newest revision. */
const isPublished = (demanded: string): string => `(not ${demanded} or (t.published_at is not null and ${IS_SHOWN}))`;
const isShown = (demanded: string): string => `(not ${demanded} or ${IS_SHOWN})`;
/**
 * Reports inside a selection. A report of a deleted client is in no selection: otherwise the deletion would show its figures to members who
 * never saw the client.
 */
const inSelection = (slot: string): string => ofSelectedCompany("t.company_id", slot);

const isClient = (): boolean => request().principal?.isClientLogin === true;
/** Whether the caller may see internal reports. */
export const seesInternal = (): boolean => !isClient() && mayCaller("reporting.internal.read");

/** Condition that the caller may see report `t`, with {@link seenBy} as `$3`, `$4` and `$5`. */
export const SEEN = `($3::uuid[] is null or ${inSelection("$3::uuid[]")}) and ${ofAudience("$4::boolean")} and ${isPublished("$5::boolean")}`;
/** The values of {@link SEEN} for the caller. */
export const seenBy = (): unknown[] => [request().principal?.selection ?? null, seesInternal(), isClient()];

const WARNINGS = `(select coalesce(json_agg(json_build_object('code', 'reporting.warning.' || (w.one ->> 'code'), 'detail', w.one ->> 'detail')
    order by w.n), '[]') from jsonb_array_elements(t.warnings) with ordinality w(one, n))`;
const COUNT = { warning_count: "jsonb_array_length(t.warnings)" };
const NO_WARNINGS = { warning_count: 0 };

/** A single report as answered; client logins get no warnings. */
const wholeReport = (clients: boolean) =>
  projection(
    clients
      ? { model: Report, schema: PeriodicReportDetail, fixed: { ...NO_WARNINGS, warnings: [] } }
      : { model: Report, schema: PeriodicReportDetail, columns: { ...COUNT, warnings: WARNINGS } },
  );
const listedReport = (clients: boolean) =>
  projection(
    clients
      ? { model: Report, schema: PeriodicReportRead, fixed: NO_WARNINGS }
      : { model: Report, schema: PeriodicReportRead, columns: COUNT },
  );

const spec: ListingSpec = {
  table: "reports",
  searchable: true,
  order: "newest",
  // The name column itself has the collation.
  sorts: { newest: { by: ["t.period_start desc", "t.company_name"], unnamed: true } },
  filters: {
    company_id: { type: "uuid", when: (slot) => `t.company_id = ${slot}` },
    audience: { type: "text", when: (slot) => `t.audience = ${slot}` },
    internal: { type: "boolean", when: ofAudience },
    published: { type: "boolean", when: isPublished },
    shown: { type: "boolean", when: isShown },
  },
  visible: inSelection,
};
export const reportListing = listing(spec, listedReport(false));
const clientListing = listing(spec, listedReport(true));

const staff = rowsOf({ model: Report, projection: wholeReport(false), listing: reportListing, visible: inSelection });
const client = rowsOf({ model: Report, projection: wholeReport(true), listing: clientListing, visible: inSelection });

/** A page of the reports the caller may see. */
export const pageOfReports = (asked: Parameters<typeof staff.page>[0], filters: Record<string, unknown>) =>
  (isClient() ? client : staff).page(asked, {
    ...filters,
    // Filters that narrow nothing are left out.
    internal: seesInternal() ? undefined : false,
    published: isClient() ? true : undefined,
  });

const STAFF = wholeReport(false).one(SEEN);
const CLIENT = wholeReport(true).one(SEEN);
/** The select of one report for the caller. */
export const oneReportSelect = () => (isClient() ? CLIENT : STAFF);

/** The whole report, as the running write's answer. */
export const writtenReport = staff.answerWith;
/** A report as lists show it, for the answer of a write. */
export const headOfReport = listedReport(false).one();
