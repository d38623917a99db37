import { expect } from "chai";
import { comparedSpan, type DaySpan } from "../../../core/calendar/named-spans.ts";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import type { GatheredFor, ReportSectionData, ReportTotal } from "../../../core/declare/report-sections.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import type { Tenant } from "../../support/service.ts";

/** The input of a test's section; the client's language is English, and its report is compared with the previous year. */
export interface Gathering extends Partial<Pick<GatheredFor, "audience" | "locale">> {
  company: string;
  span: DaySpan;
  mode?: "year" | "previous";
}

/** The spans of a report as sections receive them. */
export function askedFor({ company, span, mode = "year", audience = "client", locale = "en" }: Gathering): GatheredFor {
  const { from, to } = comparedSpan(span, mode);
  return {
    company_id: company,
    audience,
    span: { start: span.from, end: span.to },
    compared: { start: from, end: to },
    locale,
  };
}

/** Gathers a declared section as a run does, and counts the statements of it. */
export async function gathered(
  { organisation }: Pick<Tenant, "organisation">,
  key: string,
  asked: Gathering,
): Promise<{ data: ReportSectionData | null; statements: number }> {
  const section = catalogue().reportSections.find((one) => one.key === key);
  if (!section?.load) throw new Error(`nothing gathers ${key}`);
  const gather = await section.load();
  let statements = 0;
  const data = await inTenancy(
    () => systemRequest("reporting.run", organisation, "read"),
    async (store) => {
      const found = await gather(askedFor(asked));
      statements = store.statements;
      return found;
    },
  );
  return { data, statements };
}

/** Every heading, figure and series has a text in both languages, and no level is a whole number (S26, S27). */
function expectWords(key: string, { totals, table, series, parts = [] }: ReportSectionData): void {
  const named = [
    totals,
    table?.columns ?? [],
    series ? [series] : [],
    ...parts.flatMap((part) => [part.totals, part.table?.columns ?? []]),
  ];
  for (const one of named.flat())
    for (const locale of ["nl", "en"] as const)
      expect(one.label[locale]?.trim(), `${key} in ${locale}`).to.be.a("string").and.not.equal("");
  for (const one of [...totals, ...parts.flatMap((part) => part.totals)])
    if (/position|rate|ctr|score/i.test(one.key)) expect(one.kind, one.key).to.be.oneOf(["decimal", "percent"]);
  for (const { columns, rows } of [table, ...parts.map((part) => part.table)].flatMap((one) => one ?? [])) {
    expect(columns[0]?.kind, key).to.equal("text");
    for (const row of rows)
      expect(row, key)
        .to.have.length(columns.length)
        .and.satisfy((cells: unknown[]) => !cells.includes(undefined));
    for (const column of columns.filter(({ adds }) => adds))
      expect(column.kind, column.key).to.be.oneOf(["count", "money", "percent"]);
  }
}

/** The data of a section, which must have some. */
export async function printed(tenant: Pick<Tenant, "organisation">, key: string, asked: Gathering): Promise<ReportSectionData> {
  const { data } = await gathered(tenant, key, asked);
  if (data === null) throw new Error(`${key} has nothing to print`);
  expectWords(key, data);
  return data;
}

/** Value and earlier value of every total by its key. */
export const valuesOf = (totals: readonly ReportTotal[]): Record<string, [number | null, number | null]> =>
  Object.fromEntries(totals.map(({ key, value, before }) => [key, [value, before]]));

/** A table as rows by the key of their column. */
export const rowsOf = ({ table }: Pick<ReportSectionData, "table">): Record<string, string | number | null>[] =>
  (table?.rows ?? []).map((row) => Object.fromEntries((table?.columns ?? []).map(({ key }, at) => [key, row[at] ?? null])));
