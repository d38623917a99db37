import { randomUUID } from "node:crypto";
import type pg from "pg";
import { sampleReport } from "../../../services/reporting/rendering/sample.ts";
import type { Tenant } from "../../support/service.ts";

/** Stores a finished report as a run would leave it, and gives its id. Values as columns have them; objects are JSON. */
export async function insertReport(
  sql: pg.Client,
  { organisation }: Tenant,
  values: Record<string, unknown> = {},
): Promise<string> {
  const row: Record<string, unknown> = {
    id: randomUUID(),
    organisation_id: organisation.id,
    company_name: "Atelier Zonneveld",
    audience: "client",
    status: "ready",
    locale: "nl",
    title: "Rapportage",
    period_start: "2026-02-01",
    period_end: "2026-02-28",
    compare_start: "2025-02-01",
    compare_end: "2025-02-28",
    data_snapshot: sampleReport("nl", "client"),
    ...values,
  };
  const names = Object.keys(row);
  const given = Object.values(row).map((value) => (typeof value === "object" && value !== null ? JSON.stringify(value) : value));
  await sql.query(
    `insert into reports (${names.join(", ")}) values (${names.map((_, index) => `$${index + 1}`).join(", ")})`,
    given,
  );
  return row["id"] as string;
}
